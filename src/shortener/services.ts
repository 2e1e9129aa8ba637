import {siteKinds} from './kinds.ts';
import {ReservedSlugs} from '../site/reserved.ts';
import {Accounts} from '../accounts/accounts.ts';
import {Seal} from '../accounts/seal.ts';
import {SiteKey} from '../accounts/site-key.ts';
import {Attribution} from '../conversions/attribution.ts';
import {BringingLinks} from '../conversions/bringing-links.ts';
import {Conversions, maxPerDay} from '../conversions/conversions.ts';
import {Customers} from '../conversions/customers.ts';
import {Announcer} from '../links/announcer.ts';
import {ShortUrlError} from '../errors.ts';
import {Turns} from '../turns.ts';
import {readCreateQuota} from '../links/create-quota.ts';
import {DailyQuota, quotaRecords} from '../links/daily-quota.ts';
import {Intents} from '../links/create/intents.ts';
import {UserDomains} from '../links/user-domains.ts';
import {type Links, linksOf} from '../links/links.ts';
import {removeAll} from '../links/change/every-link.ts';
import {LinkIndex} from '../links/read/link-index.ts';
import {Shares} from '../links/share/shares.ts';
import {LinkRows} from '../links/rank/link-rows.ts';
import {Calendar} from '../values/calendar.ts';
import {schemesOf} from '../link/long-url.ts';
import type {LinkServices} from '../links/services.ts';
import {SitePages} from '../site/site-pages.ts';
import type {Store} from '../store/port.ts';
import {withDefaults} from '../values/options.ts';
import {DetailValues} from '../visits/detail-values.ts';
import {Redirects} from '../visits/redirects.ts';
import {VisitLog} from '../visits/visit-log.ts';
import {attributionOptions} from './attribution-options.ts';
import type {AttributionOptions} from './generated/options.ts';
import {shortUrlOptions} from './options.ts';
import type {Settings} from './settings.ts';

/**
 * How many long reads run at once, and how many may wait. One that runs holds up to some megabytes; while it waits for the
 * store, another one can go on.
 */
const longReads = {running: 4, runningOfAccount: 2, all: 1000, ofClient: 500};

function tooManyReads(): ShortUrlError {
  return new ShortUrlError('too_many_requests', 'Too many long reads are waiting. Try again in a moment.', {
    retryAfter: 5,
  });
}

/** The settings of the services. All but `bases` and `secrets` default as the options do. */
export type ServiceSettings = Pick<Settings, 'bases' | 'secrets'> & Partial<Settings & Pick<LinkServices, 'onCreate'>>;

/** Everything over one store that the middleware, the programmatic interface and the tools share. */
export interface Services<Port extends Store = Store> extends LinkServices {
  readonly store: Port;
  readonly accounts: Accounts;
  readonly links: Links;
  readonly log: VisitLog;
  readonly redirects: Redirects;
  readonly userDomains: UserDomains;
  readonly attribution: Attribution;
  readonly conversions: Conversions;
  readonly seal: Seal;
  readonly siteKey: SiteKey;
  readonly shares: Shares;
}

export function buildServices<Port extends Store>(
  store: Port,
  {bases, secrets, createQuota, onCreate, calendar = new Calendar(), ...settings}: ServiceSettings,
  announcer = new Announcer(),
): Services<Port> {
  const {now = () => Date.now()} = settings;
  const report = (error: ShortUrlError): void => {
    announcer.report(error);
  };
  const {sitePages = new SitePages(true)} = settings;
  const log = new VisitLog(store, report);
  const seal = new Seal(secrets);
  const siteKey = new SiteKey(store, seal);
  const accounts: Accounts = new Accounts({
    store,
    seal,
    siteKey,
    kinds: siteKinds,
    removeLinks: (account) => removeAll(services, account),
    now,
  });
  const quota = typeof createQuota === 'function' ? readCreateQuota(createQuota, announcer) : createQuota;
  const fieldDefaults = settings.fieldDefaults ?? {
    forwardQuery: shortUrlOptions.forwardQuery.default,
    confirm: shortUrlOptions.confirm.default,
  };
  const services = {
    store,
    accounts,
    bases,
    calendar,
    schemes: settings.schemes ?? schemesOf(shortUrlOptions.schemes.default),
    fieldDefaults,
    reserved: settings.reserved ?? new ReservedSlugs(),
    sitePages,
    slugLength: settings.slugLength ?? shortUrlOptions.slugLength.default,
    linkIndex: new LinkIndex(store),
    linkRows: new LinkRows({store, bases, now}),
    longReads: new Turns(longReads, tooManyReads),
    quota: new DailyQuota({
      store,
      quota,
      idOf: (account) => siteKey.idFor(quotaRecords, 'links', account),
      what: 'short URLs',
      calendar,
      now,
      onRefused: (account) => {
        announcer.announce('linkRefused', {account, reason: 'too_many_requests', at: new Date(now())});
      },
    }),
    intents: new Intents(store, siteKey),
    allowUrl: settings.allowUrl ?? shortUrlOptions.allowUrl.default,
    userDomains: new UserDomains({bases, ask: settings.domains, list: settings.domainsOf, announcer, now}),
    redirects: new Redirects({
      fieldDefaults,
      store,
      bases,
      sitePages,
      log,
      values: new DetailValues(store),
      calendar,
      now,
    }),
    announcer,
    ...(onCreate && {onCreate}),
    now,
  };
  const links = linksOf(services);
  const given: AttributionOptions = settings.attribution ?? {};
  const marking = withDefaults(given, attributionOptions);
  const attribution = new Attribution({seal, maxAge: marking.maxAge, now});
  const bringingLinks = new BringingLinks(services);
  const conversions = new Conversions({
    ...services,
    attribution,
    links: bringingLinks,
    customers: new Customers({
      store,
      siteKey,
      links: bringingLinks,
      age: marking.customerAge,
      now,
    }),
    conversionQuota: new DailyQuota({
      store,
      quota: maxPerDay,
      idOf: (account) => siteKey.idFor(quotaRecords, 'conversions', account),
      what: 'conversions and customers by API calls',
      calendar,
      now,
    }),
    siteKey,
    currency: marking.currency,
  });
  const shares = new Shares({...services, siteKey});
  return {...services, links, log, seal, siteKey, shares, attribution, conversions};
}
