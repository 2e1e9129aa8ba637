import {countUnchanged, indexesOf, type AllOrNothing} from '../batching/batches.ts';
import {sumByKey} from '../batching/counting.ts';
import type {Deadline} from '../failing/deadline.ts';
import {type CounterRows, type Driver, nextCounter} from '../driver.ts';
import type {Addition, Batch, Counters, Inspection, KeyAddition, KeyKind, KeyPart} from '../port.ts';
import type {RedisConnection} from './connection.ts';
import {inspectRedis} from './inspect.ts';
import {scanMasters} from './masters.ts';
import {countScript, replaceScript, type Script} from './scripts.ts';

/** The most keys in one `MGET`, so that a long reply does not delay the others. */
const maxKeysPerRead = 200;

/** How long the last batch of a writer is remembered, in seconds. */
const writerLife = 86_400;

/** An addition to the counters of one key. To undo one, it has negative counts and the time to go back to. */
interface Sum {
  readonly key: string;
  readonly counts: KeyAddition['add'];
  readonly at: number;
  readonly before?: number;
}

/** What the script for counting gets. */
interface StoredBatch extends Pick<AllOrNothing, 'links' | 'increments'> {
  readonly writer: string;
  readonly number: number;
  readonly added: ReadonlyArray<AllOrNothing['added'][number] & Pick<Sum, 'before'>>;
  readonly result: string;
}

/** Uses the atomic commands `SET NX` and `HINCRBY`, and Lua scripts where a write depends on a read. */
export class RedisDriver implements Driver {
  readonly engine = 'redis';
  readonly guarantee = 'store';
  readonly keepsObjects = false;
  readonly isRemote = true;
  readonly #connection: RedisConnection;

  constructor(connection: RedisConnection) {
    this.#connection = connection;
  }

