import test from 'ava';
import {engines, type Owner, whyMissing} from '../engines/engines.ts';
import {type Database, deleteFromRedis} from '../engines/servers.ts';
import {run} from './run.ts';

/** Why the engine of this name cannot be tested here. */
export async function missing(name: string): Promise<string | undefined> {
  const engine = engines.find((each) => each.name === name);
  if (engine === undefined) throw new RangeError(name);
  const reason = await whyMissing(engine);
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

/** Releases what it is given after the tests of the file. */
export function thisFile(): Owner {
  const undos: Array<() => unknown> = [];
  test.after.always(async () => {
    for (const undo of undos.reverse()) await undo();
  });
  return {teardown: (undo) => void undos.push(undo)};
}

/** Removes everything that this run has left on the shared Redis. */
export function cleanSharedRedis(skip: string | undefined): void {
  if (skip === undefined) test.after.always(() => deleteFromRedis(run));
}
