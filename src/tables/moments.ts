import {Calendar, dayLength, isTimeZone} from '../values/calendar.ts';
import {shapeOf, time} from '../values/shape.ts';
import {monthOf, isFiller} from './months.ts';
import {UnreadableValue} from './unreadable.ts';
import {isNone} from './words.ts';

/** Converts a local time, given as if it were UTC, to the moment in a time zone. */
export type TimeZone = (clock: number) => number;

/** How the dates of a table are read. */
export interface DateSettings {
  /** The zone of dates without one. */
  readonly zone: TimeZone;
  /** Whether 03/04/2027 is in April; null if nothing says so, and it is refused. */
  readonly isDayFirst?: boolean | null | undefined;
  /** Whether a date long past or far away is meant, and does not say that there is none. */
  readonly isExact?: boolean | undefined;
}

/** The name of a time zone, or its offset. */
export const aZone = shapeOf<string>({
  expected: 'a name such as Europe/Berlin or an offset such as +02:00',
  holds: (value) => typeof value === 'string' && (isTimeZone(value) || parseOffset(value) !== undefined),
});

/**
 * Finds a time zone by its name (`Europe/Berlin`) or offset (`+02:00`).
 *
 * @throws TypeError if there is no such time zone
 */
export function timeZone(name = 'UTC'): TimeZone {
  if (!aZone.holds(name)) throw new TypeError(`Expected \`timeZone\` to be ${aZone.expected}`);
  const offset = parseOffset(name);
  if (offset !== undefined) return (clock) => clock - offset;
  const calendar = new Calendar(name);
  return (clock) => calendar.momentOf(clock);
}

