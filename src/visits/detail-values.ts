import {LRUCache} from 'lru-cache';
import {isUnavailable, type ShortUrlError, toShortUrlError} from '../host/errors.ts';
import type {Counters, Store} from '../store/port.ts';

/** The details of a visit by name: see the option `visitDetails`. */
export type Details = Readonly<Record<string, string>>;

/** The value of visits without a referrer. */
export const direct = 'direct';

/** The value under which further values are counted. */
export const other = 'other';

/** How many values of a detail a process counts by themselves, for each link and for each account. */
const maxValues = 100;

/** After this many new values of a link, the process asks the store which ones it has. Most links have fewer. */
const maxUnread = 10;

/** The most memory for cached values, in bytes. */
const maxBytes = 32 * 1024 * 1024;

/** Estimated overhead of a cached link or detail, and of one of its values, in bytes. */
const overhead = 300;
const valueOverhead = 150;

/** The most characters of an escaped value, so that the name of a counter is short enough for the port. */
const maxEscaped = 600;

/** The cached values of one link, or of one account. */
interface Known {
  /** The counter of each value, by the name of the detail. */
  readonly details: Map<string, Map<string, string>>;
  /** Whether the values in the store are among them. */
  isRead: boolean;
  isReading: boolean;
}

/**
 * Names the counters for the details of visits: `<name>:<escaped value>`. It limits the values that are counted by
 * themselves to about a hundred for each detail, link and process, so that visitors who make up values cannot fill the
 * store.
 */
export class DetailValues {
  readonly #store: Pick<Store, 'getCounters' | 'isAway'>;
  readonly #onError: (error: ShortUrlError) => void;
  readonly #known = new LRUCache<string, Known>({maxSize: maxBytes, sizeCalculation: sizeOf});

  /** @param onError called if counters cannot be read although the store answers */
  constructor(store: Pick<Store, 'getCounters' | 'isAway'>, onError: (error: ShortUrlError) => void) {
    this.#store = store;
    this.#onError = onError;
  }

  /**
   * The names of the counters for the details of a visit.
   *
   * @param key the key of the counters
   */
  counters(key: string, details: Details): readonly string[] {
    const counters: string[] = [];
    for (const name in details) {
      const value = details[name] ?? other;
      counters.push(value === direct || value === other ? `${name}:${value}` : this.#counterOf(key, name, value));
    }
    return counters;
  }

  #counterOf(key: string, name: string, value: string): string {
    const known = this.#known.get(key) ?? {details: new Map(), isRead: false, isReading: false};
    const values = known.details.get(name) ?? new Map<string, string>();
    const counter = values.get(value);
    if (counter !== undefined) return counter;
    if (values.size >= (known.isRead ? maxValues : maxUnread)) {
      if (!known.isRead) void this.#read(key, known);
      return `${name}:${other}`;
    }
    const added = `${name}:${escapeValue(value)}`;
    known.details.set(name, values.set(value, added));
    // Set again, because its size has changed.
    this.#known.set(key, known);
    return added;
  }

  /** Reads the values that the store has. Visitors do not wait for it: until then, further values count as `other`. */
  async #read(key: string, known: Known): Promise<void> {
    if (known.isReading || this.#store.isAway) return;
    known.isReading = true;
    try {
      const [counters] = await this.#store.getCounters([key]);
      for (const counter of counters?.counts.keys() ?? []) {
        const detail = detailOf(counter);
        if (detail === undefined) continue;
        const values = known.details.get(detail.name) ?? new Map<string, string>();
        known.details.set(detail.name, values.set(detail.value, counter));
      }
      known.isRead = true;
      this.#known.set(key, known);
    } catch (failure) {
      const error = toShortUrlError(failure);
      if (!isUnavailable(error)) this.#onError(error);
    } finally {
      known.isReading = false;
    }
  }
}

/** The name and the value of a detail, of the name of a counter; undefined for any other counter. */
export function detailOf(counter: string): {readonly name: string; readonly value: string} | undefined {
  const colon = counter.indexOf(':');
  if (colon < 1) return undefined;
  const escaped = counter.slice(colon + 1);
  return {name: counter.slice(0, colon), value: escaped.includes('%') ? unescapeValue(escaped) : escaped};
}

/** The names of the details that were counted, in alphabetical order. */
export function detailNames({counts}: Counters): string[] {
  return Array.from(new Set(Array.from(counts.keys(), (counter) => detailOf(counter)?.name ?? '')))
    .filter(Boolean)
    .sort();
}

/** Letters, digits, `-`, `_` and `.` stay, so host names do. Other characters become `%` and two digits for each byte. */
export function escapeValue(value: string): string {
  if (/^[\w.-]*$/.test(value)) return value;
  let escaped = '';
  for (const character of value) {
    const next = /[\w.-]/.test(character)
      ? character
      : Array.from(Buffer.from(character), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
    if (escaped.length + next.length > maxEscaped) break;
    escaped += next;
  }
  return escaped;
}

function unescapeValue(escaped: string): string {
  try {
    return decodeURIComponent(escaped);
  } catch {
    // Not written by this package.
    return escaped;
  }
}

function sizeOf({details}: Known): number {
  let size = overhead;
  for (const values of details.values()) {
    size += overhead;
    for (const [value, counter] of values) size += valueOverhead + 2 * (value.length + counter.length);
  }
  return size;
}
