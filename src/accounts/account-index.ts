import {setImmediate} from 'node:timers/promises';
import {storeKey} from '../store/key.ts';
import type {Store} from '../store/port.ts';

/** Positions that are read at once: about 100 kB of accounts. */
const chunk = 200;

export const accountPositions = storeKey('sequence', 'account');
export const placeKey = (position: number): string => storeKey('accounts', String(position));

interface Pointer {
  readonly account: string;
}

/** A position, and the account that was to have it. Whether it has it is for the account's record to say. */
export interface Place extends Pointer {
  readonly position: number;
}

/** All accounts in the order of their creation: a sequence of pointers, each written before its account. */
export class AccountIndex {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Takes the next position. One that is given again, because the store lost its last writes, is left alone. */
  async reserve(account: string): Promise<number> {
    const pointer: Pointer = {account};
    for (;;) {
      const position = await this.#store.increment(accountPositions);
      if (await this.#store.insert(placeKey(position), pointer)) return position;
    }
  }

  /** Gives up a position that the account does not have, or no longer has. */
  async release(position: number): Promise<void> {
    await this.#store.remove(placeKey(position));
  }

  /** The places that are taken, a chunk at a time. */
  async *read(): AsyncGenerator<readonly Place[]> {
    const last = await this.#store.current(accountPositions);
    for (let start = 1, isEnd = false; !isEnd; start += chunk) {
      const some = Array.from({length: chunk}, (_, index) => start + index);
      const pointers = await this.#store.getMany<Pointer>(some.map(placeKey));
      const places = some.flatMap((position, index) => {
        const pointer = pointers[index]?.value;
        return pointer ? [{position, account: pointer.account}] : [];
      });
      // A failover may have lost the last positions that were given, and not their accounts.
      isEnd = places.length === 0 && start + chunk > last;
      yield places;
      // A store within the process answers without a pause.
      await setImmediate();
    }
  }
}
