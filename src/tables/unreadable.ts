/** Codes of values that cannot be read. */
export type UnreadableCode =
  | 'not_a_link'
  | 'not_utf8'
  | 'unreadable_row'
  | 'unreadable_date'
  | 'ambiguous_date'
  | 'unreadable_number'
  | 'unreadable_status'
  | 'other_short_url'
  | 'unknown_short_url';

/** A malformed value in a line. */
export class UnreadableValue extends Error {
  readonly code: UnreadableCode;
  /** The place of the column, from 0. */
  column?: number;

  constructor(code: UnreadableCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** A file is no table, or its rows cannot be told apart. */
export class UnreadableTable extends Error {}