  async read(keys: readonly string[], deadline: Deadline): Promise<unknown[]> {
    const size = this.#connection.isCluster ? 1 : maxKeysPerRead;
    const parts = Array.from({length: Math.ceil(keys.length / size)}, (_, index) =>
      keys.slice(index * size, (index + 1) * size),
    );
    const replies = await Promise.all(
      parts.map((part) => this.#connection.send(part[0] ?? '', ['MGET', ...part], deadline)),
    );
    return (replies as unknown[][]).flat().map((reply) => reply ?? undefined);
  }

  insert(rows: ReadonlyArray<readonly [key: string, record: unknown]>, deadline: Deadline): Promise<boolean[]> {
    const insert = async (key: string, record: unknown): Promise<boolean> =>
      (await this.#connection.send(key, ['SET', key, record as string, 'NX'], deadline)) !== null;
    return Promise.all(rows.map(([key, record]) => insert(key, record)));
  }

  async replace(key: string, expected: unknown, record: unknown, deadline: Deadline): Promise<boolean> {
    return (await this.#run(replaceScript, [key], [expected as string, record as string], deadline)) === 1;
  }

  async remove(key: string, deadline: Deadline): Promise<void> {
    await this.#connection.send(key, ['DEL', key], deadline);
  }

  async count(batch: Batch, deadline: Deadline): Promise<boolean[]> {
    return this.#connection.isCluster ? this.#countByTag(batch, deadline) : this.#count(batch, deadline);
  }

  increment(steps: ReadonlyArray<readonly [key: string, by: number]>, deadline: Deadline): Promise<number[]> {
    const increment = async (key: string, by: number): Promise<number> =>
      Number(await this.#connection.send(key, ['HINCRBY', key, nextCounter, String(by)], deadline));
    return Promise.all(steps.map(([key, by]) => increment(key, by)));
  }

  getCounters(
    keys: readonly string[],
    names: readonly string[] | undefined,
    deadline: Deadline,
  ): Promise<readonly Counters[]> {
    const command = (key: string): string[] => (names ? ['HMGET', key, 'at', ...names] : ['HGETALL', key]);
    const read = async (key: string): Promise<Counters> => {
      const reply = await this.#connection.send(key, command(key), deadline);
      if (names === undefined) return toCounters(pairs(reply));
      return toCounters(['at', ...names].map((name, index) => [name, (reply as unknown[])[index]]));
    };
    return Promise.all(keys.map(read));
  }

  async removeCounters(key: string, names: readonly string[] | undefined, deadline: Deadline): Promise<void> {
    await this.#connection.send(key, names ? ['HDEL', key, ...names] : ['DEL', key], deadline);
  }

  async setCounters(rows: CounterRows, deadline: Deadline): Promise<void> {
    const set = ([key, {counts, at}]: CounterRows[number]): Promise<unknown> => {
      const fields = [...counts, ...(at === undefined ? [] : [['at', at] as const])].flat().map(String);
      return this.#connection.send(key, ['HSET', key, ...fields], deadline);
    };
    await Promise.all(rows.filter(([, {counts}]) => counts.size > 0).map(set));
  }

  keys(kind: KeyKind, prefix: string, cursor: string | undefined, deadline: Deadline): Promise<KeyPart> {
    const type = kind === 'records' ? 'string' : 'hash';
    return this.#connection.withMasters((masters) => scanMasters(masters, {type, prefix, cursor}), deadline);
  }

  inspect(deadline: Deadline): Promise<Inspection> {
    const {isCluster} = this.#connection;
    return this.#connection.withMasters((masters) => inspectRedis(masters, isCluster), deadline);
  }

  ping(deadline: Deadline): Promise<void> {
    return this.#connection.ping(deadline);
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  #count({writer, number, additions}: Batch, deadline: Deadline): Promise<boolean[]> {
    const store = async ({indexes, links, added, increments}: AllOrNothing): Promise<readonly number[] | undefined> => {
      const batch = {writer, number, links, added, increments, result: indexes.join()};
      const result = await this.#store(batch, deadline);
      return result === null ? undefined : indexesOf(result);
    };
    const read = (keys: readonly string[]): Promise<unknown[]> => this.read(keys, deadline);
    return countUnchanged(additions, {store, read});
  }

  /**
   * On a cluster the keys of one command must share a hash tag, so the batch is split by tag, and each part is remembered
   * under its tag. Counters with another tag than the link's, which are the totals of its account, are sent at the same
   * time. A link is rarely refused, and then its part of the totals is undone. If the process is killed in between, the
   * totals stay too high by the refused visits. If another process adds an older visit in between, the time of the last
   * visit goes back too far.
   */
  async #countByTag({writer, number, additions}: Batch, deadline: Deadline): Promise<boolean[]> {
    const others = (some: readonly Addition[]): ReturnType<typeof sumByKey> =>
      sumByKey(some.map(({counters, at}) => ({counters: counters.slice(1), at})));
    const sent = others(additions);
    // Each step has records of its batches, because two steps may have the same tag.
    const [counted, times] = await Promise.all([
      this.#countOwn({writer, number, additions}, deadline),
      this.#addByTag(
        {writer: `${writer}:others`, number, sums: Array.from(sent, ([key, {counts, at}]) => ({key, counts, at}))},
        deadline,
      ),
    ]);
    if (!counted.includes(false)) return counted;
    const stay = others(additions.filter((_, place) => counted[place] === true));
    const undone = Array.from(others(additions.filter((_, place) => counted[place] !== true)), ([key, {counts}]) => ({
      key,
      counts: Object.fromEntries(Object.entries(counts).map(([name, n]) => [name, -n])),
      at: sent.get(key)?.at ?? 0,
      before: Math.max(times.get(key) ?? 0, stay.get(key)?.at ?? 0),
    }));
    await this.#addByTag({writer: `${writer}:undo`, number, sums: undone}, deadline);
    return counted;
  }

  /** Counts the first counters of each addition, which have the tag of the link. */
  async #countOwn({writer, number, additions}: Batch, deadline: Deadline): Promise<boolean[]> {
    const own = additions.map((addition, place) => ({...addition, counters: addition.counters.slice(0, 1), place}));
    const results = new Array<boolean>(additions.length).fill(false);
    const countPart = async ([tag, part]: readonly [string, typeof own]): Promise<void> => {
      const counted = await this.#count({writer: `${writer}:${tag}`, number, additions: part}, deadline);
      for (const [index, {place}] of part.entries()) results[place] = counted[index] === true;
    };
    const parts = byTag(own, ({counters}) => counters[0]?.key ?? '');
    await Promise.all(Array.from(parts, countPart));
    return results;
  }

  /** Adds to counters, once for each number. Returns the times that the keys had before; 0 for none. */
  async #addByTag(
    {writer, number, sums}: {writer: string; number: number; sums: readonly Sum[]},
    deadline: Deadline,
  ): Promise<Map<string, number>> {
    const addPart = async ([tag, part]: readonly [string, readonly Sum[]]): Promise<Array<[string, number]>> => {
      const added = part.map((sum, increment) => ({...sum, increment}));
      const increments = part.map(({counts}) => counts);
      const batch = {writer: `${writer}:${tag}`, number, links: [], added, increments, result: ''};
      const times = String(await this.#store(batch, deadline)).split(',');
      return part.map(({key}, index) => [key, Number(times[index])]);
    };
    const parts = byTag(sums, ({key}) => key);
    return new Map((await Promise.all(Array.from(parts, addPart))).flat());
  }

  /** Returns the result of the batch; null if a link has changed. */
  async #store(
    {writer, number, links, added, increments, result}: StoredBatch,
    deadline: Deadline,
  ): Promise<string | null> {
    const keys = [writer, ...links.map(({key}) => key), ...added.map(({key}) => key)];
    const names = increments.map((add) => Object.entries(add).flat());
    const times = added.map(({increment, at, before}) =>
      before === undefined ? [increment + 1, at] : [increment + 1, at, before],
    );
    const text = JSON.stringify([names, times]);
    const records = links.map(({revision}) => revision as string);
    const parameters = [String(number), String(writerLife), result, String(links.length), text, ...records];
    return (await this.#run(countScript, keys, parameters, deadline)) as string | null;
  }

  /** Sends only the digest of the script. A restarted server does not know it and gets the text. */
  async #run(
    {text, digest}: Script,
    keys: readonly string[],
    parameters: readonly string[],
    deadline: Deadline,
  ): Promise<unknown> {
    const key = keys[0] ?? '';
    const rest = [String(keys.length), ...keys, ...parameters];
    try {
      return await this.#connection.send(key, ['EVALSHA', digest, ...rest], deadline);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return this.#connection.send(key, ['EVAL', text, ...rest], deadline);
    }
  }
}

/** The items by the hash tag of their key. */
function byTag<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const parts = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    // A key without a tag is hashed as a whole, as a tag with the same text is.
    const tag = `{${/\{(.+?)\}/.exec(key)?.[1] ?? key}}`;
    const part = parts.get(tag);
    if (part) part.push(item);
    else parts.set(tag, [item]);
  }
  return parts;
}

/** The fields and values of a reply, which is a list, or an object if the client uses RESP3. */
function pairs(reply: unknown): Array<readonly [name: string, value: unknown]> {
  if (!Array.isArray(reply)) return Object.entries(reply as Record<string, unknown>);
  return Array.from({length: reply.length / 2}, (_, index) => [String(reply[2 * index]), reply[2 * index + 1]]);
}

function toCounters(fields: ReadonlyArray<readonly [name: string, value: unknown]>): Counters {
  const counts = new Map(fields.filter(([, value]) => value !== null).map(([name, value]) => [name, Number(value)]));
  const at = counts.get('at');
  counts.delete('at');
  return {counts, at};
}
