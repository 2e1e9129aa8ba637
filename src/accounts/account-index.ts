import {sequences} from '../link/records.ts';
import type {Store} from '../store/port.ts';
import {type End, lastPosition, type OrderedIndex, type Range, walk} from '../store/walk.ts';
import {type LiveAccount} from './record.ts';
import {accountPointers, accountRecords} from './records.ts';

/** How many positions are read at once: about 100 kB of accounts. */
const chunk = 200;

const index: OrderedIndex = {
  sequence: sequences.key('account'),
  areUsed: async (store, positions) => {
    const pointers = await accountPointers.in(store).getMany(positions);
    return pointers.map((pointer) => pointer !== undefined);
  },
};

export interface Chunk extends End {
  readonly accounts: readonly LiveAccount[];
  readonly covered: number;
}

/**
 * All accounts in the order of their creation: a sequence of pointers, each written before its account. A pointer counts
 * only if its account is live and names its position: a crash during a creation leaves one without an account.
 */
export class AccountIndex {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Takes the next position. Skips one that is in use, which happens if the store has lost its last writes. */
  async reserve(account: string): Promise<number> {
    for (;;) {
      const position = await sequences.in(this.#store).increment('account');
      if (await accountPointers.in(this.#store).insert(position, {account})) return position;
    }
  }

  async release(position: number): Promise<void> {
    await accountPointers.in(this.#store).remove(position);
  }

  async at(position: number): Promise<LiveAccount | undefined> {
    const pointer = await accountPointers.in(this.#store).get(position);
    const account = pointer && (await accountRecords.in(this.#store).get(pointer.value.account))?.value;
    return account?.state === 'live' && account.position === position ? account : undefined;
  }

  async sample(size: number): Promise<readonly LiveAccount[]> {
    const last = await lastPosition(this.#store, index);
    const some = Array.from({length: size}, (_, number) => [1 + number, last - number]).flat();
    return this.#accountsAt(Array.from(new Set(some)).filter((position) => position >= 1 && position <= last));
  }

  /**
   * Yields the accounts in chunks. Accounts that are created meanwhile may be missing.
   *
   * @param first how many positions to read first. The number doubles with every chunk
   */
  read({first = chunk, ...range}: Range & {readonly first?: number} = {}): AsyncGenerator<Chunk> {
    return walk(this.#store, index, {...range, first: Math.min(first, chunk)}, async (positions) => {
      const covered = positions.length;
      return {accounts: await this.#accountsAt(positions), covered, next: Math.min(2 * covered, chunk)};
    });
  }

  async #accountsAt(positions: readonly number[]): Promise<LiveAccount[]> {
    const pointers = await accountPointers.in(this.#store).getMany(positions);
    const found = positions.flatMap((position, index) => {
      const account = pointers[index]?.value.account;
      return account === undefined ? [] : [{position, account}];
    });
    const entries = await accountRecords.in(this.#store).getMany(found.map(({account}) => account));
    return found.flatMap(({position}, index) => {
      const account = entries[index]?.value;
      return account?.state === 'live' && account.position === position ? [account] : [];
    });
  }
}
