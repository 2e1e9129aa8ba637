import type {RecordRow} from '../driver.ts';
import {type Batch, batchPrefix, formatKey, type SeenLink} from '../port.ts';
import type {Records} from './layer.ts';

/**
 * Adds the namespace to every key, and removes it from the keys of a listing. The keys of batches and of the format are
 * not listed.
 *
 * @param keyOf adds the namespace to a key of the port
 */
export function named(next: Records, keyOf: (key: string) => string): Records {
  const {length} = keyOf('');
  const rowOf = ([key, ...rest]: RecordRow): RecordRow => [keyOf(key), ...rest];
  return {
    get: (key) => next.get(keyOf(key)),
    isAbsent: (key) => next.isAbsent(keyOf(key)),
    getMany: (keys, word) => next.getMany(keys.map(keyOf), word),
    insert: (row) => next.insert(rowOf(row)),
    insertMany: (rows) => next.insertMany(rows.map(rowOf)),
    replace: (row, expected) => next.replace(rowOf(row), expected),
    remove: (key) => next.remove(keyOf(key)),
    collect: next.collect,
    increment: (key) => next.increment(keyOf(key)),
    count: (batch) => next.count(namedBatch(batch, keyOf)),
    getCounters: (keys, names) => next.getCounters(keys.map(keyOf), names),
    removeCounters: (key, names) => next.removeCounters(keyOf(key), names),
    setCounters: (rows) => next.setCounters(rows.map(([key, counters]) => [keyOf(key), counters])),
    async keys(kind, prefix, cursor) {
      const {keys, ...rest} = await next.keys(kind, keyOf(prefix), cursor);
      const ours = keys.map((key) => key.slice(length));
      return {keys: ours.filter((key) => !key.startsWith(batchPrefix) && key !== formatKey), ...rest};
    },
    inspect: () => next.inspect(),
  };
}

/** A link and the keys of its counters, with the namespace. */
interface NamedLink extends SeenLink {
  readonly keys: readonly string[];
}

/**
 * The keys of a link are made once, and the driver gets the same object for every visit of it, so that it can cache its own
 * form of the link in `prepared`.
 */
function namedBatch({writer, number, additions}: Batch, keyOf: (key: string) => string): Batch {
  const prepare = (link: SeenLink, keys: readonly string[]): NamedLink => {
    link.prepared ??= {
      key: keyOf(link.key),
      revision: link.revision,
      keys: keys.map(keyOf),
    } satisfies NamedLink;
    return link.prepared as NamedLink;
  };
  return {
    writer: keyOf(batchPrefix + writer),
    number,
    additions: additions.map(({link, keys, adds, at}) => {
      const prepared = link && prepare(link, keys);
      return {link: prepared, keys: prepared?.keys ?? keys.map(keyOf), adds, at};
    }),
  };
}