function parseOffset(text: string): number | undefined {
  const [, sign, hours, minutes = '0'] = /^([+-])(\d{1,2})(?::?(\d{2}))?$/.exec(text) ?? [];
  if (hours === undefined) return undefined;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

/** A date as it is written. */
interface Parsed {
  /** In milliseconds, as if it were UTC. */
  readonly clock: number;
  /** Its zone; undefined if it has none. */
  readonly offset: number | undefined;
  readonly hasTime: boolean;
}

/**
 * A moment in milliseconds since the epoch; undefined for what says that there is none, such as an empty text, a zero
 * date of MySQL or the first and last days of spreadsheets and databases. It is read as year, month and day, as day and
 * month with a dot, with the month in words, or as seconds or milliseconds since the epoch, with or without a time and a
 * zone.
 *
 * @throws UnreadableValue `unreadable_date`, or `ambiguous_date` if its day may be its month
 */
export function readMoment(value: unknown, what: string, settings: DateSettings): number | undefined {
  const parsed = readParsed(value, what, settings);
  return parsed && inTime(parsed, parsed.clock, what, settings);
}

/** As `readMoment`, but the moment after a last day, or after the last second of a date with a time. */
export function readEnd(value: unknown, what: string, settings: DateSettings): number | undefined {
  const parsed = readParsed(value, what, settings);
  return parsed && inTime(parsed, parsed.clock + (parsed.hasTime ? 1000 : dayLength), what, settings);
}

function readParsed(value: unknown, what: string, settings: DateSettings): Parsed | undefined {
  if (value === undefined || value === null || value === false) return undefined;
  if (value instanceof Date && !Number.isNaN(value.getTime())) return atMoment(value.getTime());
  // Long runs of white space would cost the expressions below much time.
  const text =
    typeof value === 'number' || typeof value === 'string' ? String(value).trim().replaceAll(/\s+/g, ' ') : '?';
  if (isNone(text) || /^(?:0|0000-00-00.*|never|nie|jamais|nunca|永不)$/i.test(text)) return undefined;
  if (/^\d{9,10}$/.test(text)) return atMoment(Number(text) * 1000);
  if (/^\d{12,13}$/.test(text)) return atMoment(Number(text));
  if (text.length > maxDate) throw unreadable(what);
  const {rest, clock, offset} = withoutTime(text);
  const day = dayOf(rest, what, settings);
  if (day === undefined || clock === undefined) throw unreadable(what);
  // What databases and spreadsheets have for no date: 0001-01-01, 1899-12-30, 1900-01-00, 9999-12-31.
  if (settings.isExact !== true && (day.year < 1970 || day.year >= 9999)) return undefined;
  const midnight = midnightOf(day);
  if (midnight === undefined) throw unreadable(what);
  return {clock: midnight + (clock ?? 0), offset, hasTime: clock !== null};
}

/** A time zone can bring the first and the last day of all out of the moments that a record can have. */
function inTime({offset}: Parsed, clock: number, what: string, {zone}: DateSettings): number {
  const moment = offset === undefined ? zone(clock) : clock - offset;
  if (time.holds(moment)) return moment;
  throw unreadable(what);
}

function unreadable(what: string): UnreadableValue {
  const message = `The ${what} cannot be read: write it as 2027-12-31, 31.12.2027 or Dec 31, 2027, with or without a time (18:00:00) and a zone (+02:00).`;
  return new UnreadableValue('unreadable_date', message);
}

const atMoment = (clock: number): Parsed => ({clock, offset: 0, hasTime: true});

/** No date is longer. */
const maxDate = 80;

const clockForm =
  /[T\s,]+(?:um|at|à|a las?)?\s*(上午|下午)?\s*(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?\s*(?:([ap])\.?\s?m\.?)?(?:\s?Uhr)?$/i;
const zoneForm = /\s*\(?(?:(Z|UTC|GMT)|(?:UTC|GMT)?\s?([+-]\d{1,2}(?::?\d{2})?))\)?$/i;

/** A date, its time in milliseconds (null for none, undefined for what is no time) and its zone. */
function withoutTime(text: string): {rest: string; clock: number | null | undefined; offset: number | undefined} {
  const [zone = '', name, sign = ''] = clockForm.test(text) ? [] : (zoneForm.exec(text) ?? []);
  const before = text.slice(0, text.length - zone.length);
  const found = clockForm.exec(before);
  // `-31` at the end of a date is a day.
  const isDay = zone !== '' && found === null && name === undefined && !/[+:]/.test(sign);
  if (isDay) return {rest: text, clock: null, offset: undefined};
  return {
    rest: found === null ? before : before.slice(0, found.index),
    clock: found === null ? null : clockOf(found),
    offset: name === undefined ? parseOffset(sign) : 0,
  };
}

function clockOf([, half, given, minutes, seconds = '0', letter]: RegExpExecArray): number | undefined {
  const isHalf = half !== undefined || letter !== undefined;
  const isAfternoon = half === '下午' || letter?.toLowerCase() === 'p';
  const number = Number(given);
  const hours = isHalf ? (number % 12) + (isAfternoon ? 12 : 0) : number;
  if (number > (isHalf ? 12 : 23) || Number(minutes) > 59 || Number(seconds) > 59) return undefined;
  return ((hours * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
}

interface Day {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

function dayOf(given: string, what: string, settings: DateSettings): Day | undefined {
  const text = given.trim();
  const [, year, month, day] = /^((?:19|20)\d{2})(\d{2})(\d{2})$/.exec(text) ?? [];
  if (year !== undefined) return {year: Number(year), month: Number(month), day: Number(day)};
  if (!/^[\p{L}\p{M}\d\s.,/\-’']+$/u.test(text)) return undefined;
  const numbers = text.match(/\d+/g) ?? [];
  const words = text.match(/[\p{L}\p{M}]+/gu) ?? [];
  const months = words.filter((word) => monthOf(word) !== undefined);
  if (words.some((word) => monthOf(word) === undefined && !isFiller(word))) return undefined;
  // `mar.` is a Tuesday, too.
  const [named] = months.length > 1 ? months.filter((word) => !isFiller(word)) : months;
  if (named !== undefined) return inWords(numbers, monthOf(named) ?? 0);
  const [first = '', second = '', third = ''] = numbers;
  if (numbers.length !== 3 || second.length > 2) return undefined;
  if (first.length === 4)
    return third.length > 2 ? undefined : {year: Number(first), month: Number(second), day: Number(third)};
  const last = yearOf(third);
  if (last === undefined || first.length > 2) return undefined;
  const isDayFirst = /^\d+\s*\./.test(text) || (isDayFirstIn(text) ?? settings.isDayFirst ?? undefined);
  if (isDayFirst === undefined && first !== second) throw ambiguous(what);
  return isDayFirst === false
    ? {year: last, month: Number(first), day: Number(second)}
    : {year: last, month: Number(second), day: Number(first)};
}

function inWords([first = '', second = '', ...others]: readonly string[], month: number): Day | undefined {
  const isYearFirst = first.length === 4;
  const year = isYearFirst ? Number(first) : yearOf(second);
  const day = isYearFirst ? second : first;
  return others.length > 0 || year === undefined || day === '' || day.length > 2
    ? undefined
    : {year, month, day: Number(day)};
}

/** Two digits are a year from 1970 to 2069. */
function yearOf(text: string): number | undefined {
  if (text.length === 4) return Number(text);
  return text.length === 2 ? Number(text) + (Number(text) < 70 ? 2000 : 1900) : undefined;
}

/** The midnight at which a real day begins, as if it were in UTC. */
function midnightOf({year, month, day}: Day): number | undefined {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.getTime() : undefined;
}

/** Whether the day of a date such as 31/12/2027 comes first; undefined if it may be the month, or is written otherwise. */
export function isDayFirstIn(text: string): boolean | undefined {
  const [, first, second] = /^\s*(\d{1,2})[/-](\d{1,2})[/-](?:\d{4}|\d{2})(?!\d)/.exec(text) ?? [];
  if (first === undefined) return undefined;
  if (Number(first) > 12) return true;
  return Number(second) > 12 ? false : undefined;
}

/** Whether a language writes the day before the month; undefined if its countries differ, or it begins with the year. */
export function isDayFirstBy(language: string | undefined): boolean | undefined {
  if (language === undefined || language === 'en') return undefined;
  const parts = new Intl.DateTimeFormat(language, {day: 'numeric', month: 'numeric', year: 'numeric'}).formatToParts(0);
  const [first] = parts.filter(({type}) => type !== 'literal');
  return first?.type === 'year' ? undefined : first?.type === 'day';
}

function ambiguous(what: string): UnreadableValue {
  const message = `The ${what} may be in two months: write it as 2027-12-31, 31.12.2027 or Dec 31, 2027, or say the language of the file, such as de or en-US.`;
  return new UnreadableValue('ambiguous_date', message);
}
