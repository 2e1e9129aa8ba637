import {ShortUrlError} from '../../src/errors.ts';
import {openStore} from '../../src/store/opening/open.ts';
import type {Counters, Store} from '../../src/store/port.ts';

export function outage(): ShortUrlError {
  return new ShortUrlError('store_unavailable', 'The store did not answer.', {retryAfter: 1});
}

export const memoryStore = (now?: () => number): Store => openStore(new Map(), {namespace: 'test', now});

/** The value of one counter of each key. */
export async function countsOf(store: Store, keys: readonly string[], name = 'visits'): Promise<number[]> {
  const counters = await store.getCounters(keys, [name]);
  return counters.map(({counts}) => counts.get(name) ?? 0);
}

/** The store, which is reported as away while `isAway` gives true. Its operations still work. */
export function reportedAway(store: Store, isAway: () => boolean): Store {
  return new Proxy(store, {
    get: (target, name) => (name === 'isAway' ? isAway() : (Reflect.get(target, name) as unknown)),
  });
}

/** A store that calls `before` ahead of every operation, with its first argument. It may wait or throw. */
export function intercepted(
  store: Store,
  before: (operation: keyof Store, argument: unknown) => void | Promise<void>,
): Store {
  return new Proxy(store, {
    get(target, name: keyof Store) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      // A listing is no promise.
      if ((name as string) === 'keys') return member.bind(target) as unknown;
      return async (...values: unknown[]): Promise<unknown> => {
        await before(name, values[0]);
        return Reflect.apply(member, target, values) as unknown;
      };
    },
  });
}

/** A store, and how many counters were read of it. */
export function counting(store: Store): {readonly store: Store; readonly read: {counters: number}} {
  const read = {counters: 0};
  const getCounters: Store['getCounters'] = async (keys, names) => {
    const found: readonly Counters[] = await store.getCounters(keys, names);
    read.counters += found.reduce((sum, {counts}) => sum + counts.size, 0);
    return found;
  };
  const counted = new Proxy(store, {
    get(target, name) {
      if (name === 'getCounters') return getCounters;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
  return {store: counted, read};
}
