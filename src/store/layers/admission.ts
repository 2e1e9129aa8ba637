import {performance} from 'node:perf_hooks';
import {nanoid} from 'nanoid';
import {ShortUrlError, unavailable} from '../../errors.ts';
import {version} from '../../version.ts';
import type {Codec} from '../codec.ts';
import type {Driver} from '../driver.ts';
import type {Deadline} from '../failing/deadline.ts';
import {newest, notComplete} from '../findings.ts';
import {formatKey, type Packing, type StoredFormat, nextCounter} from '../port.ts';
import type {Call} from './deadlines.ts';

/** The pause after which another absent record makes the process look whether the store has lost its data, in milliseconds. */
const lookPause = 1000;

const lossMessage =
  'The store has lost the data of the site: it was emptied, or it is another store now. ' +
  'Restore a backup, and check that the server saves its data: npx koa-short-url check.';

/** The store has another format than this version reads. */
export class FormatError extends Error {
  override readonly name = 'FormatError';
}

export interface AdmissionSettings {
  /** Undefined for a store that takes values of any form, and is always open. */
  readonly packing: Packing | undefined;
  readonly codec: Codec;
  /** Adds the namespace to a key of the port. */
  readonly keyOf: (key: string) => string;
  readonly onLoss: (error: ShortUrlError) => void;
}

/**
 * Lets operations through when the store has our format, so that no process misreads its records, and looks whether the
 * store still has the data that this process has found in it. A server without persistence comes back empty, for example.
 */
export class Admission {
  readonly #driver: Driver;
  readonly #call: Call;
  readonly #settings: AdmissionSettings;
  readonly #key: string;
  /** Whether the store has our format, so that operations are not checked. */
  #isOpen: boolean;
  /** Whether the store had no data or is a copy that no site has used, so that it may be read. */
  #isUnused = false;
  /** The `id` of the store that this process was admitted to first. */
  #found: string | undefined;
  #loss: ShortUrlError | undefined;
  #lookedAt = 0;
  /** The checks that are under way, by whether they are for a write. */
  readonly #checks = new Map<boolean, Promise<void>>();

