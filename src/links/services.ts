import type {ReservedSlugs} from '../site/reserved.ts';
import type {Account} from '../accounts/accounts.ts';
import type {LiveAccount} from '../accounts/record.ts';
import type {SiteKey} from '../accounts/site-key.ts';
import {ShortUrlError} from '../errors.ts';
import {Turns} from '../turns.ts';
import type {Announcer} from './announcer.ts';
import type {Store} from '../store/port.ts';
import type {Bases, LinkName} from '../link/bases.ts';
import type {Calendar} from '../values/calendar.ts';
import {type CreateQuota, readCreateQuota} from './create-quota.ts';
import {DailyQuota, quotaRecords} from './daily-quota.ts';
import {Intents} from './create/intents.ts';
import type {FieldDefaults} from '../link/confirm.ts';
import {LinkIndex} from './read/link-index.ts';
import {LinkRows} from './rank/link-rows.ts';
import {UserDomains, type UserDomainsDependencies} from './user-domains.ts';
import type {SitePages} from '../site/site-pages.ts';

/** An account that may create links. */
export type OpenAccount = Account & Pick<LiveAccount, 'blocks'>;

export interface LinkServices {
  readonly store: Store;
  /** Rejects if the account was removed or blocked. */
  readonly accounts: {readonly recheck: (account: Account) => Promise<OpenAccount>};
  readonly bases: Bases;
  readonly calendar: Calendar;
  readonly schemes: ReadonlySet<string>;
  readonly fieldDefaults: FieldDefaults;
  readonly reserved: ReservedSlugs;
  readonly sitePages: SitePages;
  readonly slugLength: number;
  readonly linkIndex: LinkIndex;
  readonly linkRows: LinkRows;
  readonly longReads: Turns;
  readonly quota: DailyQuota;
  readonly intents: Intents;
  readonly allowUrl: (url: string, account: string, target: string) => boolean | Promise<boolean>;
  readonly userDomains: Pick<UserDomains, 'check' | 'learn'>;
  /** Where this process keeps links for their visitors. */
  readonly redirects: {readonly forget: (link: LinkName) => void};
  readonly announcer: Announcer;
  /** Called with each link that was created. */
  readonly onCreate?: (link: LinkName) => void;
  readonly now: () => number;
}

/** What other folders and the options of the site decide. */
export interface LinkSettings extends Omit<
  LinkServices,
  'linkIndex' | 'linkRows' | 'longReads' | 'quota' | 'intents' | 'userDomains'
> {
  readonly siteKey: Pick<SiteKey, 'digest' | 'idFor'>;
  readonly createQuota: number | CreateQuota | undefined;
  /** The options `domains` and `domainsOf`. */
  readonly domains: UserDomainsDependencies['ask'];
  readonly domainsOf: UserDomainsDependencies['list'];
}

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

export function linkServices({siteKey, createQuota, domains, domainsOf, ...given}: LinkSettings) {
  const {store, bases, announcer, now} = given;
  return {
    ...given,
    linkIndex: new LinkIndex(store),
    linkRows: new LinkRows(given),
    longReads: new Turns(longReads, tooManyReads),
    quota: new DailyQuota({
      ...given,
      quota: typeof createQuota === 'function' ? readCreateQuota(createQuota, announcer) : createQuota,
      idOf: (account) => siteKey.idFor(quotaRecords, 'links', account),
      what: 'short URLs',
      onRefused: (account) => {
        announcer.announce('linkRefused', {account, reason: 'too_many_requests', at: new Date(now())});
      },
    }),
    intents: new Intents(store, siteKey),
    userDomains: new UserDomains({bases, ask: domains, list: domainsOf, announcer, now}),
  };
}
