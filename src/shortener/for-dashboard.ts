import type {Context} from 'koa';
import type {AccountName, Accounts} from '../accounts/accounts.ts';
import {ShortUrlError} from '../errors.ts';
import type {Answering} from '../http/koa/answering.ts';
import {operations} from '../http/api/operations.ts';
import type {Bases} from '../link/bases.ts';
import type {Calendar} from '../link/calendar.ts';
import type {Announcer} from '../links/announcer.ts';
import type {UserDomains} from '../links/user-domains.ts';
import type {Hints} from '../site/hints.ts';
import {type ReservedSlugs, slugsAt} from '../site/reserved.ts';
import type {HostContext} from '../http/koa/host-context.ts';
import type {PageLanguage} from '../values/language.ts';
import type {AttributionOptions} from './generated/options.ts';

/** What the dashboard uses of a shortener besides its public interface. */
export interface ForDashboard {
  /** The option `timeZone`. */
  readonly timeZone: string;
  /** Whether the option `attribution` is set. */
  readonly hasAttribution: boolean;
  /** The name of conversions in `attribution.names`, or as it is. */
  conversionName(name: string, language: PageLanguage): string;
  /** The base URLs on which an account may create links, those of its own domains (`domainsOf`) last. */
  baseUrlsOf(account: string): Promise<readonly string[]>;
  /**
   * Reserves the first segments of the paths of a dashboard.
   *
   * @param wasReached whether its middleware was ever called; a warning is printed if it was not
   */
  reserve(paths: readonly string[], wasReached: () => boolean): void;
  /** Whether the API has an operation of that name. */
  hasOperation(name: string): boolean;
  /**
   * Answers a call of the API from a page of the site, in JSON.
   *
   * @param account the account of the user, which is created if it does not exist; undefined if nobody is logged in. The
   *   answer tells an error with which it rejects.
   */
  answerCall(ctx: HostContext, operation: string, account: () => Promise<AccountName | undefined>): Promise<void>;
  /** Emits an `error` event, or prints a warning without a listener. */
  report(error: ShortUrlError): void;
}

interface Services {
  readonly accounts: Accounts;
  readonly announcer: Announcer;
  readonly answering: Answering;
  readonly attribution: AttributionOptions | undefined;
  readonly bases: Bases;
  readonly calendar: Calendar;
  readonly hints: Hints;
  readonly reserved: ReservedSlugs;
  readonly userDomains: UserDomains;
}

export function createForDashboard(services: Services): ForDashboard {
  const {accounts, announcer, answering, attribution, bases, calendar, hints, reserved, userDomains} = services;
  return {
    timeZone: calendar.timeZone,
    hasAttribution: attribution !== undefined,
    conversionName: (name, language) => {
      const {names = {}} = attribution ?? {};
      const text = Object.hasOwn(names, name) ? names[name] : undefined;
      return (typeof text === 'object' ? (text[language] ?? Object.values(text)[0]) : text) ?? name;
    },
    baseUrlsOf: async (account) => [...bases.roots, ...(await userDomains.of(account)).map(({root}) => root)],
    reserve: (paths, wasReached) => {
      for (const slug of paths.flatMap((path) => slugsAt(path, bases))) reserved.add(slug);
      hints.expect(paths, wasReached);
    },
    hasOperation: (name) => operations.has(name),
    answerCall: (ctx, operation, account) =>
      answering.callFromPage(ctx as Context, operation, async () => {
        const name = await account();
        if (name === undefined) throw new ShortUrlError('not_logged_in', 'Log in on the site first.');
        if ((await accounts.find(name)) === undefined) await accounts.create(name);
        return {account: await accounts.require(name), scope: 'full', key: undefined};
      }),
    report: (error) => {
      announcer.report(error);
    },
  };
}
