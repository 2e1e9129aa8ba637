import {setImmediate} from 'node:timers/promises';
import {storeKey} from '../store/key.ts';
import type {Store} from '../store/port.ts';

/** How many positions are read at once: about 100 kB of accounts. */
const chunk = 200;

export const accountPositions = storeKey('sequence', 'account');
export const pointerKey = (position: number): string => storeKey('accounts', String(position));

interface Pointer {
  readonly account: string;
}

/** A position and the account it was reserved for. It is valid only if the account's record names the position. */
export interface Position extends Pointer {
  readonly position: number;
}

/** All accounts in the order of their creation: a sequence of pointers, each written before its account. */
export class AccountIndex {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Takes the next position. Skips one that is in use, which happens if the store has lost its last writes. */
  async reserve(account: string): Promise<number> {
    const pointer: Pointer = {account};
    for (;;) {
      const position = await this.#store.increment(accountPositions);
      if (await this.#store.insert(pointerKey(position), pointer)) return position;
    }
  }

  /** Removes the pointer at a position that no account needs. */
  async release(position: number): Promise<void> {
    await this.#store.remove(pointerKey(position));
  }

  /** The reserved positions among the first and the last positions, a few of each. */
  async sample(size: number): Promise<readonly Position[]> {
    const last = await this.#store.current(accountPositions);
    const some = Array.from({length: size}, (_, index) => [1 + index, last - index]).flat();
    return this.#read(Array.from(new Set(some)).filter((position) => position >= 1 && position <= last));
  }

  /** Yields the reserved positions in chunks. */
  async *read(): AsyncGenerator<readonly Position[]> {
    const last = await this.#store.current(accountPositions);
    for (let start = 1, isEnd = false; !isEnd; start += chunk) {
      const some = Array.from({length: chunk}, (_, index) => start + index);
      const positions = await this.#read(some);
      // Read past `last` until a chunk is empty: a failover may have lost the counter's last values.
      isEnd = positions.length === 0 && start + chunk > last;
      yield positions;
      // A store in memory never waits for I/O, so let other work run.
      await setImmediate();
    }
  }

  async #read(some: readonly number[]): Promise<Position[]> {
    const pointers = await this.#store.getMany<Pointer>(some.map(pointerKey));
    return some.flatMap((position, index) => {
      const pointer = pointers[index]?.value;
      return pointer ? [{position, account: pointer.account}] : [];
    });
  }
}
