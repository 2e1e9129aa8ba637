import {tracingChannel} from 'node:diagnostics_channel';
import {type ErrorCode, ShortUrlError, toShortUrlError} from './errors.ts';

/** The context of the channel `koa-short-url:redirect`: a request for a path that has the form of a short URL. */
export interface RedirectTrace {
  readonly shortUrl: string;
  /** `GET`, `HEAD` or `POST`. */
  readonly method: string;
  /** The HTTP status of the answer; undefined before the answer, and if there is no such link. */
  status: number | undefined;
  /** The error of a request that was answered with 500 or 503, without its cause; undefined for any other. */
  error?: ShortUrlError;
}

/** The context of the channel `koa-short-url:api`: a call of the HTTP API. */
export interface ApiTrace {
  /** The name of the operation; undefined for an unknown one. */
  readonly operation: string | undefined;
  readonly format: 'json' | 'xml';
  readonly method: string;
  /** The HTTP status of the answer; undefined before the answer. */
  status: number | undefined;
  /** The code of the error; undefined for a success. */
  code: ErrorCode | undefined;
}

/** The context of the channel `koa-short-url:store`: an operation of the store. */
export interface StoreTrace {
  /** The engine: `memory`, `sqlite`, `redis`, `postgres`, `mysql` or `keyv`. */
  readonly engine: string;
  /** `get`, `getMany`, `insert`, `replace`, `remove`, `increment`, `count`, `getCounters`, `removeCounters` or `ping`. */
  readonly operation: string;
  /** The error of the operation, without its cause. */
  readonly error?: ShortUrlError;
}

/** The used part of a `TracingChannel`, whose type parameters have another order in newer versions of `@types/node`. */
interface Channel<Trace extends object> {
  readonly hasSubscribers: boolean;
  tracePromise(work: () => Promise<void>, trace: Trace): Promise<void>;
}

export const redirectChannel: Channel<RedirectTrace> = tracingChannel('koa-short-url:redirect');
export const apiChannel: Channel<ApiTrace> = tracingChannel('koa-short-url:api');
export const storeChannel: Channel<StoreTrace> = tracingChannel('koa-short-url:store');

/**
 * Runs `work`, and publishes its start and end if the channel has subscribers. They get neither the result nor the cause
 * of a failure, which may contain a key, the hash of a password or an address.
 *
 * @param start makes the context; not called without subscribers
 * @param work gets the context to fill in; undefined without subscribers. It has failed if it rejects or sets `error`
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
      () => {
        const {error} = trace as {error?: ShortUrlError};
        if (error !== undefined) throw error;
      },
      (failure: unknown) => {
        throw withoutCause(toShortUrlError(failure));
      },
    );
  };
  await channel.tracePromise(bare, trace).catch(() => undefined);
  return done;
}

export function withoutCause({code, message}: ShortUrlError): ShortUrlError {
  const error = new ShortUrlError(code, message);
  error.stack = `${error.name}: ${message}`;
  return error;
}
