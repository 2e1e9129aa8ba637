/**
 * Keeps the errors of a stream from ending the process while nothing uses it. The use of a stream that has failed rejects
 * with its error. The standard streams belong to the host.
 *
 * @param stream anything that a caller gave; other values than streams have no errors
 */
export function holdErrors(stream: unknown): void {
  if (stream === process.stdout || stream === process.stderr) return;
  const {on} = (stream ?? {}) as Partial<NodeJS.EventEmitter>;
  if (typeof on === 'function') on.call(stream, 'error', () => undefined);
}
