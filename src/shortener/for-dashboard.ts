import type {Context} from 'koa';
import {type AccountName, readAccountName} from '../accounts/accounts.ts';
import {ShortUrlError} from '../errors.ts';
import type {Responder} from '../http/koa/responder.ts';
import {operations} from '../http/api/operations.ts';
import type {SharedPage} from '../links/share/shares.ts';
import {readConversionNames} from '../links/stats/conversion-names.ts';
import type {Hints} from '../site/hints.ts';
import {slugsAt} from '../site/reserved.ts';
import type {HostContext} from '../http/koa/host-context.ts';
import type {PageLanguage} from '../values/language.ts';
import type {Services} from './services.ts';
import type {Settings} from './settings.ts';

/** What a dashboard needs to know of the site, also one of your own. */
export interface SiteFacts {
  /** The option `timeZone`. */
  readonly timeZone: string;
  /** The names of the API's operations. */
  readonly operations: readonly string[];
  /**
   * What the site calls the conversions of a name: its text in `attribution.names`, or the name itself.
   *
   * @param count how many there are, which chooses between the forms for one and for several; by default several
   */
  conversionName(name: string, language: PageLanguage, count?: number): string;
  /** The base URLs on which an account may create links, those of its own domains (`domainsOf`) last. */
  baseUrlsOf(account: AccountName): Promise<readonly string[]>;
  /**
   * Reserves the first segments of the paths of a dashboard, so that no link gets them.
   *
   * @param wasReached whether its middleware was ever called; a warning is printed if it was not
   * @example
   * shortener.reserve(['/my-links']);
   */
  reserve(paths: readonly string[], wasReached?: () => boolean): void;
}

/** What the dashboard uses of a shortener besides its public interface. */
export interface ForDashboard {
  /** Whether the option `attribution` is set. */
  readonly hasAttribution: boolean;
  /**
   * Answers a call of the API from a page of the site, in JSON.
   *
   * @param account the account of the user, which is created if it does not exist; undefined if nobody is logged in. The
   *   answer tells an error with which it rejects.
   */
  answerCall(ctx: HostContext, operation: string, account: () => Promise<AccountName | undefined>): Promise<void>;
  /** The name of conversions that the site recorded first, by which lists are in order; undefined if there is none. */
  firstConversion(): Promise<string | undefined>;
  /**
   * Shows the pages that accounts share.
   *
   * @param root gives the path of the dashboard as browsers see it, without a slash at its end
   */
  share(root: () => string): void;
  /** What everybody with this token may see; undefined if it is unknown, or not any more. */
  shared(token: string): Promise<SharedPage | undefined>;
  /** Emits an `error` event, or prints a warning without a listener. */
  report(error: ShortUrlError): void;
}

type SiteServices = Pick<Settings, 'attribution' | 'bases' | 'calendar' | 'reserved'> &
  Pick<Services, 'userDomains'> & {readonly hints: Hints};

export function createSiteFacts({attribution, bases, calendar, hints, reserved, userDomains}: SiteServices): SiteFacts {
  return {
    timeZone: calendar.timeZone,
    operations: Object.freeze([...operations.keys()]),
    conversionName: (name, language, count = 2) => {
      const {names = {}} = attribution ?? {};
      const given = Object.hasOwn(names, name) ? names[name] : undefined;
      const isByLanguage = typeof given === 'object' && !('other' in given);
      const text = isByLanguage ? (given[language] ?? Object.values(given)[0]) : given;
      if (typeof text !== 'object') return text ?? name;
      return new Intl.PluralRules(language).select(count) === 'one' ? text.one : text.other;
    },
    baseUrlsOf: async (account) => {
      const own = await userDomains.of(readAccountName(account));
      return [...bases.roots, ...own.map(({root}) => root)];
    },
    reserve: (paths, wasReached) => {
      for (const slug of paths.flatMap((path) => slugsAt(path, bases))) reserved.add(slug);
      if (wasReached !== undefined) hints.expect(paths, wasReached);
    },
  };
}

type DashboardServices = Pick<Settings, 'attribution' | 'bases'> &
  Pick<Services, 'accounts' | 'announcer' | 'shares' | 'store'> & {readonly responder: Responder};

export function createForDashboard({
  accounts,
  announcer,
  responder,
  attribution,
  bases,
  shares,
  store,
}: DashboardServices): ForDashboard {
  return {
    hasAttribution: attribution !== undefined,
    answerCall: (ctx, operation, account) =>
      responder.callFromPage(ctx as Context, operation, async () => {
        const name = await account();
        if (name === undefined) throw new ShortUrlError('not_logged_in', 'Log in on the site first.');
        if ((await accounts.find(name)) === undefined) await accounts.create(name);
        return {account: await accounts.require(name), scope: 'full', key: undefined};
      }),
    firstConversion: async () => (await readConversionNames(store))[0]?.name,
    share: (root) => {
      const {origin} = new URL(bases.main.root);
      shares.showAt(() => origin + root());
    },
    shared: (token) => shares.find(token),
    report: (error) => {
      announcer.report(error);
    },
  };
}
