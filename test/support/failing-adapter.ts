import {EventEmitter} from 'node:events';

/** A Keyv storage adapter in memory that fails on request. */
export class FailingAdapter extends EventEmitter {
  readonly opts = {};
  namespace?: string;
  isDown = false;
  /** Whether writes are refused for lack of room. */
  isFull = false;
  /** Whether calls get no answer at all. */
  isSilent = false;
  /** Whether writes are done and then fail, as if their replies were lost. */
  losesAnswers = false;
  /** The number of calls that succeed before it goes down. */
  callsLeft = Infinity;
  protected readonly values = new Map<string, unknown>();

  async get(key: string): Promise<unknown> {
    await this.answer();
    return this.values.get(key);
  }

  async getMany(keys: string[]): Promise<unknown[]> {
    await this.answer();
    return keys.map((key) => this.values.get(key));
  }

  async set(key: string, value: unknown): Promise<boolean> {
    await this.answer();
    if (this.isFull) throw new Error('ENOSPC: no space left on device, write');
    this.values.set(key, value);
    this.#loseAnswer();
    return true;
  }

  async delete(key: string): Promise<boolean> {
    await this.answer();
    const wasThere = this.values.delete(key);
    this.#loseAnswer();
    return wasThere;
  }

  async has(key: string): Promise<boolean> {
    await this.answer();
    return this.values.has(key);
  }

  async clear(): Promise<void> {
    await this.answer();
    this.values.clear();
  }

  async disconnect(): Promise<void> {
    await Promise.resolve();
  }

  #loseAnswer(): void {
    if (this.losesAnswers) throw new Error('read ECONNRESET');
  }

  protected async answer(): Promise<void> {
    if (this.isSilent) await new Promise(() => undefined);
    this.callsLeft -= 1;
    if (this.isDown || this.callsLeft < 0) throw new Error('connect ECONNREFUSED redis://user:hunter2@127.0.0.1:6379');
  }
}
