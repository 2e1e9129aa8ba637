import {performance} from 'node:perf_hooks';
import {toShortUrlError} from '../errors.ts';
import type {VisitLog} from '../visits/visit-log.ts';
import type {Store} from '../store/port.ts';
import {version} from '../version.ts';
import {explain} from '../warnings.ts';

/** The state of a shortener, for the site's operator. Do not publish it, because `failure` may name servers. */
export interface Health {
  /** Whether the store answered this call. */
  readonly isReady: boolean;
  /** `memory`, `sqlite`, `redis`, `postgres`, `mysql`, or `keyv` for any other Keyv adapter. */
  readonly engine: string;
  /** `store`: exact for any number of processes. `process`: exact only while a single process uses the store. */
  readonly guarantee: 'store' | 'process';
  /** How long the store took to answer, in milliseconds; null if it did not answer. */
  readonly latency: number | null;
  /** When the outage began; null if the store answered. */
  readonly awaySince: Date | null;
  /**
   * Why the store cannot be used, that it has lost its data, or why it answers but the last write has failed (a full
   * disk, for example). It includes the cause and never a password. Null if there is no failure, a write has succeeded
   * since, or nothing has failed for a minute.
   */
  readonly failure: string | null;
  /** Visits that are not stored yet, including those of visitors who are waiting. Killing the process loses them. */
  readonly unstoredVisits: number;
  /** The version of this package. */
  readonly version: string;
}

/**
 * Pings the store, for at most `storeTimeout`. Never rejects.
 *
 * @internal
 */
export async function readHealth(
  store: Store,
  log: Pick<VisitLog, 'unstored' | 'failure'>,
  clock = () => performance.now(),
): Promise<Health> {
  const start = clock();
  const error = await store.ping().then(
    () => undefined,
    (failure: unknown) => toShortUrlError(failure),
  );
  const {engine, guarantee, awaySince} = store;
  const failure = error ?? store.loss ?? log.failure ?? store.writeFailure;
  return {
    isReady: error === undefined,
    engine,
    guarantee,
    latency: error === undefined ? clock() - start : null,
    awaySince: error === undefined || awaySince === undefined ? null : new Date(awaySince),
    failure: failure === undefined ? null : explain(failure),
    unstoredVisits: log.unstored,
    version,
  };
}
