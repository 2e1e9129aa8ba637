import {readCounters, sumByKey} from '../../src/store/batching/counting.ts';
import type {CounterRows, Driver, Listing, RecordRow} from '../../src/store/driver.ts';
import type {Deadline} from '../../src/store/failing/deadline.ts';
import type {Addition, Batch, Counters, KeyKind} from '../../src/store/port.ts';
import type {Server} from './server.ts';
import type {Process} from './timeline.ts';
import {type Network, Wire} from './wire.ts';

/** How many keys are listed at once. */
const listed = 100;

/**
 * Our picture of an engine. It does what the port allows, and no more: each key is touched by itself, in any order, and no
 * write after its deadline.
 */
export class SimulatedDriver implements Driver {
  readonly engine = 'simulated';
  readonly guarantee = 'store';
  readonly isRemote = true;
  readonly #network: Network;
  readonly #server: Server;
  readonly #wire: Wire;

  /** @param server the content that the commands read and change */
  constructor(network: Network, process: Process, server = network.server) {
    this.#network = network;
    this.#server = server;
    this.#wire = new Wire(network, process, server);
  }

  read(keys: readonly string[], deadline: Deadline): Promise<unknown[]> {
    return this.#send('read', keys, deadline, (key) => this.#server.read(key));
  }

  insert(rows: readonly RecordRow[], deadline: Deadline): Promise<boolean[]> {
    const byKey = new Map(rows.map((row) => [row[0], row]));
    return this.#write('insert', Array.from(byKey.keys()), deadline, (key) => {
      const [, record, life] = byKey.get(key) ?? [];
      return this.#server.insert(key, record as string, life);
    });
  }

  async replace([key, record, life]: RecordRow, expected: unknown, deadline: Deadline): Promise<boolean> {
    const replace = (): boolean => this.#server.replace(key, expected, record as string | undefined, life);
    return first(await this.#write('replace', [key], deadline, replace));
  }

  async remove(key: string, deadline: Deadline): Promise<void> {
    await this.#write('remove', [key], deadline, () => this.#server.records.delete(key));
  }

  async count(batch: Batch, deadline: Deadline): Promise<readonly boolean[]> {
    return this.#network.isCluster ? this.#countByKey(batch, deadline) : this.#count(batch, deadline);
  }

  increment(steps: ReadonlyArray<readonly [key: string, by: number]>, deadline: Deadline): Promise<number[]> {
    const bys = new Map(steps);
    return this.#write('increment', Array.from(bys.keys()), deadline, (key) =>
      this.#server.increment(key, bys.get(key) ?? 0),
    );
  }

  getCounters(
    keys: readonly string[],
    names: readonly string[] | undefined,
    deadline: Deadline,
  ): Promise<readonly Counters[]> {
    return this.#send('getCounters', keys, deadline, (key) => readCounters(this.#server.counters.get(key), names));
  }

  async removeCounters(key: string, names: readonly string[] | undefined, deadline: Deadline): Promise<void> {
    await this.#write('removeCounters', [key], deadline, () => {
      this.#server.removeCounters(key, names);
    });
  }

  async setCounters(rows: CounterRows, deadline: Deadline): Promise<void> {
    const counters = new Map(rows);
    await this.#write('setCounters', Array.from(counters.keys()), deadline, (key) => {
      const set = counters.get(key);
      if (set) this.#server.setCounters(key, set);
    });
  }

  keys(kind: KeyKind, prefix: string): Listing {
    let last: string | undefined = '';
    return async (deadline) => {
      const list = (): string[] => {
        const isThere = (key: string): boolean => kind === 'counters' || this.#server.read(key) !== undefined;
        const all = Array.from(this.#server[kind].keys()).filter((key) => key.startsWith(prefix) && isThere(key));
        return all
          .filter((key) => last !== undefined && key > last)
          .sort()
          .slice(0, listed);
      };
      if (last === undefined) return undefined;
      const keys = first(await this.#send('keys', [prefix], deadline, list));
      last = keys.length === listed ? keys.at(-1) : undefined;
      return keys;
    };
  }

  async ping(deadline: Deadline): Promise<void> {
    await this.#send('ping', [''], deadline, () => undefined);
  }

  close(): void {
    // There is nothing to close.
  }

  async #count(batch: Batch, deadline: Deadline): Promise<readonly boolean[]> {
    const name = `${batch.writer} ${batch.number}`;
    const touched = batch.additions.flatMap(({link, keys}) => [
      ...(link === undefined ? [] : [`records ${link.key}`]),
      ...keys.map((key) => `counters ${key}`),
    ]);
    return first(await this.#write('count', [name], deadline, () => this.#server.count(batch), touched));
  }

  /** As on Redis Cluster: the keys of each hash tag in one step, then the totals of those that were counted. */
  async #countByKey({writer, number, additions}: Batch, deadline: Deadline): Promise<readonly boolean[]> {
    const part = async (key: string, some: readonly Addition[]): Promise<readonly boolean[]> =>
      this.#count({writer: `${writer}:${key}`, number, additions: some}, deadline);
    const counted = new Map<Addition, boolean>();
    const links = new Map<string, Addition[]>();
    for (const addition of additions) {
      const [key = ''] = /\{.*\}/.exec(addition.keys[0] ?? '') ?? addition.keys;
      links.set(key, [...(links.get(key) ?? []), addition]);
    }
    await Promise.all(
      Array.from(links, async ([key, some]) => {
        const results = await part(
          key,
          some.map(({link, keys, adds, at}) => ({link, keys: keys.slice(0, 1), adds: adds.slice(0, 1), at})),
        );
        for (const [index, addition] of some.entries()) counted.set(addition, results[index] === true);
      }),
    );
    const others = sumByKey(
      additions
        .filter((addition) => counted.get(addition))
        .map(({keys, adds, at}) => ({keys: keys.slice(1), adds: adds.slice(1), at})),
    );
    await Promise.all(
      Array.from(others, ([key, {counts: add, at}]) => part(`others:${key}`, [{keys: [key], adds: [add], at}])),
    );
    return additions.map((addition) => counted.get(addition) === true);
  }

  #write<Result>(
    name: string,
    keys: readonly string[],
    deadline: Deadline,
    touch: (key: string) => Result,
    touched?: readonly string[],
  ): Promise<Result[]> {
    return this.#wire.send({name, keys, deadline, touch, isWrite: true, touched});
  }

  #send<Result>(
    name: string,
    keys: readonly string[],
    deadline: Deadline,
    touch: (key: string) => Result,
  ): Promise<Result[]> {
    return this.#wire.send({name, keys, deadline, touch});
  }
}

function first<Result>([result]: readonly Result[]): Result {
  return result as Result;
}
