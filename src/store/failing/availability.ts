import {performance} from 'node:perf_hooks';
import {setTimeout as delay} from 'node:timers/promises';
import type {ShortUrlError} from '../../errors.ts';

/** Pauses between two pings of a store that is away, in milliseconds. */
const minPause = 50;
const maxPause = 1000;

/** Failures that follow within this time are the same outage, in milliseconds. */
const minGap = 1000;

/** After this time without a failure the next one is another outage, in milliseconds, also if no operation succeeded. */
const maxGap = 60_000;

/**
 * Tracks outages. An outage begins with a failed operation or a lost connection, and ends when a ping is answered. So on
 * a cluster an answer of one node does not end the outage of another.
 *
 * An outage is reported once. A store that answers pings but refuses operations, or only writes, would be reported with
 * every retry. So after an outage, failures are not reported again until an operation has succeeded (if a write had failed,
 * a write) or a minute has passed without a failure.
 */
export class Availability {
  readonly #ping: () => Promise<unknown>;
  readonly #onOutage: (error: ShortUrlError) => void;
  readonly #clock: () => number;
  readonly #closing = new AbortController();
  #back: Promise<void> | undefined;
  #since = 0;
  #lastFailure = Number.NEGATIVE_INFINITY;
  #hasWriteFailed = false;
  #writeFailure: ShortUrlError | undefined;
  #hasSucceeded = true;

  /**
   * @param ping checks whether the store answers; must settle in bounded time
   * @param onOutage called once per outage, when it begins
   * @param clock a monotonic clock in milliseconds
   */
  constructor(ping: () => Promise<unknown>, onOutage: (error: ShortUrlError) => void, clock = () => performance.now()) {
    this.#ping = ping;
    this.#onOutage = onOutage;
    this.#clock = clock;
  }

  get isAway(): boolean {
    return this.#back !== undefined;
  }

  /** When the current outage began, in milliseconds since the epoch. */
  get awaySince(): number | undefined {
    return this.isAway ? this.#since : undefined;
  }

  /** Why the last write has failed; undefined if one has succeeded since, or a minute has passed without a failure. */
  get writeFailure(): ShortUrlError | undefined {
    return this.#clock() - this.#lastFailure > maxGap ? undefined : this.#writeFailure;
  }

  /** Resolves when the store answers again, or is closed. */
  async whenBack(): Promise<void> {
    await this.#back;
  }

  /**
   * Records a failed operation or a lost connection.
   *
   * @param isWrite whether the operation was to write
   */
  failed(error: ShortUrlError, isWrite = false): void {
    if (this.#closing.signal.aborted) return;
    const pause = this.#clock() - this.#lastFailure;
    const isNew = this.#back === undefined && pause > (this.#hasSucceeded ? minGap : maxGap);
    this.#lastFailure = this.#clock();
    this.#hasWriteFailed = isWrite || (this.#hasWriteFailed && !isNew);
    if (isWrite) this.#writeFailure = error;
    this.#hasSucceeded = false;
    if (this.#back === undefined) this.#since = Date.now();
    this.#back ??= this.#waitForAnswer();
    if (isNew) this.#onOutage(error);
  }

  succeeded(isWrite: boolean): void {
    if (isWrite) this.#writeFailure = undefined;
    if (this.#back === undefined && (isWrite || !this.#hasWriteFailed)) this.#hasSucceeded = true;
  }

  close(): void {
    this.#closing.abort();
  }

  async #waitForAnswer(): Promise<void> {
    const {signal} = this.#closing;
    for (let pause = minPause; !signal.aborted; pause = Math.min(pause * 2, maxPause)) {
      try {
        await this.#ping();
        break;
      } catch {
        this.#lastFailure = this.#clock();
        await delay(pause, undefined, {signal, ref: false}).catch(() => undefined);
      }
    }
    this.#back = undefined;
  }
}
