import {EventEmitter} from 'node:events';
import {setImmediate} from 'node:timers/promises';
import type {KeyvStoreAdapter} from 'keyv';

/** A Keyv storage adapter in memory that answers after other events of the process, as an engine does. */
export const slowStore = (): KeyvStoreAdapter => new SlowAdapter() as unknown as KeyvStoreAdapter;

class SlowAdapter extends EventEmitter {
  readonly opts = {};
  namespace?: string;
  readonly #values = new Map<string, unknown>();

  async get(key: string): Promise<unknown> {
    await setImmediate();
    return this.#values.get(key);
  }

  async getMany(keys: string[]): Promise<unknown[]> {
    await setImmediate();
    return keys.map((key) => this.#values.get(key));
  }

  async set(key: string, value: unknown): Promise<boolean> {
    await setImmediate();
    this.#values.set(key, value);
    return true;
  }

  async delete(key: string): Promise<boolean> {
    await setImmediate();
    return this.#values.delete(key);
  }

  async clear(): Promise<void> {
    await setImmediate();
    this.#values.clear();
  }

  async *iterator(): AsyncGenerator<[key: string, value: unknown]> {
    await setImmediate();
    yield* this.#values;
  }
}
