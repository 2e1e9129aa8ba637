import {performance} from 'node:perf_hooks';
import {Keys} from '../accounts/keys.ts';
import {checkSecrets} from '../accounts/sealed-keys.ts';
import {isUnavailable, ShortUrlError, toShortUrlError} from '../errors.ts';
import {parseCall} from '../http/call.ts';
import {packing} from '../link/packing.ts';
import {Admin} from '../links/admin.ts';
import {Announcer} from '../links/announcer.ts';
import {Expiry} from '../links/change/expiry.ts';
import {Running} from '../running.ts';
import {Hints} from '../site/hints.ts';
import {openStore} from '../store/opening/open.ts';
import {warn} from '../warnings.ts';
import {accountsOf} from './accounts.ts';
import {conversionsOf} from './conversions.ts';
import {counted} from './counted.ts';
import {createForDashboard, createSiteFacts} from './for-dashboard.ts';
import type {ShortUrlOptions} from './generated/options.ts';
import {readHealth} from './health.ts';
import type {ShortUrl} from './interface.ts';
import {linksByName} from './links.ts';
import {createRequests} from './requests.ts';
import {buildServices} from './services.ts';
import {readOptions} from './settings.ts';

/** How long `close` waits for running calls and pending visits together, in milliseconds. */
const closeTimeout = 5000;

/**
 * Creates a link shortener, which is a Koa middleware.
 *
 * @throws TypeError for an invalid or unknown option
 * @example
 * const shortener = shortUrl({baseUrl: 'https://example.com', store: 'sqlite:links.db', secret: process.env.SHORT_URL_SECRET});
 * app.use(shortener);
 */
export function shortUrl(options: ShortUrlOptions): ShortUrl {
  const settings = readOptions(options);
  const {bases, sitePages, now} = settings;
  const announcer = new Announcer();
  const report = (error: ShortUrlError): void => {
    announcer.report(error);
  };

  const store = openStore(settings.store, {
    namespace: settings.namespace,
    packing: {...packing, ignoresCase: bases.shortParts.ignoreCase},
    timeout: settings.storeTimeout,
    now,
    onOutage: report,
    onUnreadable: report,
    onLoss: report,
  });
  const isCall = (path: string): boolean => parseCall(path, '/api/v1/') !== undefined;
  const hints = new Hints({bases, sitePages, isCall});
  const onCreate = hints.watch.bind(hints);
  const services = buildServices(store, {...settings, onCreate}, announcer);
  const {accounts, links, log, seal, shares, siteKey, userDomains} = services;
  const keys = new Keys(accounts, now);
  const running = new Running();
  let areSecretsRight = false;
  /** After one success it reads nothing again. */
  const checkSecret = async (): Promise<void> => {
    if (areSecretsRight) return;
    await checkSecrets(store, seal);
    await siteKey.read();
    areSecretsRight = true;
  };
  /** A site that never calls `ready` hears of a wrong secret too. Of an outage it hears by itself. */
  const onFirst = (): void => {
    checkSecret().catch((error: unknown) => {
      if (!isUnavailable(error)) report(toShortUrlError(error));
    });
  };
  const closed = new AbortController();
  const expiry = new Expiry({...services, closing: closed.signal});
  const requests = {hints, keys, running, expiry, onFirst};
  const {middleware, answers, responder, marker} = createRequests(settings, services, requests);
  let closing: Promise<void> | undefined;
  async function closeAll(): Promise<void> {
    closed.abort();
    hints.close();
    const end = performance.now() + closeTimeout;
    const [lost] = await Promise.all([log.close(closeTimeout), running.ended(closeTimeout)]);
    if (lost > 0) {
      const message = `${lost} visits were lost, because the store did not accept them before it was closed.`;
      report(new ShortUrlError('store_unavailable', message));
    }
    await store.close(Math.max(0, end - performance.now()));
  }
  const close = (): Promise<void> => (closing ??= closeAll());

  if (settings.store === undefined) {
    warn('memory', 'Links are kept in memory and are lost when the process ends. Set the option `store`.');
  }
  return Object.assign(middleware, {
    accounts: counted(accountsOf(accounts, links), running),
    links: counted(linksByName(links, shares, accounts), running),
    keys: counted(keys, running),
    conversions: counted(conversionsOf({...services, marker}), running),
    admin: counted(new Admin({...services, expiry, closing: closed.signal}), running),
    events: announcer.events,
    baseUrls: Object.freeze(bases.roots),
    ...createSiteFacts({...settings, hints, userDomains}),
    forDashboard: createForDashboard({...settings, accounts, announcer, responder, shares, store}),
    now,
    answers,
    ready: async () => {
      await store.ping();
      await checkSecret();
    },
    health: async () => readHealth(store, log),
    close,
    [Symbol.asyncDispose]: close,
  });
}
