import {readFileSync} from 'node:fs';
import type {Finder} from './bugs.ts';

/** How a planted bug was found when this was last tried with `PLANTED_KEEP=true`. */
export interface Found {
  readonly by: Finder;
  /** The name of the first test that failed, or the promise that a world broke. */
  readonly told: string;
  /** Of CPU time, from the start of the process that found it to its end. */
  readonly seconds: number;
  /** The commit at which it was planted. */
  readonly commit: string;
}

export const foundFile = 'test/planted/found.json';

export const found = (): Readonly<Record<string, Found>> =>
  JSON.parse(readFileSync(foundFile, 'utf8')) as Record<string, Found>;
