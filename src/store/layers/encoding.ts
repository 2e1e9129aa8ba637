import {setImmediate} from 'node:timers/promises';
import {LRUCache} from 'lru-cache';
import {ShortUrlError, toShortUrlError} from '../../errors.ts';
import {growingTo} from '../../values/growing.ts';
import type {Codec} from '../codec.ts';
import type {RecordRow} from '../driver.ts';
import type {Entry, Row} from '../port.ts';
import type {Entries, Records} from './layer.ts';

/** Records that are decoded before the event loop gets a turn, in about a millisecond. */
const decodedAtOnce = 100;

/** The maximum number of unreadable records whose reports are remembered. */
const maxUnreadable = 1000;

export interface EncodingSettings {
  readonly codec: Codec;
  /** How long an engine must keep a record that expires then, in milliseconds. */
  readonly lifeOf: (expires: number) => number;
  /** The key of a record with its namespace, for errors. */
  readonly keyOf: (key: string) => string;
  /** Called once for each record of `getMany` that is left out because it cannot be parsed. */
  readonly onUnreadable: (error: ShortUrlError) => void;
}

/** Encodes values to records, and decodes records. A record that cannot be parsed is no outage. */
export function encoded(next: Records, {codec, lifeOf, keyOf, onUnreadable}: EncodingSettings): Entries {
  const unreadable = new LRUCache<string, true>(growingTo(maxUnreadable));

  async function rowOf([key, value, expires]: Row): Promise<RecordRow> {
    return [key, await codec.encode(key, value, expires), expires === undefined ? undefined : lifeOf(expires)];
  }

  async function entryOf<Value>(key: string, record: unknown): Promise<Entry<Value> | undefined> {
    if (record === undefined) return undefined;
    try {
      const {value, expires} = await codec.decode(key, record);
      return {value: value as Value, revision: record, expires};
    } catch (reason) {
      // Only the cause names the key, because the API may show the message.
      const cause = new Error(`The record ${keyOf(key)} cannot be read`, {cause: reason});
      throw new ShortUrlError('internal_error', 'A record of the store cannot be read.', {cause});
    }
  }

  function readable<Value>(key: string, record: unknown): Promise<Entry<Value> | undefined> {
    return entryOf<Value>(key, record).catch((error: unknown) => {
      if (!unreadable.has(key)) onUnreadable(toShortUrlError(error));
      unreadable.set(key, true);
      return undefined;
    });
  }

  return {
    ...next,
    async get<Value>(key: string, known?: Entry<Value>) {
      const record = await next.get(key);
      // Only text can be compared. An object may have been changed.
      return typeof record === 'string' && record === known?.revision ? known : entryOf<Value>(key, record);
    },
    async getMany<Value>(keys: readonly string[], word?: string) {
      const records = await next.getMany(keys, word);
      const entries: Array<Entry<Value> | undefined> = [];
      for (let start = 0; start < keys.length; start += decodedAtOnce) {
        if (start > 0) await setImmediate();
        const some = keys.slice(start, start + decodedAtOnce);
        entries.push(...(await Promise.all(some.map((key, index) => readable<Value>(key, records[start + index])))));
      }
      return entries;
    },
    insert: async (...row) => next.insert(await rowOf(row)),
    insertMany: async (rows) => next.insertMany(await Promise.all(rows.map(rowOf))),
    async replace(key, revision, value, expires) {
      const row = await rowOf([key, value, expires]);
      return (await next.replace(row, revision)) ? {value, revision: row[1], expires} : undefined;
    },
    removeUnchanged: (key, revision) => next.replace([key, undefined], revision),
  };
}
