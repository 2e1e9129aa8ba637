/** A command line that cannot be right. The message repeats no value. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
