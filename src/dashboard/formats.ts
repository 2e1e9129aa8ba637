import type {Link, PageLanguage} from '../index.ts';

/** The singular and the plural of a text, with `#` as the placeholder of the number. */
export interface Plural {
  readonly one: string;
  readonly other: string;
}

/** Formats numbers and dates in a language. All dates are UTC. */
export class Formats {
  readonly #numbers: Intl.NumberFormat;
  readonly #plurals: Intl.PluralRules;
  readonly #dates: Intl.DateTimeFormat;
  readonly #days: Intl.DateTimeFormat;
  readonly #moments: Intl.DateTimeFormat;
  readonly #waits: Intl.RelativeTimeFormat;

  constructor(language: PageLanguage) {
    const timeZone = 'UTC';
    this.#numbers = new Intl.NumberFormat(language);
    this.#plurals = new Intl.PluralRules(language);
    this.#dates = new Intl.DateTimeFormat(language, {dateStyle: 'medium', timeZone});
    this.#days = new Intl.DateTimeFormat(language, {day: 'numeric', month: 'short', timeZone});
    this.#moments = new Intl.DateTimeFormat(language, {dateStyle: 'medium', timeStyle: 'short', timeZone});
    this.#waits = new Intl.RelativeTimeFormat(language);
  }

  number(value: number): string {
    return this.#numbers.format(value);
  }

  count(value: number, {one, other}: Plural): string {
    const text = this.#plurals.select(value) === 'one' ? one : other;
    return text.replace('#', this.number(value));
  }

  /** @param text begins with `yyyy-mm-dd` */
  date(text: string): string {
    return this.#dates.format(new Date(text.slice(0, 10)));
  }

  /** @param text begins with `yyyy-mm-dd`; the result has no year */
  day(text: string): string {
    return this.#days.format(new Date(text.slice(0, 10)));
  }

  /** @param text `yyyy-mm-dd hh:mm:ss` */
  moment(text: string): string {
    return this.#moments.format(new Date(`${text.replace(' ', 'T')}Z`));
  }

  /** The day of the last visit. Of visits that were imported it may be unknown. */
  lastVisit({totalVisits, lastAccessed}: Pick<Link, 'totalVisits' | 'lastAccessed'>, never: string): string {
    if (lastAccessed !== null) return this.date(lastAccessed);
    return totalVisits === 0 ? never : '–';
  }

  /** Rounds up: `in 3 hours`. */
  wait(seconds: number): string {
    if (seconds < 3600) return this.#waits.format(Math.ceil(seconds / 60), 'minute');
    return this.#waits.format(Math.ceil(seconds / 3600), 'hour');
  }
}
