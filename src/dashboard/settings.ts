import type {Context} from 'koa';
import {aColor} from '../values/accent.ts';
import {anAccountName} from '../values/account-name.ts';
import {anAddress, hasNoDots} from '../values/address.ts';
import {describe} from '../values/describe.ts';
import {checkNames, checkOptions, type OptionTable, withDefaults} from '../values/options.ts';
import {callback, flag, shapeOf, text} from '../values/shape.ts';
import {beginning} from './html.ts';
import {type ShortUrl, ShortUrlError} from '../index.ts';
import type {DashboardOptions} from './generated/options.ts';
import type {AccountDescription, DashboardPage, DashboardUser} from './options.ts';

/** The checked options, with defaults. */
export type Settings = Readonly<ReturnType<typeof readOptions>>;

/** In characters. */
const maxDescription = 200;

/** The maximum number of accounts that a search finds. */
export const maxFound = 100;

/** The options of `dashboard`, in the order of the documentation. */
export const dashboardOptions = {
  account: {
    ...callback<(ctx: Context) => string | number | null | undefined | Promise<string | number | null | undefined>>(),
    isRequired: true,
    sentence:
      'The account of the logged-in user, a string or an integer, or `undefined` if nobody is logged in. It is created if it does not exist. Anything else is answered with 500, and `error` events name it.',
    example: 'account: (ctx) => ctx.session.userId',
  },
  path: {
    ...shapeOf<string>({
      expected: 'a path such as /links, of A-Z a-z 0-9 . _ ~ - and slashes, without . and .. as a part',
      holds: (value: unknown) =>
        typeof value === 'string' && /^\/(?:[\w.~-]+(?:\/[\w.~-]+)*\/?)?$/.test(value) && hasNoDots(value),
    }),
    default: '/links',
    sentence: 'The path of the dashboard, as in `ctx.path`: without the prefix that koa-mount removes.',
  },
  login: {
    ...shapeOf<string | ((ctx: Context, next: string) => string | Promise<string>)>({
      expected: `${anAddress.expected}, or a function`,
      holds: (value: unknown) => anAddress.holds(value) || typeof value === 'function',
    }),
    sentence:
      'The login page for a visitor who is not logged in: a path or an absolute URL, which gets `?next=` with the path to return to. Or a function that returns it, for a login that keeps that path elsewhere, such as in the state of OpenID. Without it, the answer is 401, as after a form whose login the function has on another origin.',
    example: 'login: (ctx, next) => `/auth?return_to=${encodeURIComponent(next)}`',
  },
  user: {
    ...callback<(ctx: Context) => DashboardUser | null | undefined | Promise<DashboardUser | null | undefined>>(),
    sentence:
      'Returns `{name, logout}`: the name of the logged-in user, and the path or URL that logs out by GET, which every page shows. `logout` may be absent. If it fails, or returns another property, the page shows no name and the app gets an `error` event.',
    example: "user: (ctx) => ({name: ctx.session.email, logout: '/logout'})",
  },
  api: {
    ...flag,
    default: true,
    sentence:
      'Whether users see the keys and the API pages, and [pages of the site may call the API](client.md#in-a-page-of-your-site) at `<path>/api/<operation>`. With `false`, these paths are unknown. The API itself still works.',
  },
  share: {
    ...flag,
    default: true,
    sentence:
      'Whether users may [share numbers](dashboard.md#share-numbers) on pages at `<path>/shared/<token>`, which need no login. With `false`, these paths are unknown.',
  },
  admin: {
    ...callback<(ctx: Context) => boolean | Promise<boolean>>(),
    default: () => false,
    defaultCode: '() => false',
    sentence:
      "Whether this user, who has an account, is an operator of the site and sees the operator's pages: they list all accounts, and find, block and unblock every link.",
    example: "admin: (ctx) => ctx.session.role === 'admin'",
  },
  describeAccount: {
    ...callback<
      (account: string) => AccountDescription | null | undefined | Promise<AccountDescription | null | undefined>
    >(),
    sentence: `Returns \`{name, email}\`, each of which may be absent: the name and the email address of an account, which the operator sees beside its id: at most ${maxDescription} characters of each. It runs for all accounts of a page at once. If it fails, or returns another property, the page shows only the id.`,
    example: 'describeAccount: async (account) => ({email: await db.emailOf(account)})',
  },
  findAccounts: {
    ...callback<(text: string) => ReadonlyArray<string | number> | Promise<ReadonlyArray<string | number>>>(),
    sentence: `The accounts whose user's name or email address matches the text that the operator searches for. Of those that exist, the first ${maxFound} are shown. If it fails, the page says so. Without it, the operator searches by id.`,
    example: 'findAccounts: async (text) => db.idsOfUsersLike(text)',
  },
  siteName: {...text, sentence: 'The name of the site; without it, the domain of `baseUrl`.'},
  homeUrl: {
    ...anAddress,
    sentence: 'Where the name leads: a path or an absolute URL; without it, the root of the domain of `baseUrl`.',
  },
  accent: {
    ...aColor,
    default: '#0b57d0',
    sentence:
      'The colour of links and buttons, `#rgb` or `#rrggbb`. It is made darker or lighter where contrast requires it.',
  },
  layout: {
    ...callback<(page: DashboardPage, ctx: Context) => string | Promise<string>>(),
    sentence:
      "Puts a page into [the site's own layout](dashboard.md#use-your-own-layout) and returns the whole document. The host then sets the Content-Security-Policy. Without it, the built-in layout is used.",
  },
} as const satisfies OptionTable<DashboardOptions>;

