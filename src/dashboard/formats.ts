import {planted} from '../planted.ts';
import {digitsOf} from '../tables/values.ts';
import {Calendar, momentIn} from '../values/calendar.ts';
import type {Link, PageLanguage} from '../index.ts';

/** The singular and the plural of a text, with `#` as the placeholder of the number. */
export interface Plural {
  readonly one: string;
  readonly other: string;
}

/** What clocks of the site show at a moment. */
interface LocalTime {
  /** `yyyy-mm-dd` */
  readonly date: string;
  /** `hh:mm:ss` */
  readonly time: string;
}

/** Formats numbers, days and moments in a language. Moments are shown in the time zone of the site. */
export class Formats {
  /** The IANA name of the time zone of the site. */
  readonly timeZone: string;
  readonly #language: PageLanguage;
  readonly #money = new Map<string, Intl.NumberFormat>();
  readonly #numbers: Intl.NumberFormat;
  readonly #plurals: Intl.PluralRules;
  readonly #dates: Intl.DateTimeFormat;
  readonly #days: Intl.DateTimeFormat;
  readonly #months: Intl.DateTimeFormat;
  readonly #moments: Intl.DateTimeFormat;
  readonly #calendar: Calendar;
  readonly #waits: Intl.RelativeTimeFormat;
  readonly #shares: Intl.NumberFormat;
  readonly #rates: Intl.NumberFormat;
  readonly #changes: Intl.NumberFormat;
  readonly #countries: Intl.DisplayNames;

  constructor(language: PageLanguage, timeZone: string) {
    this.timeZone = timeZone;
    this.#language = language;
    this.#numbers = new Intl.NumberFormat(language);
    this.#plurals = new Intl.PluralRules(language);
    this.#dates = new Intl.DateTimeFormat(language, {dateStyle: 'medium', timeZone: 'UTC'});
    this.#days = new Intl.DateTimeFormat(language, {day: 'numeric', month: 'short', timeZone: 'UTC'});
    this.#months = new Intl.DateTimeFormat(language, {year: 'numeric', month: 'long', timeZone: 'UTC'});
    this.#moments = new Intl.DateTimeFormat(language, {
      dateStyle: 'medium',
      timeStyle: 'short',
      timeZone: planted('moment-utc') ? 'UTC' : timeZone,
    });
    this.#calendar = new Calendar(timeZone);
    this.#shares = new Intl.NumberFormat(language, {style: 'percent'});
    this.#changes = new Intl.NumberFormat(language, {style: 'percent', signDisplay: 'exceptZero'});
    this.#rates = new Intl.NumberFormat(language, {style: 'percent', maximumFractionDigits: 1});
    this.#countries = new Intl.DisplayNames(language, {type: 'region', fallback: 'code'});
    this.#waits = new Intl.RelativeTimeFormat(language);
  }

  number(value: number): string {
    return this.#numbers.format(value);
  }

  count(value: number, {one, other}: Plural): string {
    const text = this.#plurals.select(value) === 'one' ? one : other;
    return text.replace('#', this.number(value));
  }

  /**
   * An amount by the rules of its currency; a number for an amount without one.
   *
   * @param value in the smallest unit, such as cents
   */
  money(value: number, currency: string | null): string {
    if (currency === null) return this.number(value);
    return this.#moneyOf(currency).format(value / 10 ** digitsOf(currency));
  }

  /** @param part from 0 to 1 */
  share(part: number): string {
    return this.#shares.format(part);
  }

  /** Conversions for each visit, in percent; a dash without visits. */
  rate(conversions: number, visits: number): string {
    return visits === 0 ? '–' : this.#rates.format(conversions / visits);
  }

  /** By how much a number has changed, in percent with its sign; undefined if it was 0. */
  change(before: number, after: number): string | undefined {
    return before === 0 ? undefined : this.#changes.format(after / before - 1);
  }

  /** The name of a country; any other text than two letters unchanged. */
  country(code: string): string {
    return /^[a-z]{2}$/i.test(code) ? (this.#countries.of(code.toUpperCase()) ?? code) : code;
  }

  /** @param text a day of the site, `yyyy-mm-dd`, or a moment, whose day is shown */
  date(text: string): string {
    return this.#first(this.#dates.format(new Date(text.length === 10 ? text : this.local(text).date)));
  }

  /** @param date a day of the site, `yyyy-mm-dd`; the result has no year */
  day(date: string): string {
    return this.#first(this.#days.format(new Date(date)));
  }

  /**
   * Days of the site up to another one: `1–7 May 2031`.
   *
   * @param from `yyyy-mm-dd`, as `until`
   */
  range(from: string, until: string): string {
    return this.#first(this.#dates.formatRange(new Date(from), new Date(until)));
  }

  /** French says the first of a month as no other day: `1er oct.`. */
  #first(date: string): string {
    return this.#language === 'fr' ? date.replaceAll(/(?<!\d)1(?=[ –])/g, '1er') : date;
  }

  /**
   * The months from one day of the site to another.
   *
   * @param from `yyyy-mm-dd`, as `until`
   */
  months(from: string, until: string): string {
    return this.#months.formatRange(new Date(from), new Date(until));
  }

  /** @param text `yyyy-mm-dd hh:mm:ss`, UTC */
  moment(text: string): string {
    return this.#first(this.#moments.format(momentIn(text)));
  }

  /** The first or last moment of a link, without the time if it is the first or last second of its day. */
  limit(text: string): string {
    const {date, time} = this.local(text);
    return time === '00:00:00' || time === '23:59:59' ? this.date(date) : this.moment(text);
  }

  /** @param moment `yyyy-mm-dd hh:mm:ss`, UTC, or milliseconds since the epoch */
  local(moment: string | number): LocalTime {
    const local = this.#calendar.localOf(typeof moment === 'number' ? moment : momentIn(moment));
    const shown = new Date(local).toISOString();
    return {date: shown.slice(0, 10), time: shown.slice(11, 19)};
  }

  /** The time of the last visit. Of visits that were imported it may be unknown. */
  lastVisit({totalVisits, lastAccessed}: Pick<Link, 'totalVisits' | 'lastAccessed'>, never: string): string {
    if (lastAccessed !== null) return this.moment(lastAccessed);
    return totalVisits === 0 ? never : '–';
  }

  #moneyOf(currency: string): Intl.NumberFormat {
    const known = this.#money.get(currency);
    if (known !== undefined) return known;
    const digits = digitsOf(currency);
    const format = new Intl.NumberFormat(this.#language, {
      style: 'currency',
      currency,
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    });
    this.#money.set(currency, format);
    return format;
  }

  /** Rounds up: `in 3 hours`. */
  wait(seconds: number): string {
    if (seconds < 3600) return this.#waits.format(Math.ceil(seconds / 60), 'minute');
    return this.#waits.format(Math.ceil(seconds / 3600), 'hour');
  }
}
