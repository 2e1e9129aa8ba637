import type {ExecutionContext} from 'ava';
import {type ShortUrl, shortUrl} from '../../../src/index.ts';
import {range} from './crowd.ts';
import {type Engine, type EngineOptions, freshOn, storeOn} from './engines.ts';
import type {Limits, SiteProcess, siteProcesses} from './site-processes.ts';

/** Several sites on one engine, and a shortener of this process on the same engine. */
export interface Together {
  readonly sites: SiteProcess[];
  /** Starts another site. */
  readonly another: () => Promise<SiteProcess>;
  readonly shortener: ShortUrl;
  readonly options: EngineOptions & Limits;
}

interface Settings {
  readonly start: ReturnType<typeof siteProcesses>;
  /** The number of sites, each in its own process. */
  readonly size: number;
  /** An account that is created before the sites start. */
  readonly account?: string;
  readonly limits?: Limits;
}

/** Starts the sites at once, because opening a new engine is part of a race. */
export async function together(
  t: ExecutionContext,
  engine: Engine,
  {start, size, account, limits}: Settings,
): Promise<Together> {
  const options = {...(await freshOn(engine, t)), ...limits};
  const another = (): Promise<SiteProcess> => start(t, engine, options);
  const store = storeOn(engine, options.store, t);
  const shortener = shortUrl({baseUrl: 'https://example.com', ...options, store});
  t.teardown(() => shortener.close());
  if (account !== undefined) await shortener.accounts.create(account);
  return {sites: await Promise.all(range(size).map(another)), another, shortener, options};
}
