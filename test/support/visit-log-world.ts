import {nanoid} from 'nanoid';
import {ShortUrlError} from '../../src/errors.ts';
import {VisitLog} from '../../src/visits/visit-log.ts';
import type {Addition, Batch, Store} from '../../src/store/port.ts';
import {memoryStore} from './store-stub.ts';

/** A batch that waits until the test passes it on. */
export interface Gate {
  readonly batch: Batch;
  /** The additions by the first key of each. */
  readonly adds: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly pass: () => Promise<void>;
  /** Makes it fail, before or after it was stored. */
  readonly fail: (error: Error, when?: 'before' | 'after') => Promise<void>;
}

/** A log on a store whose batches and outages the test controls. */
export function start() {
  const inner = memoryStore();
  const gates: Gate[] = [];
  const waiting: Array<(gate: Gate) => void> = [];
  let outage: Promise<void> | undefined;
  const count = (batch: Batch): Promise<readonly boolean[]> =>
    new Promise((resolve, reject) => {
      const gate: Gate = {
        batch,
        adds: Object.fromEntries(batch.additions.map(({keys: [key = ''], adds: [add = {}]}) => [key, add])),
        pass: async () => {
          resolve(await inner.count(batch));
        },
        fail: async (error, when = 'before') => {
          if (when === 'after') await inner.count(batch);
          reject(error);
        },
      };
      const waiter = waiting.shift();
      if (waiter) waiter(gate);
      else gates.push(gate);
    });
  const store: Store = new Proxy(inner, {
    get(target, name: keyof Store) {
      if (name === 'count') return count;
      if (name === 'isAway') return outage !== undefined;
      if (name === 'whenBack') return () => outage ?? Promise.resolve();
      return (Reflect.get(target, name) as () => unknown).bind(target);
    },
  });
  const errors: ShortUrlError[] = [];
  return {
    store: inner,
    log: new VisitLog(store, (error) => errors.push(error)),
    errors,
    /** Batches that `next` has not returned yet. */
    gates,
    next: async (): Promise<Gate> => gates.shift() ?? new Promise((resolve) => waiting.push(resolve)),
    /** Makes the store be away until the returned function is called. */
    leave: (): (() => void) => {
      let end = (): void => undefined;
      outage = new Promise((resolve) => {
        end = () => {
          outage = undefined;
          resolve();
        };
      });
      return end;
    },
  };
}

/** Makes visits of a link with its current record. */
export async function linkOn(store: Store, name: string): Promise<(at: number, day?: string) => Addition> {
  const key = `link:${name}`;
  await store.insert(key, {name});
  const entry = await store.get(key);
  const link = {key, revision: entry?.revision};
  return (at, day = 'd1') => ({link, keys: [name], adds: [{visits: 1, [day]: 1}], at});
}

/** Changes a link, so that visits with its old record are not counted. */
export async function change(store: Store, name: string): Promise<void> {
  const entry = await store.get(`link:${name}`);
  await store.replace(`link:${name}`, entry?.revision, nanoid());
}
