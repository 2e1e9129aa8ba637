import {fields, type ShownName, shownNames} from '../../../link/fields.ts';

/** Fields that only this site has, or that other sites have in the same form. */
export type CarriedName = Exclude<ShownName, 'title' | 'tags' | 'maxVisits' | 'startDate'>;

const converted: readonly ShownName[] = ['title', 'tags', 'maxVisits', 'startDate'];

const carriedNames = shownNames.filter((name) => !converted.includes(name)) as readonly CarriedName[];

/** The fields that a source has under their names in the API, as values or as texts. */
export function carriedFrom(valueOf: (name: CarriedName) => unknown): SourceLink['carried'] {
  const found = carriedNames.map((name) => {
    const value = valueOf(name);
    return [name, typeof value === 'string' ? (fields[name].form?.fromText?.(value) ?? value) : value] as const;
  });
  const given = found.filter(([, value]) => value !== undefined && value !== null && value !== '');
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

/** A link of a source. Times are milliseconds since the epoch. */
export interface SourceLink {
  /** The line in a text file, or the number of the link in any other source; from 1. */
  readonly line: number;
  readonly shortPart: string;
  readonly url: string;
  /** Its domain; undefined if the source does not have it. */
  readonly domain?: string | undefined;
  readonly title?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly created?: number | undefined;
  readonly end?: number | undefined;
  readonly visits?: number | undefined;
  readonly lastVisit?: number | undefined;
  readonly maxVisits?: number | undefined;
  /** When it begins. */
  readonly start?: number | undefined;
  /** Fields in the form of `CreateLink`. */
  readonly carried?: Readonly<Partial<Record<CarriedName, unknown>>> | undefined;
  readonly password?: string | undefined;
  /** Whether it has a password that is not in the source. */
  readonly isLocked?: boolean | undefined;
  readonly isDisabled?: boolean | undefined;
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
  'title_changed' | 'tags_changed' | 'password_unknown' | 'blocked' | 'rules_dropped' | 'limit_dropped';

/** Codes of lines that cannot be parsed. */
export type UnreadableCode =
  | 'not_a_link'
  | 'not_utf8'
  | 'unreadable_row'
  | 'unreadable_date'
  | 'unreadable_number'
  | 'unreadable_status'
  | 'unknown_short_url';

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

/** A malformed value in a line. */
export class UnreadableValue extends Error {
  readonly code: UnreadableCode;

  constructor(code: UnreadableCode, message: string) {
    super(message);
    this.code = code;
  }
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

/** Longer values are refused or cut anyway, so no more of them is kept. */
const maxUrl = 8193;
const maxText = 1000;
const maxTags = 100;

function bounded(link: SourceLink): SourceLink {
  const {shortPart, url, domain, title, tags, password} = link;
  return {
    ...link,
    shortPart: cut(shortPart, maxText),
    url: cut(url, maxUrl),
    ...(domain !== undefined && {domain: cut(domain, maxText)}),
    ...(title !== undefined && {title: cut(title, maxText)}),
    ...(tags !== undefined && {tags: tags.slice(0, maxTags).map((tag) => cut(tag, maxText))}),
    ...(password !== undefined && {password: cut(password, maxText)}),
  };
}

/** The beginning of a text. A copy, because a slice would keep the whole text in memory. */
function cut(text: string, length: number): string {
  return text.length <= length ? text : Buffer.from(text.slice(0, length)).toString();
}
