import {setImmediate} from 'node:timers/promises';
import type {ShortUrlError} from './errors.ts';

/** Whose work it is. */
export interface Owner {
  readonly account: string;
  /** Who asks; undefined for the account itself. */
  readonly client?: string | undefined;
}

/** How much of an account itself may run or wait when others have taken all places, up to ten times as much in all. */
const reserved = 10;

export interface TurnBounds {
  /** How much work runs at once. */
  readonly running: number;
  /** How much of it for one account; by default all. */
  readonly runningOfAccount?: number;
  /** How much runs or waits. */
  readonly all: number;
  /** How much of the clients of one account, so that a flood at it leaves room for others; by default all. */
  readonly ofAccount?: number;
  /** How much of one client, and of an account itself. */
  readonly ofClient: number;
}

/**
 * Runs work in turns, a bounded number at once. Accounts that wait take turns, and so do the clients of each, so that none
 * of them delays the others for long. Each turn begins in a new round of the event loop.
 */
export class Turns {
  readonly #bounds: Required<TurnBounds>;
  readonly #refusal: () => ShortUrlError;
  /** How much runs or waits: of all, of the clients of each account, and of each client. */
  readonly #taken = new Map<string, number>();
  /** How much runs: of all, and of each account. */
  readonly #running = new Map<string, number>();
  /** What each client of each account waits for, the next account and the next client first. */
  readonly #waiting = new Map<string, Map<string, Array<() => void>>>();

  constructor(bounds: TurnBounds, refusal: () => ShortUrlError) {
    this.#bounds = {runningOfAccount: bounds.running, ofAccount: bounds.all, ...bounds};
    this.#refusal = refusal;
  }

  /** @throws the refusal, without running the work, if too much runs or waits */
  async run<Result>({account, client}: Owner, work: () => Promise<Result>): Promise<Result> {
    const {all, ofAccount, ofClient} = this.#bounds;
    const taken = (name: string): number => this.#taken.get(name) ?? 0;
    const owner = `owner ${account}`;
    const places: ReadonlyArray<readonly [name: string, max: number]> =
      client === undefined
        ? [
            ['all', taken(owner) < reserved ? 10 * all : all],
            [owner, ofClient],
          ]
        : [
            ['all', all],
            [`client ${client}`, ofClient],
            [`account ${account}`, ofAccount],
          ];
    if (places.some(([name, max]) => taken(name) >= max)) throw this.#refusal();
    for (const [name] of places) add(this.#taken, name, 1);
    try {
      if (this.#isFree(account)) this.#change(account, 1);
      else await this.#turn(account, client ?? '');
      try {
        await setImmediate();
        return await work();
      } finally {
        this.#change(account, -1);
        this.#next();
      }
    } finally {
      for (const [name] of places) add(this.#taken, name, -1);
    }
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
    const {running, runningOfAccount} = this.#bounds;
    return (
      (this.#running.get('all') ?? 0) < running && (this.#running.get(`account ${account}`) ?? 0) < runningOfAccount
    );
  }

  #change(account: string, by: 1 | -1): void {
    add(this.#running, 'all', by);
    add(this.#running, `account ${account}`, by);
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