/**
 * Checks the options and fills in their defaults.
 *
 * @throws TypeError with the expected and the given value
 */
export function readOptions(shortener: ShortUrl, options: DashboardOptions) {
  if (typeof shortener !== 'function' || !('forDashboard' in shortener)) {
    throw new TypeError('Expected the first argument to be the shortener that `shortUrl` of the same version returned');
  }
  checkOptions(options, dashboardOptions);
  const given = withDefaults(options, dashboardOptions);
  const [baseUrl = ''] = shortener.baseUrls;
  return {
    ...given,
    /** Begins with a slash and does not end with one; empty for the root. */
    path: given.path.replace(/\/$/, ''),
    siteName: given.siteName ?? new URL(baseUrl).host,
    homeUrl: given.homeUrl ?? new URL('/', baseUrl).href,
    describeAccount: given.describeAccount ?? (() => undefined),
    user: given.user ?? (() => undefined),
  };
}

/** @throws TypeError if the option `login` returned anything but an address */
export function checkLogin(returned: unknown): string {
  if (anAddress.holds(returned)) return returned;
  throw new TypeError(`Expected \`login\` to return ${anAddress.expected}, got ${describe(returned)}`);
}

/** @throws ShortUrlError `internal_error` if the option `account` returned anything but the name of an account, or none */
export function checkAccount(returned: unknown): string | undefined {
  if (returned === undefined || returned === null) return undefined;
  if (anAccountName.holds(returned)) return `${returned}`;
  const message = `The option \`account\` of the dashboard must return ${anAccountName.expected}, or undefined, not ${describe(returned)}.`;
  throw new ShortUrlError('internal_error', message);
}

/** @throws TypeError if the option `user` returned anything else, also an unknown property */
export function checkUser(returned: unknown): DashboardUser | undefined {
  const members = membersOf('user', ['name', 'logout'], returned);
  if (members === undefined) return undefined;
  const {name, logout} = members;
  if (typeof name !== 'string' || name.trim() === '') {
    throw unexpected('user', 'a function whose `name` is a string that is not empty', name);
  }
  if (logout !== undefined && !anAddress.holds(logout)) {
    throw unexpected('user', `a function whose \`logout\` is ${anAddress.expected}`, logout);
  }
  return {name, logout};
}

/** @throws TypeError if the option `describeAccount` returned anything else, also an unknown property */
export function checkDescription(returned: unknown): AccountDescription {
  const {name, email} = membersOf('describeAccount', ['name', 'email'], returned) ?? {};
  return {name: shown('name', name), email: shown('email', email)};

  function shown(member: string, text: unknown): string | undefined {
    if (text === undefined || text === null || text === '') return undefined;
    if (typeof text !== 'string')
      throw unexpected('describeAccount', `a function whose \`${member}\` is a string`, text);
    return beginning(text, maxDescription);
  }
}

/** The members of an object that an option returned; undefined if it returned none. */
function membersOf<Name extends string>(
  option: string,
  names: readonly Name[],
  returned: unknown,
): Partial<Record<Name, unknown>> | undefined {
  if (returned === undefined || returned === null) return undefined;
  if (typeof returned !== 'object') throw unexpected(option, `a function that returns {${names.join(', ')}}`, returned);
  checkNames(returned, names, option);
  return returned;
}

/** @throws TypeError if the option `findAccounts` returned anything else */
export function checkFound(returned: unknown): string[] {
  const expected = 'a function that returns an array of account names';
  if (!Array.isArray(returned)) throw unexpected('findAccounts', expected, returned);
  return returned.slice(0, maxFound).map((name: unknown) => {
    if (!anAccountName.holds(name)) throw unexpected('findAccounts', expected, name);
    return String(name);
  });
}

function unexpected(name: string, expected: string, value: unknown): TypeError {
  // No option of the dashboard is a secret, so a string may be repeated.
  const got = typeof value === 'string' ? JSON.stringify(value) : describe(value);
  return new TypeError(`Expected \`${name}\` to be ${expected}, got ${got}`);
}
