import {ShortUrlError} from './errors.ts';

const type = 'ShortUrlWarning';

/** The section of a code, in the installed package. */
function sectionOf(code: string): string {
  return `See node_modules/koa-short-url/docs/troubleshooting.md#${code}`;
}

/**
 * Emits a process warning about a mistake in the configuration. By default Node.js prints it on standard error.
 *
 * @param code identifies the warning in `process.on('warning')`
 */
export function warn(code: string, message: string): void {
  process.emitWarning(message, {type, code, detail: sectionOf(code)});
}

/**
 * Emits a process warning about a failure, with its cause. An `internal_error` also has the stack.
 *
 * @param hint an instruction for the operator
 */
export function warnOfFailure(error: ShortUrlError, hint = ''): void {
  const stack = read(error.cause, 'stack');
  const place = error.code === 'internal_error' && typeof stack === 'string' ? [stack] : [];
  process.emitWarning(explain(error), {
    type,
    code: error.code,
    detail: [...place, hint, sectionOf(error.code)].filter(Boolean).join('\n'),
  });
}

/** An error and its causes in one line, for the site's operator only. */
export function explain({message, cause}: Error): string {
  let text = message;
  const open: unknown[] = [cause];
  for (let depth = 0; depth < maxDepth && open.length > 0; depth += 1) {
    const next = open.shift();
    if (!(next instanceof Error)) continue;
    const reason = read(next, 'message');
    // Some errors repeat the message of their cause.
    if (typeof reason === 'string' && !text.includes(reason)) text += ` Cause: ${reason}`;
    const errors = next instanceof AggregateError ? read(next, 'errors') : [];
    open.push(read(next, 'cause'), ...(Array.isArray(errors) ? (errors as unknown[]) : []));
  }
  return text;
}

/** A bound, because causes may form a cycle. */
const maxDepth = 20;

/** A property of a value that a callback of the host may have thrown; undefined if its getter throws. */
function read(value: unknown, name: string): unknown {
  try {
    return (value as Readonly<Record<string, unknown>> | null | undefined)?.[name];
  } catch {
    return undefined;
  }
}

/** The part of Koa's context that reports an error to the host's app. */
export interface AppContext {
  readonly app: {emit(event: 'error', ...values: unknown[]): unknown};
}

/** Emits the error to the host's app. A listener that throws becomes a warning. */
export function emitError(ctx: AppContext, error: unknown): void {
  try {
    ctx.app.emit('error', error, ctx);
  } catch (cause) {
    warnOfFailure(new ShortUrlError('internal_error', "A listener of the app's error event failed.", {cause}));
  }
}
