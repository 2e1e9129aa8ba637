/** In milliseconds. */
export const dayLength = 86_400_000;

/** A day since the epoch as `yyyy-mm-dd`. */
export function formatDate(day: number): string {
  return new Date(day * dayLength).toISOString().slice(0, 10);
}

/** The midnight in UTC at which a real `yyyy-mm-dd` date begins; undefined for any other text. */
export function parseDate(text: string): number | undefined {
  const midnight = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  // Date.parse reads 2030-02-30 as the 2nd of March. Only a real date is formatted as it was given.
  return !Number.isNaN(midnight) && formatDate(midnight / dayLength) === text ? midnight : undefined;
}

/** A moment as the API writes it: UTC, `yyyy-mm-dd hh:mm:ss`. */
export function formatDateTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 19).replace('T', ' ');
}

/** The moment that `formatDateTime` has written, in milliseconds since the epoch; NaN for anything else. */
export function momentIn(text: string): number {
  return Date.parse(`${text.replace(' ', 'T')}Z`);
}

/** The month of a day, as its number of months since January 1970. */
export function monthOf(day: number): number {
  const date = new Date(day * dayLength);
  return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth();
}

/** The days of a time zone. A day is its number of days since 1970-01-01. */
export class Calendar {
  /** The IANA name, such as `Europe/Berlin`. */
  readonly timeZone: string;
  /** Undefined for UTC, whose days need no table of time zones. */
  readonly #clock: Intl.DateTimeFormat | undefined;
  /** The last day that was asked for, because most questions are about today. */
  #day = 0;
  #start = 0;
  #end = 0;

  /** @throws RangeError for an unknown time zone */
  constructor(timeZone = 'UTC') {
    this.timeZone = timeZone;
    if (timeZone === 'UTC') return;
    this.#clock = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  }

  /** The day of a moment in milliseconds since the epoch. */
  dayOf(moment: number): number {
    if (moment < this.#start || moment >= this.#end) {
      this.#day = Math.floor(this.localOf(moment) / dayLength);
      this.#start = this.startOf(this.#day);
      this.#end = this.startOf(this.#day + 1);
    }
    return this.#day;
  }

  dateOf(moment: number): string {
    return formatDate(this.dayOf(moment));
  }

  /** The first moment of a day. It is later than midnight if the clocks are put forward then. */
  startOf(day: number): number {
    return this.momentOf(day * dayLength);
  }

  endOfDay(moment: number): number {
    return this.startOf(this.dayOf(moment) + 1);
  }

  /**
   * The moment at which clocks of the time zone show a time. If they show it twice, the first one; if they skip it, the
   * one that is as long after the jump.
   *
   * @param local the time, as the milliseconds since the epoch at which clocks in UTC show it
   */
  momentOf(local: number): number {
    const before = this.#offsetAt(local - dayLength);
    const after = this.#offsetAt(local + dayLength);
    const isShown = (offset: number): boolean => this.#offsetAt(local - offset) === offset;
    return local - (isShown(before) || !isShown(after) ? before : after);
  }

  /** What clocks of the time zone show at a moment, as the milliseconds since the epoch at which clocks in UTC show it. */
  localOf(moment: number): number {
    return moment + this.#offsetAt(moment);
  }

  #offsetAt(moment: number): number {
    if (this.#clock === undefined) return 0;
    const parts = Object.fromEntries(this.#clock.formatToParts(moment).map(({type, value}) => [type, value]));
    const {year, month, day, hour, minute, second} = parts;
    const shown = new Date(0).setUTCFullYear(
      parts['era'] === 'BC' ? 1 - Number(year) : Number(year),
      Number(month) - 1,
      Number(day),
    );
    const time = ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1000;
    return shown + time - Math.floor(moment / 1000) * 1000;
  }
}

export function isTimeZone(text: unknown): text is string {
  if (typeof text !== 'string' || !/^[A-Z]/i.test(text)) return false;
  try {
    return Boolean(new Intl.DateTimeFormat('en-US', {timeZone: text}));
  } catch {
    return false;
  }
}
