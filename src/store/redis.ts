import type {Driver} from './driver.ts';
import {GatheredReads} from './gathered-reads.ts';
import type {DailyTally, Tally, VisitBatch} from './port.ts';
import {addVisitsScript, readTallyScript, replaceScript, type Script} from './redis-scripts.ts';
import {batchDay, unpackDay} from './tally.ts';

/** A way to a Redis server, or to the one of many that holds a key. */
export interface RedisConnection {
  /** How many keys one command may name: a cluster spreads them over its nodes and takes one. */
  readonly keysPerCommand: number;

  /**
   * Sends a command that concerns `key` and resolves with the reply. Rejects when the reply is not there in time,
   * and then sees to it that a command that has not left yet never does. A command that may have been carried out is
   * never sent again.
   */
  send(key: string, command: readonly string[]): Promise<unknown>;

  /** Resolves when every server answers that commands may have to go to. */
  ping(): Promise<void>;

  close(): Promise<void>;
}

/** Uses what Redis does in one step: `SET NX`, `INCR`, and Lua for what must look before it writes. */
export class RedisDriver implements Driver {
  readonly guarantee = 'store';
  readonly keepsObjects = false;
  readonly #connection: RedisConnection;
  readonly #reads = new GatheredReads((keys) => this.getMany(keys));

  constructor(connection: RedisConnection) {
    this.#connection = connection;
  }

  get(key: string): Promise<unknown> {
    return this.#reads.get(key);
  }

  async getMany(keys: readonly string[]): Promise<unknown[]> {
    const replies = await Promise.all(
      chunks(keys, this.#connection.keysPerCommand).map((some) =>
        this.#connection.send(some[0] ?? '', ['MGET', ...some]),
      ),
    );
    return (replies as unknown[][]).flat().map((reply) => reply ?? undefined);
  }

  async insert(key: string, record: unknown): Promise<boolean> {
    return (await this.#connection.send(key, ['SET', key, record as string, 'NX'])) !== null;
  }

  async replace(key: string, expected: unknown, record: unknown): Promise<boolean> {
    return (await this.#run(replaceScript, [key], [expected as string, record as string])) === 1;
  }

  async remove(key: string): Promise<void> {
    await this.#connection.send(key, ['DEL', key]);
  }

  async increment(key: string): Promise<number> {
    return Number(await this.#connection.send(key, ['INCR', key]));
  }

  async current(key: string): Promise<number> {
    return Number((await this.#connection.send(key, ['GET', key])) ?? 0);
  }

  async addVisits({writer, number, additions}: VisitBatch): Promise<void> {
    const {place, start, end} = batchDay(additions);
    const batch = [writer, number, `d:${place}`, start, end].map(String);
    await Promise.all(
      chunks(additions, this.#connection.keysPerCommand).map((some) =>
        this.#run(
          addVisitsScript,
          some.map(({key}) => key),
          [...batch, ...some.flatMap(({visits, lastVisit}) => [String(visits), String(lastVisit)])],
        ),
      ),
    );
  }

  async getTallies(keys: readonly string[]): Promise<Tally[]> {
    const replies = await Promise.all(keys.map((key) => this.#connection.send(key, ['HMGET', key, 'visits', 'last'])));
    return (replies as Array<[string | null, string | null]>).map(([visits, last]) => ({
      visits: Number(visits ?? 0),
      lastVisit: last === null ? undefined : Number(last),
    }));
  }

  async getDailyTally(key: string): Promise<DailyTally> {
    const reply = (await this.#run(readTallyScript, [key], [])) as string[];
    const fields = new Map<string, string>();
    for (let index = 0; index < reply.length; index += 2) fields.set(reply[index] ?? '', reply[index + 1] ?? '');
    const days = Array.from(fields)
      .filter(([field]) => field.startsWith('d:'))
      .map(([, packed]) => unpackDay(Number(packed)));
    const last = fields.get('last');
    return {
      visits: Number(fields.get('visits') ?? 0),
      lastVisit: last === undefined ? undefined : Number(last),
      days,
    };
  }

  ping(): Promise<void> {
    return this.#connection.ping();
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  /** Sends the script's name alone; a server that has been restarted wants the text once more. */
  async #run({text, digest}: Script, keys: readonly string[], parameters: readonly string[]): Promise<unknown> {
    const key = keys[0] ?? '';
    const rest = [String(keys.length), ...keys, ...parameters];
    try {
      return await this.#connection.send(key, ['EVALSHA', digest, ...rest]);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return this.#connection.send(key, ['EVAL', text, ...rest]);
    }
  }
}

function chunks<Item>(items: readonly Item[], size: number): Array<readonly Item[]> {
  if (items.length <= size) return [items];
  return Array.from({length: Math.ceil(items.length / size)}, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}
