import {countUnchanged, indexesOf, type AllOrNothing} from '../../batching/batches.ts';
import {sumByKey} from '../../batching/counting.ts';
import type {Deadline} from '../../failing/deadline.ts';
import type {CounterRows, Driver, Listing, RecordRow} from '../../driver.ts';
import {type Batch, type Counters, type Inspection, type KeyKind, nextCounter} from '../../port.ts';
import type {RedisConnection} from './connection.ts';
import {inspectRedis} from './inspect.ts';
import {scanOf} from './masters.ts';
import {countScript, replaceScript, type Script, separator, writeScript} from './scripts.ts';

/** The maximum number of keys in one `MGET`, so that a long reply does not delay the others. */
const maxKeysPerRead = 200;

/** How long the last batch of a writer is remembered, in seconds. */
const writerLife = 86_400;

/** The maximum number of counters in one command, because a script may not unpack more arguments. */
const maxCountersPerWrite = 1000;

/** The pause before keys are listed again because slots of the cluster have moved, in milliseconds. */
const listingPause = 500;

interface StoredBatch extends Pick<AllOrNothing, 'links' | 'increments' | 'added'> {
  readonly writer: string;
  readonly number: number;
  readonly result: string;
}

/** Every write is a Lua script, which changes nothing if the server gets it after its deadline. */
export class RedisDriver implements Driver {
  readonly engine = 'redis';
  readonly guarantee = 'store';
  readonly isRemote = true;
  /** The adapters of `@keyv/redis` without a namespace clear every key that has no `::`. */
  readonly keyPrefix = 'short_url::';
  readonly #connection: RedisConnection;

  constructor(connection: RedisConnection) {
    this.#connection = connection;
  }

