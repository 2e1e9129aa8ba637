import {accountPositions, pointerKey, accountKey} from '../records.ts';
import {setImmediate} from 'node:timers/promises';
import type {Store} from '../store/port.ts';
import {type AccountRecord, type LiveAccount} from './record.ts';

/** How many positions are read at once: about 100 kB of accounts. */
const chunk = 200;

interface Pointer {
  readonly account: string;
}

/** Which part of the index to read. */
export interface Range {
  readonly order?: 'newest' | 'oldest';
  /** The last position that was read. By default the index is read from its beginning in that order. */
  readonly after?: number | undefined;
  /** How many positions to read first. The number doubles with every chunk. */
  readonly first?: number;
}

/** The accounts at some positions, in the order of the range. */
export interface Chunk {
  readonly accounts: readonly LiveAccount[];
  /** The last position in that order. */
  readonly end: number;
  /** How many positions it covers. */
  readonly size: number;
  /** Whether the index ends here. */
  readonly isLast: boolean;
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

  /** The account at a position; undefined if there is none. */
  async at(position: number): Promise<LiveAccount | undefined> {
    const pointer = await this.#store.get<Pointer>(pointerKey(position));
    const account = pointer && (await this.#store.get<AccountRecord>(accountKey(pointer.value.account)))?.value;
    return account?.state === 'live' && account.position === position ? account : undefined;
  }

  /** The accounts at the first and the last positions, at most `size` of each. */
  async sample(size: number): Promise<readonly LiveAccount[]> {
    const last = await this.#store.current(accountPositions);
    const some = Array.from({length: size}, (_, index) => [1 + index, last - index]).flat();
    return this.#accountsAt(Array.from(new Set(some)).filter((position) => position >= 1 && position <= last));
  }

  /** Yields the accounts in chunks. Accounts that are created meanwhile may be missing. */
  async *read({order = 'oldest', after, first = chunk}: Range = {}): AsyncGenerator<Chunk> {
    const last = await this.#last();
    const [begin, end, step] =
      order === 'oldest' ? [(after ?? 0) + 1, last, 1] : [Math.min((after ?? last + 1) - 1, last), 1, -1];
    let next = first;
    for (let start = begin; (end - start) * step >= 0;) {
      const size = Math.min(next, chunk, Math.abs(end - start) + 1);
      const accounts = await this.#accountsAt(Array.from({length: size}, (_, index) => start + step * index));
      start += step * size;
      next = 2 * size;
      const isLast = (end - start) * step < 0;
      yield {accounts, end: start - step, size, isLast};
      // A store in memory never waits for I/O, so let other work run.
      if (!isLast) await setImmediate();
    }
  }

  /** The last reserved position. A failover may have lost the sequence's last values, so it also looks beyond them. */
  async #last(): Promise<number> {
    for (let last = await this.#store.current(accountPositions); ;) {
      const beyond = Array.from({length: chunk}, (_, index) => last + 1 + index);
      const pointers = await this.#store.getMany<Pointer>(beyond.map(pointerKey));
      const reserved = pointers.findLastIndex((pointer) => pointer !== undefined);
      if (reserved === -1) return last;
      last += reserved + 1;
    }
  }

  async #accountsAt(positions: readonly number[]): Promise<LiveAccount[]> {
    const pointers = await this.#store.getMany<Pointer>(positions.map(pointerKey));
    const found = positions.flatMap((position, index) => {
      const pointer = pointers[index]?.value;
      return pointer ? [{position, key: accountKey(pointer.account)}] : [];
    });
    const entries = await this.#store.getMany<AccountRecord>(found.map(({key}) => key));
    return found.flatMap(({position}, index) => {
      const account = entries[index]?.value;
      return account?.state === 'live' && account.position === position ? [account] : [];
    });
  }
}
