/**
 * Why a tool did nothing, or stopped.
 *
 * - `nothing_there`: the store has nothing under this namespace, or its file does not exist
 * - `same_store`: source and target are one
 * - `other_site`: the target has data that did not come from this source
 * - `target_in_use`: the target has moved on since the last copy into it
 * - `not_verified`: what was written is not what is there
 * - `malformed_file`: a file is not what it should be, or not from some line on, which the message names
 * - `unreadable_file`: a file cannot be read
 * - `unknown_account`: the account that is to get links does not exist
 * - `source_refused`: the other site refused the key, or an operation
 * - `source_unavailable`: the other site does not answer, or not with what it should
 */
export type ToolErrorCode =
  | 'nothing_there'
  | 'same_store'
  | 'other_site'
  | 'target_in_use'
  | 'not_verified'
  | 'malformed_file'
  | 'unreadable_file'
  | 'unknown_account'
  | 'source_refused'
  | 'source_unavailable';

/** A failure that a tool foresees. Match it by `code`; the message holds no secret. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
  readonly code: ToolErrorCode;

  constructor(code: ToolErrorCode, message: string, options: {cause?: unknown} = {}) {
    super(message, options);
    this.code = code;
  }
}
