import {aColor} from '../web/accent.ts';
import {anAddress, hasNoDots} from '../web/address.ts';
import {aFunction, aText, checkOptions, describe, type Rule} from '../host/describe.ts';
import {beginning} from './html.ts';
import {type ShortUrl, ShortUrlError} from '../index.ts';
import type {AccountDescription, DashboardOptions, DashboardUser} from './options.ts';

/** The checked options, with defaults. */
export type Settings = Readonly<ReturnType<typeof readOptions>>;

const rules: Record<keyof DashboardOptions, Rule> = {
  path: {
    expected: 'a path such as /links, of A-Z a-z 0-9 . _ ~ - and slashes, without . and .. as a part',
    holds: (value) =>
      typeof value === 'string' && /^\/(?:[\w.~-]+(?:\/[\w.~-]+)*\/?)?$/.test(value) && hasNoDots(value),
  },
  account: aFunction,
  login: {
    expected: `${anAddress.expected}, or a function`,
    holds: (value) => anAddress.holds(value) || aFunction.holds(value),
  },
  siteName: aText,
  homeUrl: anAddress,
  accent: aColor,
  admin: aFunction,
  describeAccount: aFunction,
  findAccounts: aFunction,
  user: aFunction,
  api: {expected: 'true or false', holds: (value) => typeof value === 'boolean'},
  layout: aFunction,
};

/**
 * Checks the options and fills in their defaults.
 *
 * @throws TypeError with the expected and the given value
 */
export function readOptions(shortener: ShortUrl, options: DashboardOptions) {
  if (typeof shortener !== 'function' || !('links' in shortener)) {
    throw new TypeError('Expected the first argument to be the shortener that `shortUrl` returned');
  }
  checkOptions(options, rules, unexpected);
  if (!aFunction.holds(options.account)) throw unexpected('account', aFunction.expected, options.account);
  const [baseUrl = ''] = shortener.baseUrls;
  return {
    /** Begins with a slash and does not end with one; empty for the root. */
    path: (options.path ?? '/links').replace(/\/$/, ''),
    account: options.account,
    login: options.login,
    siteName: options.siteName ?? new URL(baseUrl).host,
    homeUrl: options.homeUrl ?? new URL('/', baseUrl).href,
    accent: options.accent ?? '#0b57d0',
    admin: options.admin ?? (() => false),
    describeAccount: options.describeAccount ?? (() => undefined),
    findAccounts: options.findAccounts,
    user: options.user ?? (() => undefined),
    api: options.api ?? true,
    layout: options.layout,
  };
}

/** @throws TypeError if the option `login` returned anything but an address */
export function checkLogin(returned: unknown): string {
  if (anAddress.holds(returned)) return returned as string;
  throw new TypeError(`Expected \`login\` to return ${anAddress.expected}, got ${describe(returned)}`);
}

function isAccountName(name: unknown): name is string | number {
  return Number.isSafeInteger(name) || (typeof name === 'string' && name !== '' && name.length <= 255);
}

/** @throws ShortUrlError `internal_error` if the option `account` returned anything but the name of an account, or none */
export function checkAccount(returned: unknown): string | undefined {
  if (returned === undefined || returned === null) return undefined;
  if (isAccountName(returned)) return String(returned);
  const expected = 'a string of 1 to 255 characters, an integer or undefined';
  const message = `The option \`account\` of the dashboard must return ${expected}, not ${describe(returned)}.`;
  throw new ShortUrlError('internal_error', message);
}

/** @throws TypeError if the option `user` returned anything else */
export function checkUser(returned: unknown): DashboardUser | undefined {
  if (returned === undefined || returned === null) return undefined;
  if (typeof returned !== 'object') throw unexpected('user', 'a function that returns {name, logout}', returned);
  const {name, logout} = returned as Partial<Record<keyof DashboardUser, unknown>>;
  if (typeof name !== 'string' || name.trim() === '') {
    throw unexpected('user', 'a function whose `name` is a string that is not empty', name);
  }
  if (logout !== undefined && !anAddress.holds(logout)) {
    throw unexpected('user', `a function whose \`logout\` is ${anAddress.expected}`, logout);
  }
  return {name, logout: logout as string | undefined};
}

/** In characters. */
const maxDescription = 200;

/** @throws TypeError if the option `describeAccount` returned anything else */
export function checkDescription(returned: unknown): AccountDescription {
  if (returned === undefined || returned === null) return {};
  const expected = 'a function that returns {name, email}';
  if (typeof returned !== 'object') throw unexpected('describeAccount', expected, returned);
  const {name, email} = returned as Partial<Record<keyof AccountDescription, unknown>>;
  return {name: shown(name), email: shown(email)};

  function shown(text: unknown): string | undefined {
    if (text === undefined || text === null || text === '') return undefined;
    if (typeof text !== 'string') throw unexpected('describeAccount', `${expected}, each a string`, text);
    return beginning(text, maxDescription);
  }
}

/** The maximum number of accounts that a search finds. */
export const maxFound = 100;

/** @throws TypeError if the option `findAccounts` returned anything else */
export function checkFound(returned: unknown): string[] {
  const expected = 'a function that returns an array of account names';
  if (!Array.isArray(returned)) throw unexpected('findAccounts', expected, returned);
  return returned.slice(0, maxFound).map((name: unknown) => {
    if (!isAccountName(name)) throw unexpected('findAccounts', expected, name);
    return String(name);
  });
}

function unexpected(name: string, expected: string, value: unknown): TypeError {
  // No option of the dashboard is a secret, so a string may be repeated.
  const got = typeof value === 'string' ? JSON.stringify(value) : describe(value);
  return new TypeError(`Expected \`${name}\` to be ${expected}, got ${got}`);
}
