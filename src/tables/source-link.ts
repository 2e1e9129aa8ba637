import {type UnreadableCode, UnreadableValue} from './unreadable.ts';
import type {ShownName} from '../link/fields.ts';
import {maxUrl} from '../values/parse-url.ts';

/** What a row of a table, or an object of JSON, says of a link. Times are milliseconds since the epoch. */
export interface ReadLink {
  /** The line in a text file, or the number of the link in any other source; from 1. */
  readonly line: number;
  readonly shortPart?: string | undefined;
  readonly url?: string | undefined;
  /** Its domain; undefined if the source does not have it. */
  readonly domain?: string | undefined;
  readonly created?: number | undefined;
  readonly end?: number | undefined;
  readonly visits?: number | undefined;
  readonly lastVisit?: number | undefined;
  /** The other fields, in the form of `CreateLink`. */
  readonly fields: Readonly<Partial<Record<ShownName, unknown>>>;
  readonly password?: string | undefined;
  /** Whether it has a password that is not in the source. */
  readonly isLocked?: boolean | undefined;
  readonly isDisabled?: boolean | undefined;
  /** Whether it no longer works, perhaps without an expiry date or a limit. */
  readonly isExpired?: boolean | undefined;
  readonly isBlocked?: boolean | undefined;
  /** Properties of the link that cannot be kept. */
  readonly notes?: readonly Note[];
}

/** A link that an import can make. */
export interface SourceLink extends ReadLink {
  readonly shortPart: string;
  readonly url: string;
}

/** A note in the report: a code for programs and a sentence for people. */
export interface Note {
  readonly code: NoteCode;
  readonly message: string;
}

/** Codes of links that are imported with changes. */
export type NoteCode =
  | 'title_changed'
  | 'tags_changed'
  | 'password_unknown'
  | 'protection_unknown'
  | 'blocked'
  | 'rules_dropped'
  | 'limit_dropped'
  | 'value_changed'
  | 'value_dropped'
  | 'url_entities';

/** A line that has no valid link. */
export interface UnreadableLine {
  readonly line: number;
  readonly shortPart: string | undefined;
  /** The place of the column whose value is wrong, from 0; undefined if the whole row is. */
  readonly column?: number | undefined;
  readonly code: UnreadableCode;
  readonly message: string;
}

export type ReadLine = ReadLink | UnreadableLine;
export type SourceLine = SourceLink | UnreadableLine;

export function isUnreadable(line: ReadLine): line is UnreadableLine {
  return 'code' in line;
}

/** An import needs both URLs. */
export function toSource(line: ReadLine): SourceLine {
  if (isUnreadable(line)) return line;
  const {shortPart, url} = line;
  if (shortPart !== undefined && url !== undefined) return {...line, shortPart, url};
  const what = shortPart === undefined ? 'short part' : 'long URL';
  return {line: line.line, shortPart, code: 'not_a_link', message: `The ${what} is missing.`};
}

/** Parses a line, or returns the reason why it is malformed. */
export function readLine(line: number, shortPart: string | undefined, read: () => ReadLink): ReadLine {
  try {
    return bounded(read());
  } catch (error) {
    return unreadable(line, shortPart, error);
  }
}

/** A line with a malformed value. */
export function unreadable(line: number, shortPart: string | undefined, error: unknown): UnreadableLine {
  if (!(error instanceof UnreadableValue)) throw error;
  const {code, message, column} = error;
  return {line, shortPart, code, message, ...(column !== undefined && {column})};
}

/** Longer values are refused or cut anyway, so no more of them is kept. A URL that is too long stays so. */
const maxValue = maxUrl + 1;
const maxText = 1000;
const maxItems = 100;

function bounded(link: ReadLink): ReadLink {
  const {shortPart, url, domain, fields, password} = link;
  return {
    ...link,
    ...(shortPart !== undefined && {shortPart: cut(shortPart, maxText)}),
    ...(url !== undefined && {url: cut(url, maxValue)}),
    ...(domain !== undefined && {domain: cut(domain, maxText)}),
    fields: Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, boundedValue(value)])),
    ...(password !== undefined && {password: cut(password, maxText)}),
  };
}

function boundedValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, maxItems).map(boundedValue);
  return typeof value === 'string' ? cut(value, maxValue) : value;
}

/** The beginning of a text. A copy, because a slice would keep the whole text in memory. */
function cut(text: string, length: number): string {
  return text.length <= length ? text : Buffer.from(text.slice(0, length)).toString();
}
