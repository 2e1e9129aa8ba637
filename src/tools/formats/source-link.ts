/** A link as it stands in a source. Moments are milliseconds since the epoch. */
export interface SourceLink {
  /** Its line in a file of lines, its number in any other source; from 1. */
  readonly line: number;
  readonly shortPart: string;
  readonly url: string;
  /** Where it lived; undefined where the source does not say. */
  readonly domain?: string | undefined;
  readonly title?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly created?: number | undefined;
  readonly end?: number | undefined;
  readonly visits?: number | undefined;
  readonly lastVisit?: number | undefined;
  readonly maxVisits?: number | undefined;
  readonly password?: string | undefined;
  /** Whether it has a password that the source does not tell. */
  readonly isLocked?: boolean | undefined;
  readonly isDisabled?: boolean | undefined;
  readonly isBlocked?: boolean | undefined;
  /** What the source has of it and nobody can keep. */
  readonly notes?: readonly Note[];
}

/** Something that a report tells of a link: a code for programs, and a sentence for people. */
export interface Note {
  readonly code: NoteCode;
  readonly message: string;
}

/** Codes of links that come over, but not as they were. */
export type NoteCode =
  | 'title_changed'
  | 'tags_changed'
  | 'password_unknown'
  | 'blocked'
  | 'not_valid_yet'
  | 'rules_dropped'
  | 'limit_dropped';

/** Codes of lines that cannot be read. */
export type UnreadableCode =
  'not_a_link' | 'not_utf8' | 'unreadable_date' | 'unreadable_number' | 'unreadable_status' | 'unknown_short_url';

/** A line of which no link can be made. */
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

/** A value of a line that is not what it should be. */
export class UnreadableValue extends Error {
  readonly code: UnreadableCode;

  constructor(code: UnreadableCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Reads a line, or says why it cannot be read. */
export function readLine(line: number, shortPart: string | undefined, read: () => SourceLink): SourceLine {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof UnreadableValue)) throw error;
    return {line, shortPart, code: error.code, message: error.message};
  }
}