  async read(keys: readonly string[], deadline: Deadline): Promise<unknown[]> {
    const parts = inParts(keys, this.#connection.isCluster ? 1 : maxKeysPerRead);
    const replies = await Promise.all(
      parts.map((part) => this.#connection.send(part[0] ?? '', ['MGET', ...part], deadline)),
    );
    return (replies as unknown[][]).flat().map((reply) => reply ?? undefined);
  }

  insert(rows: readonly RecordRow[], deadline: Deadline): Promise<boolean[]> {
    const insert = async ([key, record, life]: RecordRow): Promise<boolean> =>
      (await this.#write(key, ['SET', record as string, 'NX', ...lifeOf(life)], deadline)) !== null;
    return Promise.all(rows.map(insert));
  }

  async replace([key, record, life]: RecordRow, expected: unknown, deadline: Deadline): Promise<boolean> {
    const values = record === undefined ? [expected] : [expected, record, ...lifeOf(life)];
    return (await this.#run(replaceScript, [key], values as string[], deadline)) === 1;
  }

  async remove(key: string, deadline: Deadline): Promise<void> {
    await this.#write(key, ['DEL'], deadline);
  }

  async count(batch: Batch, deadline: Deadline): Promise<boolean[]> {
    return this.#connection.isCluster ? this.#countByTag(batch, deadline) : this.#count(batch, deadline);
  }

  increment(steps: ReadonlyArray<readonly [key: string, by: number]>, deadline: Deadline): Promise<number[]> {
    const increment = async (key: string, by: number): Promise<number> =>
      Number(await this.#write(key, ['HINCRBY', nextCounter, String(by)], deadline));
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
      if (names === undefined) return toCounters(pairs(reply as unknown[]));
      return toCounters(['at', ...names].map((name, index) => [name, (reply as unknown[])[index]]));
    };
    return Promise.all(keys.map(read));
  }

  async removeCounters(key: string, names: readonly string[] | undefined, deadline: Deadline): Promise<void> {
    if (names === undefined) return this.remove(key, deadline);
    await Promise.all(inParts(names).map((some) => this.#write(key, ['HDEL', ...some], deadline)));
  }

  async setCounters(rows: CounterRows, deadline: Deadline): Promise<void> {
    const set = ([key, {counts, at}]: CounterRows[number]): Array<Promise<unknown>> => {
      const fields = [...counts, ...(at === undefined ? [] : [['at', at] as const])];
      return inParts(fields).map((some) => this.#write(key, ['HSET', ...some.flat().map(String)], deadline));
    };
    await Promise.all(rows.filter(([, {counts}]) => counts.size > 0).flatMap(set));
  }

  keys(kind: KeyKind, prefix: string): Listing {
    const scan = scanOf(kind === 'records' ? 'string' : 'hash', prefix);
    return (deadline) => {
      const pause = Math.min(listingPause, deadline.timeout / 4);
      return this.#connection.withMasters((servers) => scan(servers, pause), deadline);
    };
  }

  inspect(deadline: Deadline): Promise<Inspection> {
    return this.#connection.withMasters(({masters, isCluster}) => inspectRedis(masters, isCluster), deadline);
  }

  /** Also runs a script that writes, and changes nothing: a user, or a server, may refuse scripts. */
  async ping(deadline: Deadline): Promise<void> {
    await Promise.all([this.#connection.ping(deadline), this.remove(`${this.keyPrefix}ping`, deadline)]);
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
   * under its tag. Counters with another tag than the link's, which are the totals of its account, follow when it is known
   * which visits count. If the process is killed in between, the totals lack these visits.
   */
  async #countByTag({writer, number, additions}: Batch, deadline: Deadline): Promise<boolean[]> {
    const counted = new Array<boolean>(additions.length).fill(false);
    const own = additions.map(({link, keys, adds, at}, index) => {
      return {link, keys: keys.slice(0, 1), adds: adds.slice(0, 1), at, index};
    });
    const countPart = async ([tag, part]: readonly [string, typeof own]): Promise<void> => {
      const results = await this.#count({writer: `${writer}:${tag}`, number, additions: part}, deadline);
      for (const [at, {index}] of part.entries()) counted[index] = results[at] === true;
    };
    const parts = byTag(own, ({keys}) => keys[0] ?? '');
    await Promise.all(Array.from(parts, countPart));

    const others = additions
      .filter((_, index) => counted[index])
      .map(({keys, adds, at}) => ({keys: keys.slice(1), adds: adds.slice(1), at}));
    const sums = Array.from(sumByKey(others), ([key, {counts, at}]) => ({key, counts, at}));
    const addPart = ([tag, part]: readonly [string, typeof sums]): Promise<unknown> => {
      const added = part.map(({key, at}, increment) => ({key, increment, at}));
      const increments = part.map(({counts}) => counts);
      // Its own record, because a link may have the same tag.
      const batch = {writer: `${writer}:others:${tag}`, number, links: [], added, increments, result: ''};
      return this.#store(batch, deadline);
    };
    const rest = byTag(sums, ({key}) => key);
    await Promise.all(Array.from(rest, addPart));
    return counted;
  }

  /** Returns the result of the batch; null if a link has changed. */
  async #store(
    {writer, number, links, added, increments, result}: StoredBatch,
    deadline: Deadline,
  ): Promise<string | null> {
    const keys = [writer, ...links.map(({key}) => key), ...added.map(({key}) => key)];
    const names = increments.map((add) => Object.entries(add).flat().map(String));
    const records = links.map(({revision}) => revision).join(separator);
    const text = JSON.stringify([names, runsOf(added)]);
    const parameters = [String(number), String(writerLife), result, String(links.length), records, text];
    return (await this.#run(countScript, keys, parameters, deadline)) as string | null;
  }

  #write(key: string, [name = '', ...rest]: readonly string[], deadline: Deadline): Promise<unknown> {
    return this.#run(writeScript, [key], [name, ...rest], deadline);
  }

  /** Sends only the digest of the script. A restarted server does not know it and gets the text. */
  async #run(
    {text, digest}: Script,
    keys: readonly string[],
    parameters: readonly string[],
    deadline: Deadline,
  ): Promise<unknown> {
    const key = keys[0] ?? '';
    const command = (name: string, script: string) => (expiry: string) => [
      name,
      script,
      String(keys.length),
      ...keys,
      expiry,
      ...parameters,
    ];
    try {
      return await this.#connection.write(key, command('EVALSHA', digest), deadline);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return this.#connection.write(key, command('EVAL', text), deadline);
    }
  }
}

/** How many keys in a row get the same increment at the same time. Most do. */
function runsOf(added: StoredBatch['added']): Array<[increment: number, at: string, keys: number]> {
  const runs: Array<[increment: number, at: string, keys: number]> = [];
  let last: StoredBatch['added'][number] | undefined;
  for (const addition of added) {
    const run = runs.at(-1);
    if (run !== undefined && addition.increment === last?.increment && addition.at === last.at) run[2] += 1;
    else runs.push([addition.increment + 1, String(addition.at), 1]);
    last = addition;
  }
  return runs;
}

function lifeOf(life: number | undefined): string[] {
  return life === undefined ? [] : ['PX', String(life)];
}

function inParts<Item>(items: readonly Item[], size = maxCountersPerWrite): Item[][] {
  return Array.from({length: Math.ceil(items.length / size)}, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
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

/** The fields and values of a reply, in which they alternate. */
function pairs(reply: readonly unknown[]): Array<readonly [name: string, value: unknown]> {
  return Array.from({length: reply.length / 2}, (_, index) => [String(reply[2 * index]), reply[2 * index + 1]]);
}

function toCounters(fields: ReadonlyArray<readonly [name: string, value: unknown]>): Counters {
  const counts = new Map(fields.filter(([, value]) => value !== null).map(([name, value]) => [name, Number(value)]));
  const at = counts.get('at');
  counts.delete('at');
  return {counts, at};
}
