import {performance} from 'node:perf_hooks';
import {ShortUrlError} from '../../errors.ts';
import type {Deadline} from '../failing/deadline.ts';
import type {FormatGuard} from '../format.ts';
import type {Call} from './deadlines.ts';

/** The pause after which another absent record makes the process look whether the store has lost its data, in milliseconds. */
const lookPause = 1000;

const lossMessage =
  'The store has lost the data of the site: it was emptied, or it is another store now. ' +
  'Restore a backup, and check that the server saves its data: npx koa-short-url check.';

/**
 * Lets operations through when the store has our format, and looks whether the store still has the data that this process
 * has found in it. A server without persistence comes back empty, for example.
 */
export class Admission {
  readonly #format: FormatGuard | undefined;
  readonly #call: Call;
  readonly #onLoss: (error: ShortUrlError) => void;
  /** Whether the store has our format, so that operations are not checked. */
  #isOpen: boolean;
  /** Whether the store had no data or is a copy that no site has used, so that it may be read. */
  #isUnused = false;
  #loss: ShortUrlError | undefined;
  #lookedAt = 0;
  /** The checks that are under way, by whether they are for a write. */
  readonly #checks = new Map<boolean, Promise<void>>();

  /** @param format undefined for a store that takes values of any form, and is always open */
  constructor(format: FormatGuard | undefined, call: Call, onLoss: (error: ShortUrlError) => void) {
    this.#format = format;
    this.#call = call;
    this.#onLoss = onLoss;
    this.#isOpen = format === undefined;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get loss(): ShortUrlError | undefined {
    return this.#loss;
  }

  /**
   * Checks the format of the store before the first operation, and again before the first write.
   *
   * @throws ShortUrlError `store_unavailable` for another format
   */
  async admit(isWrite: boolean): Promise<void> {
    const format = this.#format;
    if (format === undefined || this.#isOpen || (this.#isUnused && !isWrite)) return;
    let check = this.#checks.get(isWrite);
    if (check === undefined) {
      const admits = async (deadline: Deadline): Promise<void> => {
        this.#isOpen = await format.admits(isWrite, deadline);
        this.#isUnused = !this.#isOpen;
      };
      check = Promise.resolve(this.#call(admits)).finally(() => this.#checks.delete(isWrite));
      this.#checks.set(isWrite, check);
    }
    await check;
  }

  /** Looks whether the store has lost its data. Then the format is checked again. */
  async look(deadline: Deadline): Promise<void> {
    if (this.#format === undefined) return;
    this.#lookedAt = performance.now();
    const isKept = await this.#format.isKept(deadline);
    if (isKept) this.#loss = undefined;
    if (isKept || this.#loss) return;
    this.#loss = new ShortUrlError('internal_error', lossMessage);
    this.#isOpen = false;
    this.#isUnused = false;
    this.#onLoss(this.#loss);
  }

  /** An absent record may be the first sign of a loss. One key is read for it, at most once a second. */
  lookAfterAbsence(): void {
    if (this.#format === undefined || !this.#isOpen || performance.now() - this.#lookedAt <= lookPause) return;
    const look = async (): Promise<void> => this.#call((deadline) => this.look(deadline));
    look().catch(() => undefined);
  }
}
