import {type TracingChannel, tracingChannel} from 'node:diagnostics_channel';
import {type ErrorCode, ShortUrlError, toShortUrlError} from './errors.ts';

/** The context of the channel `koa-short-url:redirect`: a request for a path that has the form of a short URL. */
export interface RedirectTrace {
  readonly shortUrl: string;
  /** `GET`, `HEAD` or `POST`. */
  readonly method: string;
  /** The HTTP status of the answer; undefined while there is none, and where no such link exists. */
  status: number | undefined;
  /** Why the request was answered with an error; without its cause. */
  readonly error?: ShortUrlError;
}

/** The context of the channel `koa-short-url:api`: a call of the HTTP API. */
export interface ApiTrace {
  /** The name of the operation; undefined if there is none of that name. */
  readonly operation: string | undefined;
  readonly format: 'json' | 'xml';
  readonly method: string;
  /** The HTTP status of the answer; undefined while there is none. */
  status: number | undefined;
  /** Why the call failed; undefined for a success. */
  code: ErrorCode | undefined;
}

/** The context of the channel `koa-short-url:store`: an operation of the store. */
export interface StoreTrace {
  /** What the store is: `memory`, `sqlite`, `redis`, `postgres`, `mysql` or `keyv`. */
  readonly engine: string;
  /** `get`, `getMany`, `insert`, `replace`, `remove`, `increment`, `count`, `getCounters`, `removeCounters` or `ping`. */
  readonly operation: string;
  /** Why the operation failed; without its cause. */
  readonly error?: ShortUrlError;
}

type Channel<Trace extends object> = TracingChannel<unknown, Trace>;

export const redirectChannel: Channel<RedirectTrace> = tracingChannel('koa-short-url:redirect');
export const apiChannel: Channel<ApiTrace> = tracingChannel('koa-short-url:api');
export const storeChannel: Channel<StoreTrace> = tracingChannel('koa-short-url:store');

/**
 * Publishes the beginning and the end of some work, if anybody listens. Subscribers get neither the result nor the cause
 * of a failure: these may hold a key, the hash of a password or an address.
 *
 * @param start makes the context
 * @param work is given the context, to fill it in; undefined if nobody listens
 */
export function traced<Trace extends object, Result>(
  channel: Channel<Trace>,
  start: () => Trace,
  work: (trace?: Trace) => Promise<Result>,
): Promise<Result> {
  return channel.hasSubscribers ? published(channel, start(), work) : work();
}

async function published<Trace extends object, Result>(
  channel: Channel<Trace>,
  trace: Trace,
  work: (trace: Trace) => Promise<Result>,
): Promise<Result> {
  let done!: Promise<Result>;
  const bare = (): Promise<void> => {
    done = work(trace);
    return done.then(
      () => undefined,
      (failure: unknown) => {
        throw withoutCause(toShortUrlError(failure));
      },
    );
  };
  await channel.tracePromise(bare, trace).catch(() => undefined);
  return done;
}

function withoutCause({code, message}: ShortUrlError): ShortUrlError {
  const error = new ShortUrlError(code, message);
  error.stack = `${error.name}: ${message}`;
  return error;
}
