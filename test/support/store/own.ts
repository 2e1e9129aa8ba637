import test from 'ava';
import {engineNamed, whyMissing} from '../engines/engines.ts';
import {type Database, deleteFromRedis} from '../engines/servers.ts';
import {run} from './run.ts';

/** Why the engine of this name cannot be tested here. */
export async function missing(name: string): Promise<string | undefined> {
  const reason = await whyMissing(engineNamed(name));
  if (reason !== undefined) console.warn(`Skipped: ${reason}`);
  return reason;
}

/** The URL of a database that exists while the tests of the file run. */
export function forThisFile({store, create, drop}: Database, skip: string | undefined): string {
  if (skip !== undefined) return store;
  test.before(create);
  test.after.always(drop);
  return store;
}

/** Removes everything that this run has left on the shared Redis. */
export function cleanSharedRedis(skip: string | undefined): void {
  if (skip === undefined) test.after.always(() => deleteFromRedis(run));
}
