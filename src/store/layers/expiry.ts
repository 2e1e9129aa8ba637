import {randomInt} from 'node:crypto';
import {planted} from '../../planted.ts';
import {ShortUrlError} from '../../errors.ts';
import type {Entry, Row} from '../port.ts';
import type {Entries} from './layer.ts';

/** How much longer an engine keeps a record, for processes whose clocks are behind, in milliseconds. */
const clockMargin = 60 * 60_000;

/** Writes of records that expire between two calls of `collect`, which removes up to twice as many. */
const collectEvery = 32;

/** How long an engine keeps a record. Its clock only measures that time, so it may differ from ours. */
export function lifeBy(now: () => number): (expires: number) => number {
  return (expires) => Math.max(1, Math.ceil(expires - now()) + clockMargin);
}

/**
 * A record that has expired by the clock of the site is no record. The engine may still have it, until it is replaced or
 * collected.
 *
 * @param now the clock, in milliseconds since the epoch
 */
export function expiring(next: Entries, now: () => number): Entries {
  const isOver = (expires: number | undefined): boolean => expires !== undefined && expires <= now();

  const current = <Value>(entry: Entry<Value> | undefined): Entry<Value> | undefined =>
    entry && isOver(entry.expires) ? undefined : entry;

  /** Several callers may find the same expired record. One of them replaces it, or inserts its row if it was removed. */
  async function insertOver([key, value, expires]: Row): Promise<boolean> {
    let found: Entry<unknown> | undefined;
    try {
      found = await next.get(key);
    } catch (error) {
      // A record that cannot be parsed is there.
      if (error instanceof ShortUrlError && error.code === 'internal_error') return false;
      throw error;
    }
    if (current(found)) return false;
    const seen = planted('expired-not-compared') ? await next.get(key) : found;
    const replaced = seen && (await next.replace(key, seen.revision, value, expires));
    return replaced !== undefined || next.insert(key, value, expires);
  }

  /** Random, so that short runs collect too. */
  let untilCollection = randomInt(collectEvery);

  /** Lets the engine remove records that have expired, after writes of as many that will. */
  function collectAfter(rows: readonly Row[]): void {
    untilCollection -= rows.filter(([, , expires]) => expires !== undefined).length;
    if (untilCollection > 0 || next.collect === undefined) return;
    const max = 2 * (collectEvery - untilCollection);
    untilCollection = collectEvery;
    // A later call removes what is left.
    next.collect(max).catch(() => undefined);
  }

  return {
    ...next,
    get: async (key, known) => current(await next.get(key, known)),
    async getMany<Value>(keys: readonly string[], word?: string) {
      return (await next.getMany<Value>(keys, word)).map(current);
    },
    async insert(...row) {
      const isInserted = await next.insert(...row);
      collectAfter([row]);
      return isInserted || insertOver(row);
    },
    async insertMany(rows) {
      const inserted = await next.insertMany(rows);
      collectAfter(rows);
      return Promise.all(rows.map(async (row, index) => inserted[index] === true || insertOver(row)));
    },
    async replace(key, revision, value, expires) {
      if (isOver(expires)) {
        return (await next.removeUnchanged(key, revision)) ? {value, revision: undefined, expires} : undefined;
      }
      const replaced = await next.replace(key, revision, value, expires);
      collectAfter([[key, value, expires]]);
      return replaced;
    },
  };
}