  constructor(driver: Driver, call: Call, settings: AdmissionSettings) {
    this.#driver = driver;
    this.#call = call;
    this.#settings = settings;
    this.#key = settings.keyOf(formatKey);
    this.#isOpen = settings.packing === undefined;
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
    const {packing} = this.#settings;
    if (packing === undefined || this.#isOpen || (this.#isUnused && !isWrite)) return;
    let check = this.#checks.get(isWrite);
    if (check === undefined) {
      const admits = async (deadline: Deadline): Promise<void> => {
        this.#isOpen = await this.#admits(packing, isWrite, deadline);
        this.#isUnused = !this.#isOpen;
      };
      check = Promise.resolve(this.#call(admits)).finally(() => this.#checks.delete(isWrite));
      this.#checks.set(isWrite, check);
    }
    await check;
  }

  /** Looks whether the store has lost its data. Then the format is checked again. */
  async look(deadline: Deadline): Promise<void> {
    const {packing, onLoss} = this.#settings;
    if (packing === undefined) return;
    this.#lookedAt = performance.now();
    if (this.#found !== undefined) {
      const [, stored] = await this.#read(deadline);
      // Processes that do not know the format would refuse what is written into the store meanwhile.
      if (stored === undefined) await this.#begin(packing, deadline).catch(() => undefined);
      if (stored === undefined || idOf(stored) !== this.#found) {
        if (this.#loss) return;
        this.#loss = new ShortUrlError('internal_error', lossMessage);
        this.#isOpen = false;
        this.#isUnused = false;
        onLoss(this.#loss);
        return;
      }
    }
    this.#loss = undefined;
  }

  /** An absent record may be the first sign of a loss. One key is read for it, at most once a second. */
  lookAfterAbsence(): void {
    if (this.#settings.packing === undefined || !this.#isOpen || performance.now() - this.#lookedAt <= lookPause)
      return;
    const look = async (): Promise<void> => this.#call((deadline) => this.look(deadline));
    look().catch(() => undefined);
  }

  /**
   * Reads the format of the store. Before a write, an empty store gets ours, and a copy is no longer one.
   *
   * @returns whether the store has our format; false if it is empty, or is a copy that no site has used
   */
  async #admits(packing: Packing, isWrite: boolean, deadline: Deadline): Promise<boolean> {
    let [, stored] = await this.#read(deadline);
    if (stored === undefined && (await this.#hasData(packing, deadline))) {
      // Another process may have begun the store after the first read.
      [, stored] = await this.#read(deadline);
      if (stored === undefined) throw refusal(withoutFormat);
    }
    if (stored === undefined) {
      if (!isWrite) return false;
      stored = await this.#begin(packing, deadline);
    }
    const {
      format,
      version: writer,
      ignoresCase,
      incomplete,
    } = Object(stored) as Partial<Record<keyof StoredFormat, unknown>>;
    if (format !== packing.format) {
      const number = Number.isSafeInteger(format) ? String(format) : 'an unknown number';
      const isVersion = typeof writer === 'string' && /^\d[\w.+-]{0,30}$/.test(writer);
      const reader = isVersion ? `koa-short-url ${writer}` : 'the version that wrote it';
      throw refusal(`The store has format ${number}, which koa-short-url ${version} does not read. Use ${reader}.`);
    }
    const wanted = packing.ignoresCase;
    // A tool that goes on with it does not say whether it ignores case.
    if (wanted !== undefined && typeof incomplete === 'string') throw refusal(notComplete(incomplete));
    if (wanted !== undefined && wanted !== (ignoresCase === true)) throw refusal(otherCase(wanted));
    this.#found ??= idOf(stored);
    if (wanted === undefined || isInUse(stored as StoredFormat)) return true;
    if (isWrite) await this.#beginUse(deadline);
    return isWrite;
  }

  /** Gives the store our format, if no other process does it first, and returns the stored one. */
  async #begin({format, ignoresCase}: Packing, deadline: Deadline): Promise<unknown> {
    const own: StoredFormat = {format, version, id: nanoid(12), ...(ignoresCase && {ignoresCase: true})};
    const record = await this.#settings.codec.encode(formatKey, own);
    const [inserted] = await this.#driver.insert([[this.#key, record]], deadline);
    if (inserted instanceof Error) throw inserted;
    return (await this.#read(deadline))[1];
  }

  /** Notes that a site of this version uses the store, so that no copy into it undoes what the site writes. */
  async #beginUse(deadline: Deadline): Promise<void> {
    // Another process may be faster.
    for (;;) {
      const [record, value] = await this.#read(deadline);
      const stored = value as StoredFormat | undefined;
      if (stored === undefined || isInUse(stored)) return;
      if (stored.incomplete !== undefined) throw refusal(notComplete(stored.incomplete));
      const noted: StoredFormat = {...stored, copyOf: undefined, version: newest(stored.version, version)};
      const used = await this.#settings.codec.encode(formatKey, noted);
      const replaced = await this.#driver.replace([this.#key, used], record, deadline);
      if (replaced instanceof Error) throw replaced;
    }
  }

  /** The record of the format, and its value: null for a record that cannot be parsed, which has no number. */
  async #read(deadline: Deadline): Promise<readonly [record: unknown, stored: unknown]> {
    const [record] = await this.#driver.read([this.#key], deadline);
    if (record === undefined) return [undefined, undefined];
    try {
      return [record, (await this.#settings.codec.decode(formatKey, record)).value];
    } catch {
      return [record, null];
    }
  }

  async #hasData({firstSequence}: Packing, deadline: Deadline): Promise<boolean> {
    const key = this.#settings.keyOf(firstSequence);
    const [counters] = await this.#driver.getCounters([key], [nextCounter], deadline);
    return (counters?.counts.get(nextCounter) ?? 0) > 0;
  }
}

/** Whether a site of this version, or of a later one, has written into the store. */
function isInUse({copyOf, version: writer}: StoredFormat): boolean {
  return copyOf === undefined && newest(writer, version) === writer;
}

/** A record that was put back by hand has none. */
const idOf = (stored: unknown): string => String((Object(stored) as {id?: unknown}).id);

const withoutFormat =
  'The store has data and no format number: its record `format` was removed. ' +
  'docs/troubleshooting.md shows how to put it back.';

function otherCase(ignoresCase: boolean): string {
  return ignoresCase
    ? 'The store tells apart short parts that differ only in case, and the option `shortParts.ignoreCase` is true. ' +
        'Set the option to false, or move the site to a store that ignores case: koa-short-url copy --ignore-case.'
    : 'The store ignores the case of short parts, and the option `shortParts.ignoreCase` is false. Set it to true.';
}

function refusal(message: string): Error {
  return unavailable(message, new FormatError(message));
}
