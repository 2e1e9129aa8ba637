import {siteKinds} from './kinds.ts';
import {ReservedSlugs} from '../site/reserved.ts';
import {Accounts} from '../accounts/accounts.ts';
import {Seal} from '../accounts/seal.ts';
import {SiteKey} from '../accounts/site-key.ts';
import {Attribution} from '../conversions/attribution.ts';
import {Conversions} from '../conversions/conversions.ts';
import {Announcer} from '../links/announcer.ts';
import type {UserDomains} from '../links/user-domains.ts';
import {type Links, linksOf} from '../links/links.ts';
import {removeAll} from '../links/change/every-link.ts';
import {Shares} from '../links/share/shares.ts';
import {Calendar} from '../values/calendar.ts';
import {schemesOf} from '../link/long-url.ts';
import {type LinkServices, linkServices} from '../links/services.ts';
import {SitePages} from '../site/site-pages.ts';
import type {Store} from '../store/port.ts';
import {DetailValues} from '../visits/detail-values.ts';
import {Redirects} from '../visits/redirects.ts';
import {VisitLog} from '../visits/visit-log.ts';
import {attributionOptions} from './attribution-options.ts';
import {shortUrlOptions} from './options.ts';
import type {Settings} from './settings.ts';

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
  {bases, secrets, calendar = new Calendar(), ...settings}: ServiceSettings,
  announcer = new Announcer(),
): Services<Port> {
  const {
    now = () => Date.now(),
    sitePages = new SitePages(true),
    fieldDefaults = {forwardQuery: shortUrlOptions.forwardQuery.default, confirm: shortUrlOptions.confirm.default},
  } = settings;
  const log = new VisitLog(store, (error) => {
    announcer.report(error);
  });
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
  const site = {store, bases, calendar, sitePages, fieldDefaults, announcer, now};
  const redirects = new Redirects({...site, log, values: new DetailValues(store)});
  const services = {
    ...linkServices({
      ...site,
      siteKey,
      accounts,
      redirects,
      schemes: settings.schemes ?? schemesOf(shortUrlOptions.schemes.default),
      reserved: settings.reserved ?? new ReservedSlugs(),
      slugLength: settings.slugLength ?? shortUrlOptions.slugLength.default,
      allowUrl: settings.allowUrl ?? shortUrlOptions.allowUrl.default,
      createQuota: settings.createQuota,
      domains: settings.domains,
      domainsOf: settings.domainsOf,
      ...(settings.onCreate && {onCreate: settings.onCreate}),
    }),
    store,
    accounts,
    redirects,
  };
  const {attribution: marking} = settings;
  const maxAge = marking?.maxAge ?? attributionOptions.maxAge.default;
  const customerAge = marking?.customerAge ?? attributionOptions.customerAge.default;
  const attribution = new Attribution({seal, maxAge, now});
  return {
    ...services,
    links: linksOf(services),
    log,
    seal,
    siteKey,
    shares: new Shares({...services, siteKey}),
    attribution,
    conversions: new Conversions({...services, siteKey, attribution, currency: marking?.currency, customerAge}),
  };
}
