import {type UnreadableCode, UnreadableValue} from '../../tables/unreadable.ts';
import type {ShownName} from '../../../link/fields.ts';
import {maxUrl} from '../../../values/parse-url.ts';

/** A link of a source. Times are milliseconds since the epoch. */
export interface SourceLink {
  /** The line in a text file, or the number of the link in any other source; from 1. */
  readonly line: number;
  readonly shortPart: string;
  readonly url: string;
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
  | 'limit_dropped';

/** A line that has no valid link. */
export interface UnreadableLine {
  readonly line: number;
  readonly shortPart: string | undefined;
  readonly code: UnreadableCode;
  readonly message: string;
}

export type SourceLine = SourceLink | UnreadableLine;

export function isUnreadable(line: SourceLine): line is UnreadableLine {
  return 'code' in line;
}

/** Parses a line, or returns the reason why it is malformed. */
export function readLine(line: number, shortPart: string | undefined, read: () => SourceLink): SourceLine {
  try {
    return bounded(read());
  } catch (error) {
    return unreadable(line, shortPart, error);
  }
}

/** A line with a malformed value. */
export function unreadable(line: number, shortPart: string | undefined, error: unknown): UnreadableLine {
  if (!(error instanceof UnreadableValue)) throw error;
  return {line, shortPart, code: error.code, message: error.message};
}

/** Longer values are refused or cut anyway, so no more of them is kept. A URL that is too long stays so. */
const maxValue = maxUrl + 1;
const maxText = 1000;
const maxItems = 100;

function bounded(link: SourceLink): SourceLink {
  const {shortPart, url, domain, fields, password} = link;
  return {
    ...link,
    shortPart: cut(shortPart, maxText),
    url: cut(url, maxValue),
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
