import {storeKey} from '../../store/key.ts';
import type {Store} from '../../store/port.ts';

const key = (owner: string): string => storeKey('import', owner);

/**
 * Notes that an import into an account has begun.
 *
 * @returns whether an earlier import was interrupted
 */
export async function begin(store: Store, owner: string, now: number): Promise<boolean> {
  return !(await store.insert(key(owner), {begun: now}));
}

/** Notes that the import has ended. */
export async function end(store: Store, owner: string): Promise<void> {
  await store.remove(key(owner));
}
