import type {DriverSettings} from './driver.ts';
import {asError, noAnswer, within} from './failure.ts';
import {Outages} from './outages.ts';
import type {RedisAddress, RedisAddresses} from './redis-address.ts';
import {ask, clientOf} from './redis-client.ts';
import {OwnRedisConnection} from './redis-connection.ts';
import {isReply, NotSentError} from './redis-link.ts';
import {firstOf, Lookup} from './redis-lookup.ts';
import {partsOf, readSlots, redirectionOf, type SlotOwners, slotOf} from './redis-slots.ts';
import type {RedisConnection} from './redis.ts';

/** How many nodes are asked at once who has which keys. */
const nodesAsked = 8;

/** After so many redirections the nodes do not agree. */
const mostRedirections = 16;

/**
 * A Redis Cluster: one connection to each master. Who has which keys is asked when something is lost or has moved, and a
 * command that has not left yet follows at once. The node client's own cluster mode would look again only when a node
 * says `MOVED`, which a dead one never does.
 */
export class ClusterConnection implements RedisConnection {
  readonly keysPerCommand = 1;
  readonly #seeds: RedisAddresses['hosts'];
  readonly #settings: DriverSettings;
  readonly #outages: Outages;
  readonly #nodes = new Map<string, OwnRedisConnection>();
  readonly #lookup = new Lookup(() => this.#look());
  /** By slot; empty until it is known. */
  #owners: Array<string | undefined> = [];
  #closed = false;

  constructor({hosts}: RedisAddresses, settings: DriverSettings) {
    this.#seeds = hosts;
    this.#settings = settings;
    this.#outages = new Outages(settings.onError);
    this.#lookAgain();
  }

  async send(key: string, command: readonly string[]): Promise<unknown> {
    const slot = slotOf(key);
    const end = performance.now() + this.#settings.timeout;
    let asking: string | undefined;
    for (let turn = 0; turn <= mostRedirections; turn += 1) {
      const address = asking ?? this.#owners[slot] ?? (await this.#findOwner(slot, end));
      try {
        return await this.#sendTo(address, command, end, asking !== undefined);
      } catch (error) {
        const redirection = redirectionOf(error, partsOf(address).host);
        asking = redirection?.forGood === false ? redirection.address : undefined;
        if (redirection?.forGood === true) {
          this.#owners[slot] = redirection.address;
          this.#lookAgain();
        } else if (error instanceof NotSentError) {
          if ((await this.#findOwner(slot, end)) === address) throw error;
        } else if (!redirection) {
          if (!isReply(error)) this.#lookAgain();
          throw error;
        }
      }
    }
    throw new Error('The nodes of the cluster do not agree on who has a key');
  }

  async ping(): Promise<void> {
    const once = async (): Promise<void> => {
      if (this.#owners.length === 0) await this.#lookup.run();
      const pings = Array.from(new Set(this.#owners), async (address) => {
        if (address === undefined) throw new Error('Some slots of the cluster have no node');
        await this.#node(address).ping();
      });
      await Promise.all(pings);
    };
    const again = async (): Promise<void> => {
      await this.#lookup.run();
      await once();
    };
    await within(this.#settings.timeout, once().catch(again));
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#lookup.run().catch(() => undefined);
    await Promise.all(Array.from(this.#nodes.values(), (node) => node.close()));
  }

  async #sendTo(address: string, command: readonly string[], end: number, asking: boolean): Promise<unknown> {
    const left = end - performance.now();
    if (left <= 0) throw noAnswer(this.#settings.timeout);
    const node = this.#node(address);
    // The two follow each other on the connection; should they get separated, the node says so by redirecting again.
    if (asking) node.send('', ['ASKING'], left).catch(() => undefined);
    return node.send('', command, left);
  }

  async #findOwner(slot: number, end: number): Promise<string> {
    await within(Math.max(1, end - performance.now()), this.#lookup.run());
    const owner = this.#owners[slot];
    if (owner === undefined) throw new Error(`No node of the cluster has the slot ${slot}`);
    return owner;
  }

  #node(address: string): OwnRedisConnection {
    if (this.#closed) throw new Error('The connection to the cluster is closed');
    const known = this.#nodes.get(address);
    if (known) return known;
    const {timeout} = this.#settings;
    const node = new OwnRedisConnection(() => clientOf(this.#addressOf(address), timeout), {
      timeout,
      onError: (error) => {
        this.#outages.lost(address, error);
      },
      onReady: () => {
        this.#outages.back(address);
      },
    });
    this.#nodes.set(address, node);
    return node;
  }

  #addressOf(address: string): RedisAddress {
    return {...this.#seeds[0], ...partsOf(address)};
  }

  #lookAgain(): void {
    this.#lookup.run().catch(() => undefined);
  }

  async #look(): Promise<void> {
    if (this.#closed) return;
    const seeds = this.#seeds.map(({host, port}) => `${host}:${port}`);
    const nodes = shuffled([...new Set([...seeds, ...this.#nodes.keys()])]).slice(0, nodesAsked);
    try {
      const owners = await Promise.any(nodes.map((address) => this.#askForSlots(address)));
      this.#outages.back('the cluster');
      this.#leave(owners);
      this.#owners = owners;
    } catch (error) {
      const failure = firstOf(asError(error));
      this.#outages.lost('the cluster', failure);
      throw failure;
    }
  }

  async #askForSlots(address: string): Promise<Array<string | undefined>> {
    const reply = await ask(this.#addressOf(address), ['CLUSTER', 'SLOTS'], this.#settings.timeout);
    return readSlots(reply, partsOf(address).host);
  }

  /** Lets go of the nodes that have no keys any more. */
  #leave(owners: SlotOwners): void {
    const masters = new Set(owners);
    for (const [address, node] of this.#nodes) {
      if (masters.has(address)) continue;
      this.#nodes.delete(address);
      this.#outages.back(address);
      void node.close();
    }
  }
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({item, place: Math.random()}))
    .sort((a, b) => a.place - b.place)
    .map(({item}) => item);
}
