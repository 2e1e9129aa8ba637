import type {ReservedSlugs} from '../site/reserved.ts';
import type {Account} from '../accounts/accounts.ts';
import type {LiveAccount} from '../accounts/record.ts';
import type {Turns} from '../turns.ts';
import type {Announcer} from './announcer.ts';
import type {Store} from '../store/port.ts';
import type {Bases, LinkName} from '../link/bases.ts';
import type {Calendar} from '../values/calendar.ts';
import type {DailyQuota} from './daily-quota.ts';
import type {Intents} from './create/intents.ts';
import type {FieldDefaults} from '../link/confirm.ts';
import type {LinkIndex} from './read/link-index.ts';
import type {LinkRows} from './rank/link-rows.ts';
import type {UserDomains} from './user-domains.ts';
import type {SitePages} from '../site/site-pages.ts';

/** An account that may create links. */
export type OpenAccount = Account & Pick<LiveAccount, 'blocks'>;

/** The services that the operations on links use. */
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
