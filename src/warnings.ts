import type {ShortUrlError} from './errors.ts';

const type = 'ShortUrlWarning';

/**
 * Prints a mistake in the configuration on standard error, unless the host has told Node.js otherwise.
 *
 * @param code by which `process.on('warning')` can tell it from others
 */
export function warn(code: string, message: string): void {
  process.emitWarning(message, {type, code});
}

/**
 * Prints a failure on standard error, with its cause; for a fault in a program also where it happened.
 *
 * @param hint what the operator may do about it
 */
export function warnOfFailure(error: ShortUrlError, hint = ''): void {
  const {stack} = (error.cause ?? {}) as {stack?: unknown};
  const place = error.code === 'internal_error' && typeof stack === 'string' ? [stack] : [];
  process.emitWarning(explain(error), {type, code: error.code, detail: [...place, hint].join('\n')});
}

/** An error and its causes in one line, for the host's operator alone. */
export function explain({message, cause}: Error): string {
  let text = message;
  const open: unknown[] = [cause];
  for (let depth = 0; depth < maxDepth && open.length > 0; depth += 1) {
    const next = open.shift();
    if (!(next instanceof Error)) continue;
    // Some errors repeat the message of their cause.
    if (next.message !== '' && !text.includes(next.message)) text += ` Cause: ${next.message}`;
    open.push(next.cause, ...(next instanceof AggregateError ? (next.errors as unknown[]) : []));
  }
  return text;
}

/** Causes that are looked at: they may form a circle. */
const maxDepth = 20;
