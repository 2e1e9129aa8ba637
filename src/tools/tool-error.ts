/**
 * The reason why a tool did nothing or stopped.
 *
 * - `nothing_there`: the store has nothing under this namespace, or its file does not exist
 * - `same_store`: source and target are the same store
 * - `other_site`: the target has data that did not come from this source
 * - `target_in_use`: the target has changed since the last copy into it, or has other values than the file
 * - `case_conflict`: links that differ only in case would become one
 * - `incomplete`: a copy or an import into the store was cut off and not finished
 * - `not_verified`: the target does not have what was written
 * - `malformed_file`: a file is damaged or has another format; the message names the line
 * - `unreadable_file`: a file cannot be read
 * - `unknown_account`: the account for the links does not exist
 * - `source_refused`: the other site refused the key, or an operation
 * - `source_unavailable`: the other site does not answer, or its answers are wrong
 */
export type ToolErrorCode =
  | 'nothing_there'
  | 'same_store'
  | 'other_site'
  | 'target_in_use'
  | 'case_conflict'
  | 'incomplete'
  | 'not_verified'
  | 'malformed_file'
  | 'unreadable_file'
  | 'unknown_account'
  | 'source_refused'
  | 'source_unavailable';

/** An expected failure of a tool. Match it by `code`. The message contains no secret. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
  readonly code: ToolErrorCode;

  constructor(code: ToolErrorCode, message: string, options: {cause?: unknown} = {}) {
    super(message, options);
    this.code = code;
  }
}
