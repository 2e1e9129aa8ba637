import {RowSums} from '../batching/joint-counters.ts';
import type {CounterRows} from '../driver.ts';
import type {KeyPart} from '../port.ts';

/** Keys in one part of a listing. */
export const keysAtOnce = 1000;

/** The end of the keys that begin with `prefix`: keys are printable ASCII, and the engines sort them by their bytes. */
export function endOf(prefix: string): string {
  return `${prefix}\x7f`;
}

export function keyPart(keys: readonly string[]): KeyPart {
  return {keys, next: keys.length === keysAtOnce ? keys.at(-1) : undefined};
}

/** A counter to set. */
interface SetRow {
  readonly key: string;
  readonly name: string;
  readonly n: number;
  readonly at: number | undefined;
}

/** The rows for counters to set. */
export function setRows(rows: CounterRows): SetRow[] {
  return rows.flatMap(([key, {counts, at}]) => Array.from(counts, ([name, n]) => ({key, name, n, at})));
}

/** The sums of rows with the columns `key`, `name`, `n` and `at`, by key. */
export function sumsOf(
  keys: readonly string[],
  rows: ReadonlyArray<Readonly<Record<string, unknown>>>,
  names: readonly string[] | undefined,
): Map<string, RowSums> {
  const found = new Map(keys.map((key) => [key, new RowSums(names)]));
  for (const {key, name, n, at} of rows) {
    found.get(String(key))?.add(String(name), Number(n), at === null ? undefined : Number(at));
  }
  return found;
}

/** The keys of the full sums. */
export function fullKeys(sums: ReadonlyMap<string, RowSums>): string[] {
  return Array.from(sums.keys()).filter((key) => sums.get(key)?.isFull);
}
