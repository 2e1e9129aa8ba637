import {dayLength} from '../../link/calendar.ts';
import {time} from '../../values/shapes.ts';
import {UnreadableValue} from './unreadable.ts';

/** Converts a local time, given as if it were UTC, to the moment in a time zone. */
export type TimeZone = (clock: number) => number;

/**
 * Finds a time zone by its name (`Europe/Berlin`) or offset (`+02:00`).
 *
 * @throws TypeError if there is no such time zone
 */
export function timeZone(name = 'UTC'): TimeZone {
  if (name === 'UTC') return (clock) => clock;
  const offset = parseOffset(name);
  if (offset !== undefined) return (clock) => clock - offset;
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', {timeZone: name, timeZoneName: 'longOffset'});
  } catch {
    throw new TypeError('Expected `timeZone` to be a name such as Europe/Berlin or an offset such as +02:00');
  }
  const offsetAt = (moment: number): number => {
    const part = format.formatToParts(moment).find(({type}) => type === 'timeZoneName');
    return parseOffset(part?.value.replace('GMT', '') ?? '') ?? 0;
  };
  // Near a change of clocks the first offset may be wrong. The second one is right.
  return (clock) => clock - offsetAt(clock - offsetAt(clock));
}

function parseOffset(text: string): number | undefined {
  const [, sign, hours, minutes = '0'] = /^([+-])(\d{1,2})(?::?(\d{2}))?$/.exec(text) ?? [];
  if (hours === undefined) return undefined;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

const iso =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::(\d{2})(?:[.,]\d+)?)?)?\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2}|[+-]\d{2})?$/i;
const inWords =
  /^(?:(?<month>[a-z]{3,9})\.? (?<day>\d{1,2})|(?<first>\d{1,2})\.? (?<then>[a-z]{3,9})\.?),? (?<year>\d{4})(?:,? (?<time>\d{1,2}:\d{2}(?::\d{2})?(?: ?[ap]m)?))?$/i;

/** The time of day of a date without one. */
type Without = 'its beginning' | 'its end';

/** A date as it is written. */
interface Parsed {
  /** In milliseconds, as if it were UTC. */
  readonly clock: number;
  /** Its zone; undefined if it has none. */
  readonly offset: number | undefined;
  readonly hasTime: boolean;
}

/**
 * A moment in milliseconds since the epoch; undefined for an empty text and for a zero date of MySQL. It is read as
 * `yyyy-mm-dd hh:mm:ss`, with or without time and zone, as seconds or milliseconds since the epoch, or with the month in
 * English words: an order of numbers that differs from country to country is not guessed.
 *
 * @throws UnreadableValue `unreadable_date`
 */
export function readMoment(
  value: unknown,
  what: string,
  zone: TimeZone,
  without: Without = 'its beginning',
): number | undefined {
  const parsed = readParsed(value, what);
  return parsed && inTime(momentOf(parsed, zone, without), what);
}

/** @throws UnreadableValue `unreadable_date` */
function readParsed(value: unknown, what: string): Parsed | undefined {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : '';
  if (value instanceof Date && !Number.isNaN(value.getTime())) return atMoment(value.getTime());
  if (text === '' && (value === undefined || value === null || value === '' || typeof value === 'string'))
    return undefined;
  if (/^(?:0000-00-00.*|null|0)$/i.test(text)) return undefined;
  const parsed = parse(text);
  if (parsed !== undefined) return parsed;
  throw unreadable(what);
}

/** A time zone can bring the first and the last day of all out of the moments that a record can have. */
function inTime(moment: number, what: string): number {
  if (time.holds(moment)) return moment;
  throw unreadable(what);
}

function unreadable(what: string): UnreadableValue {
  return new UnreadableValue(
    'unreadable_date',
    `The ${what} cannot be read: write it as yyyy-mm-dd hh:mm:ss, with or without a zone such as +02:00.`,
  );
}

/**
 * The moment at which a link ends whose expiry date is the last day or the last second on which it works, as this
 * package writes it.
 *
 * @throws UnreadableValue `unreadable_date`
 */
export function readLastMoment(value: unknown, zone: TimeZone): number | undefined {
  const what = 'expiry date';
  const parsed = readParsed(value, what);
  return parsed && inTime(momentOf(parsed, zone, 'its end') + (parsed.hasTime ? 1000 : 0), what);
}

function momentOf({clock, offset, hasTime}: Parsed, zone: TimeZone, without: Without): number {
  const local = !hasTime && without === 'its end' ? clock + dayLength : clock;
  return offset === undefined ? zone(local) : local - offset;
}

const atMoment = (clock: number): Parsed => ({clock, offset: 0, hasTime: true});

function parse(text: string): Parsed | undefined {
  if (/^\d{9,10}$/.test(text)) return atMoment(Number(text) * 1000);
  if (/^\d{12,13}$/.test(text)) return atMoment(Number(text));
  const [, date, clockTime, seconds = '00', offset] = iso.exec(text) ?? [];
  // Date.parse takes 2030-02-30 for the 2nd of March.
  if (date !== undefined) {
    const clock = Date.parse(`${date}T${clockTime ?? '00:00'}:${seconds}Z`);
    if (Number.isNaN(clock) || new Date(clock).toISOString().slice(0, 10) !== date) return undefined;
    return {
      clock,
      offset: offset === undefined ? undefined : (parseOffset(offset) ?? 0),
      hasTime: clockTime !== undefined,
    };
  }
  const words = inWords.exec(text)?.groups;
  if (words === undefined) return undefined;
  const {month = words['then'], day = words['first'], year} = words;
  const clock = Date.parse(`${month} ${day} ${year} ${(words['time'] ?? '').replace(/(\d)(am|pm)$/i, '$1 $2')} UTC`);
  if (Number.isNaN(clock) || new Date(clock).getUTCDate() !== Number(day)) return undefined;
  return {clock, offset: undefined, hasTime: words['time'] !== undefined};
}
