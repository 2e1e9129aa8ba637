import {nanoid} from 'nanoid';
import {unavailable} from '../errors.ts';
import {version} from '../version.ts';
import type {Codec} from './codec.ts';
import type {Driver} from './driver.ts';
import {newest, notComplete} from './findings.ts';
import type {Deadline} from './failing/deadline.ts';
import {formatKey, type Packing, type StoredFormat, nextCounter} from './port.ts';

/** The store has another format than this version reads. */
export class FormatError extends Error {
  override readonly name = 'FormatError';
}

/** Keeps a process away from a store whose records it would misread. */
export class FormatGuard {
  readonly #driver: Driver;
  readonly #packing: Packing;
  readonly #codec: Codec;
  readonly #keyOf: (key: string) => string;
  /** The `id` of the store that this process was admitted to first. */
  #found: string | undefined;

  constructor(driver: Driver, packing: Packing, codec: Codec, keyOf: (key: string) => string) {
    this.#driver = driver;
    this.#packing = packing;
    this.#codec = codec;
    this.#keyOf = keyOf;
  }

  /**
   * Reads the format of the store. Before a write, an empty store gets ours, and a copy is no longer one.
   *
   * @returns whether the store has our format; false if it is empty, or is a copy that no site has used
   * @throws ShortUrlError `store_unavailable` if it has another one
   */
  async admits(isWrite: boolean, deadline: Deadline): Promise<boolean> {
    let stored = await this.#read(deadline);
    if (stored === undefined && (await this.#hasData(deadline))) {
      // Another process may have begun the store after the first read.
      stored = await this.#read(deadline);
      if (stored === undefined) throw refusal(withoutFormat);
    }
    if (stored === undefined) {
      if (!isWrite) return false;
      stored = await this.#begin(deadline);
    }
    const {
      format,
      version: writer,
      ignoresCase,
      incomplete,
    } = Object(stored) as Partial<Record<keyof StoredFormat, unknown>>;
    if (format === this.#packing.format) {
      const wanted = this.#packing.ignoresCase;
      // A tool that goes on with it does not say whether it ignores case.
      if (wanted !== undefined && typeof incomplete === 'string') throw refusal(notComplete(incomplete));
      if (wanted !== undefined && wanted !== (ignoresCase === true)) throw refusal(otherCase(wanted));
      this.#found ??= idOf(stored);
      if (wanted === undefined || isInUse(stored as StoredFormat)) return true;
      if (isWrite) await this.#beginUse(deadline);
      return isWrite;
    }
    const number = Number.isSafeInteger(format) ? String(format) : 'an unknown number';
    const isVersion = typeof writer === 'string' && /^\d[\w.+-]{0,30}$/.test(writer);
    const reader = isVersion ? `koa-short-url ${writer}` : 'the version that wrote it';
    throw refusal(`The store has format ${number}, which koa-short-url ${version} does not read. Use ${reader}.`);
  }

  /**
   * Whether the store still has the data to which this process was admitted. A store without a format gets one, because
   * processes that do not know it would refuse what is written into it meanwhile.
   */
  async isKept(deadline: Deadline): Promise<boolean> {
    if (this.#found === undefined) return true;
    const stored = await this.#read(deadline);
    if (stored === undefined) await this.#begin(deadline).catch(() => undefined);
    return stored !== undefined && idOf(stored) === this.#found;
  }

  /** Gives the store our format, if no other process does it first, and returns the stored one. */
  async #begin(deadline: Deadline): Promise<unknown> {
    const record = await this.#codec.encode(formatKey, {
      format: this.#packing.format,
      version,
      id: nanoid(12),
      ...(this.#packing.ignoresCase && {ignoresCase: true}),
    } satisfies StoredFormat);
    const [inserted] = await this.#driver.insert([[this.#keyOf(formatKey), record]], deadline);
    if (inserted instanceof Error) throw inserted;
    return this.#read(deadline);
  }

  /** Notes that a site of this version uses the store, so that no copy into it undoes what the site writes. */
  async #beginUse(deadline: Deadline): Promise<void> {
    const key = this.#keyOf(formatKey);
    // Another process may be faster.
    for (;;) {
      const [record] = await this.#driver.read([key], deadline);
      const stored = (await this.#decode(record)) as StoredFormat | undefined;
      if (stored === undefined || isInUse(stored)) return;
      if (stored.incomplete !== undefined) throw refusal(notComplete(stored.incomplete));
      const noted: StoredFormat = {...stored, copyOf: undefined, version: newest(stored.version, version)};
      const used = await this.#codec.encode(formatKey, noted);
      const replaced = await this.#driver.replace([key, used], record, deadline);
      if (replaced instanceof Error) throw replaced;
    }
  }

  async #read(deadline: Deadline): Promise<unknown> {
    const [record] = await this.#driver.read([this.#keyOf(formatKey)], deadline);
    return this.#decode(record);
  }

  async #decode(record: unknown): Promise<unknown> {
    if (record === undefined) return undefined;
    // A record that cannot be parsed has no number.
    const decode = async (): Promise<unknown> => (await this.#codec.decode(formatKey, record)).value;
    return decode().catch(() => null);
  }

  async #hasData(deadline: Deadline): Promise<boolean> {
    const key = this.#keyOf(this.#packing.firstSequence);
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
