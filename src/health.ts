import {toShortUrlError} from './errors.ts';
import type {VisitLog} from './links/visit-log.ts';
import type {Store} from './store/port.ts';
import {version} from './version.ts';
import {explain} from './warnings.ts';

/** How a shortener is, for a page or a probe of the site's operator. Do not publish it: `failure` may name servers. */
export interface Health {
  /** Whether the store has answered just now. */
  readonly isReady: boolean;
  /** What the store is: `memory`, `sqlite`, `redis`, `postgres`, `mysql`, or `keyv` for any other Keyv adapter. */
  readonly engine: string;
  /** `store`: exact between any number of processes. `process`: exact only while one process uses the store. */
  readonly guarantee: 'store' | 'process';
  /** How long the store took to answer, in milliseconds; null if it did not. */
  readonly latency: number | null;
  /** When the outage began; null if the store has answered. */
  readonly awaySince: Date | null;
  /** Why the store cannot be used, with the cause and without a password; null if it has answered. */
  readonly failure: string | null;
  /** Visits that were redirected, or wait to be, and are not stored yet. They are lost if the process ends now. */
  readonly unstoredVisits: number;
  /** The version of this package. */
  readonly version: string;
}

/** Asks the store whether it answers, which takes no longer than its timeout. Never rejects. */
export async function readHealth(
  store: Store,
  log: Pick<VisitLog, 'unstored'>,
  clock = () => performance.now(),
): Promise<Health> {
  const start = clock();
  const error = await store.ping().then(
    () => undefined,
    (failure: unknown) => toShortUrlError(failure),
  );
  const {engine, guarantee, awaySince} = store;
  return {
    isReady: error === undefined,
    engine,
    guarantee,
    latency: error === undefined ? clock() - start : null,
    awaySince: error === undefined || awaySince === undefined ? null : new Date(awaySince),
    failure: error === undefined ? null : explain(error),
    unstoredVisits: log.unstored,
    version,
  };
}
