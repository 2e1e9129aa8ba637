import {setImmediate} from 'node:timers/promises';
import type {ShortUrlError} from './errors.ts';

/** How many places an account can take while all are taken. */
const maxOfAccount = 10;

/** Whose work it is. */
export interface Owner {
  readonly account: string;
  /** Who asks; undefined for the account itself. */
  readonly client?: string | undefined;
}

/** How many places there are. */
export interface PlaceBounds {
  readonly all: number;
  /** How many a client can take. */
  readonly ofClient: number;
}

/**
 * Places for work that is under way or waits. One account or a few clients can take all of them, but not those that are
 * added then: ten for each account, and one for each client. There are at most ten times as many in all, and the second
 * half of these is for accounts only, because addresses are cheap.
 */
export class Places {
  readonly #bounds: PlaceBounds;
  readonly #refusal: () => ShortUrlError;
  readonly #taken = new Map<string, number>();
  #all = 0;

  constructor(bounds: PlaceBounds, refusal: () => ShortUrlError) {
    this.#bounds = bounds;
    this.#refusal = refusal;
  }

  /**
   * Takes a place while the work runs.
   *
   * @throws the refusal, without running the work, if there is no place for the account or the client
   */
  async during<Result>({account, client}: Owner, work: () => Promise<Result>): Promise<Result> {
    const {all, ofClient: maxOfClient} = this.#bounds;
    const names = [`account ${account}`, client === undefined ? `owner ${account}` : `client ${client}`] as const;
    const [ofAccount, ofClient] = names.map((name) => this.#taken.get(name) ?? 0) as [number, number];
    const isFree = this.#all < all || (this.#all < 5 * all && ofClient === 0);
    const hasPlace = isFree || (this.#all < 10 * all && ofAccount < maxOfAccount);
    if (!hasPlace || ofClient >= maxOfClient) throw this.#refusal();
    this.#change(names, 1);
    try {
      return await work();
    } finally {
      this.#change(names, -1);
    }
  }

  #change(names: readonly string[], by: 1 | -1): void {
    this.#all += by;
    for (const name of names) add(this.#taken, name, by);
  }
}

/** How much of the work runs at once, and how many places there are. */
export interface TurnBounds extends PlaceBounds {
  readonly running: number;
  /** How much of it for one account; by default all. */
  readonly runningOfAccount?: number;
}

/**
 * Runs work in turns, a bounded number at once. Accounts that wait take turns, and so do the clients of each, so that none
 * of them delays the others for long. Each turn begins in a new round of the event loop.
 */
export class Turns {
  readonly #places: Places;
  readonly #max: number;
  readonly #maxOfAccount: number;
  readonly #running = new Map<string, number>();
  #all = 0;
  /** What each client of each account waits for, the next account and the next client first. */
  readonly #waiting = new Map<string, Map<string, Array<() => void>>>();

  constructor({running, runningOfAccount = running, ...places}: TurnBounds, refusal: () => ShortUrlError) {
    this.#places = new Places(places, refusal);
    this.#max = running;
    this.#maxOfAccount = runningOfAccount;
  }

  /** @throws the refusal, without running the work, if too much is waiting */
  run<Result>(owner: Owner, work: () => Promise<Result>): Promise<Result> {
    const {account, client = ''} = owner;
    return this.#places.during(owner, async () => {
      if (this.#isFree(account)) this.#change(account, 1);
      else await this.#turn(account, client);
      try {
        await setImmediate();
        return await work();
      } finally {
        this.#change(account, -1);
        this.#next();
      }
    });
  }

  /** Runs each step of a generator in a turn. Between the steps its reader does not take one. */
  async *each<Value>(owner: Owner, values: AsyncGenerator<Value>): AsyncGenerator<Value> {
    try {
      for (;;) {
        const result = await this.run(owner, () => values.next());
        if (result.done === true) return;
        yield result.value;
      }
    } finally {
      await values.return(undefined);
    }
  }

  #isFree(account: string): boolean {
    return this.#all < this.#max && (this.#running.get(account) ?? 0) < this.#maxOfAccount;
  }

  #change(account: string, by: 1 | -1): void {
    this.#all += by;
    add(this.#running, account, by);
  }

  /** Resolves when `#next` has begun a turn for the caller. */
  #turn(account: string, client: string): Promise<void> {
    const clients = this.#waiting.get(account) ?? new Map<string, Array<() => void>>();
    const waiting = clients.get(client) ?? [];
    this.#waiting.set(account, clients.set(client, waiting));
    return new Promise((resolve) => waiting.push(resolve));
  }

  #next(): void {
    for (const [account, clients] of this.#waiting) {
      const [entry] = clients;
      if (entry === undefined || !this.#isFree(account)) continue;
      const [client, waiting] = entry;
      const begin = waiting.shift();
      // After those that wait already.
      clients.delete(client);
      if (waiting.length > 0) clients.set(client, waiting);
      this.#waiting.delete(account);
      if (clients.size > 0) this.#waiting.set(account, clients);
      this.#change(account, 1);
      begin?.();
      return;
    }
  }
}

function add(counts: Map<string, number>, name: string, by: 1 | -1): void {
  const count = (counts.get(name) ?? 0) + by;
  if (count > 0) counts.set(name, count);
  else counts.delete(name);
}
