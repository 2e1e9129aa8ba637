import {countUnchanged, placesOf, type WholeBatch} from '../batches.ts';
import {sumByKey} from '../counting.ts';
import type {Deadline} from '../deadline.ts';
import {type CounterRows, type Driver, nextCounter} from '../driver.ts';
import type {Addition, Batch, Counters, Inspection, KeyKind, KeyPart} from '../port.ts';
import type {RedisConnection} from './connection.ts';
import {inspectRedis} from './inspect.ts';
import {scanMasters} from './masters.ts';
import {countScript, replaceScript, type Script} from './scripts.ts';

/** The most keys in one `MGET`, so that a long reply does not delay the others. */
const maxKeysPerRead = 200;

/** How long the last batch of a writer is remembered, in seconds. */
const writerLife = 86_400;

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
    if (!this.#connection.isCluster) return this.#count(batch.writer, batch, deadline);
    return countByTag(batch, (tag, part) => this.#count(`${batch.writer}:${tag}`, part, deadline));
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

  #count(writer: string, {number, additions}: Batch, deadline: Deadline): Promise<boolean[]> {
    const store = async ({places, links, added, kinds}: WholeBatch): Promise<readonly number[] | undefined> => {
      const keys = [writer, ...links.map(({key}) => key), ...added.map(({key}) => key)];
      const names = kinds.map((add) => Object.entries(add).flat());
      const text = JSON.stringify([names, added.map(({kind, at}) => [kind + 1, at])]);
      const records = links.map(({revision}) => revision as string);
      const parameters = [String(number), String(writerLife), places.join(), String(links.length), text, ...records];
      const result = await this.#run(countScript, keys, parameters, deadline);
      return result === null ? undefined : placesOf(result as string);
    };
    const read = (keys: readonly string[]): Promise<unknown[]> => this.read(keys, deadline);
    return countUnchanged(additions, {store, read});
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

/**
 * On a cluster the keys of one command must share a hash tag, so the batch is split by tag, and each part is remembered
 * under its tag. Counters with another tag than the link's, which are the totals of its account, are sent at the same
 * time. A link is rarely refused, and then its part of the totals is subtracted. If the process is killed in between, the
 * totals stay too high by the refused visits.
 */
async function countByTag(
  {writer, number, additions}: Batch,
  count: (tag: string, part: Batch) => Promise<boolean[]>,
): Promise<boolean[]> {
  const countAll = async (parts: Map<string, Addition[]>, step: string): Promise<Set<Addition>> => {
    const counted = new Set<Addition>();
    const countPart = async ([tag, part]: readonly [string, Addition[]]): Promise<void> => {
      const results = await count(step + tag, {writer, number, additions: part});
      for (const [index, addition] of part.entries()) if (results[index] === true) counted.add(addition);
    };
    await Promise.all(Array.from(parts, countPart));
    return counted;
  };
  const own = additions.map((addition) => ({...addition, counters: addition.counters.slice(0, 1)}));
  // Each step has records of its batches, because two steps may have the same tag.
  const [counted] = await Promise.all([countAll(byTag(own), ''), countAll(byTag(others(additions, 1)), 'others:')]);
  const isCounted = own.map((addition) => counted.has(addition));
  const refused = additions.filter((_, index) => !isCounted[index]);
  await countAll(byTag(others(refused, -1)), 'undo:');
  return isCounted;
}

/** The sums of the counters after the first of each addition, times `sign`. */
function others(additions: readonly Addition[], sign: 1 | -1): Addition[] {
  const sums = sumByKey(additions.map(({counters, at}) => ({counters: counters.slice(1), at})));
  return Array.from(sums, ([key, {counts, at}]) => {
    const add = Object.fromEntries(Object.entries(counts).map(([name, n]) => [name, sign * n]));
    return {counters: [{key, add}], at};
  });
}

function byTag(additions: readonly Addition[]): Map<string, Addition[]> {
  const parts = new Map<string, Addition[]>();
  for (const addition of additions) {
    const key = addition.counters[0]?.key ?? '';
    // A key without a tag is hashed as a whole, as a tag with the same text is.
    const tag = `{${/\{(.+?)\}/.exec(key)?.[1] ?? key}}`;
    const part = parts.get(tag);
    if (part) part.push(addition);
    else parts.set(tag, [addition]);
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
