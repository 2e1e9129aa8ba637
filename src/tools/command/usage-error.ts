/** A wrong command line. The message repeats no value. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
