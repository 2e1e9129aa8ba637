/**
 * Keeps the errors of a stream from ending the process while nothing uses it. The use of a stream that has failed rejects
 * with its error.
 *
 * @param stream anything that a caller gave; other values than streams have no errors
 */
export function holdErrors(stream: unknown): void {
  if (isStandardStream(stream)) return;
  const {on} = (stream ?? {}) as Partial<NodeJS.EventEmitter>;
  if (typeof on === 'function') on.call(stream, 'error', () => undefined);
}

/** Whether the stream belongs to the host for as long as the process runs. */
export function isStandardStream(stream: unknown): boolean {
  return stream === process.stdout || stream === process.stderr;
}
