import {isColor} from '../web/accent.ts';
import {anAddress, hasNoDots} from '../web/address.ts';
import {checkOptions, describe, type Rule} from '../host/describe.ts';
import {beginning} from './html.ts';
import type {ShortUrl} from '../index.ts';
import type {AccountDescription, DashboardOptions, DashboardUser} from './options.ts';

/** The checked options, with defaults. */
export interface Settings extends Pick<DashboardOptions, 'account'> {
  /** Begins with a slash and does not end with one; empty for the root. */
  readonly path: string;
  readonly login: string | undefined;
  readonly siteName: string;
  readonly homeUrl: string;
  readonly accent: string;
  readonly admin: NonNullable<DashboardOptions['admin']>;
  readonly describeAccount: NonNullable<DashboardOptions['describeAccount']>;
  readonly findAccounts: DashboardOptions['findAccounts'];
  readonly user: NonNullable<DashboardOptions['user']>;
  readonly api: boolean;
  readonly layout: DashboardOptions['layout'];
}

const isFunction = (value: unknown): boolean => typeof value === 'function';
const rules: Record<keyof DashboardOptions, Rule> = {
  path: {
    expected: 'a path such as /links, of A-Z a-z 0-9 . _ ~ - and slashes, without . and .. as a part',
    holds: (value) =>
      typeof value === 'string' && /^\/(?:[\w.~-]+(?:\/[\w.~-]+)*\/?)?$/.test(value) && hasNoDots(value),
  },
  account: {expected: 'a function', holds: isFunction},
  login: anAddress,
  siteName: {expected: 'a string that is not empty', holds: (value) => typeof value === 'string' && value !== ''},
  homeUrl: anAddress,
  accent: {expected: 'a colour such as #0b5d66', holds: isColor},
  admin: {expected: 'a function', holds: isFunction},
  describeAccount: {expected: 'a function', holds: isFunction},
  findAccounts: {expected: 'a function', holds: isFunction},
  user: {expected: 'a function', holds: isFunction},
  api: {expected: 'true or false', holds: (value) => typeof value === 'boolean'},
  layout: {expected: 'a function', holds: isFunction},
};

/**
 * Checks the options and fills in their defaults.
 *
 * @throws TypeError with the expected and the given value
 */
export function readOptions(shortener: ShortUrl, options: DashboardOptions): Settings {
  if (typeof shortener !== 'function' || !('links' in shortener)) {
    throw new TypeError('Expected the first argument to be the shortener that `shortUrl` returned');
  }
  checkOptions(options, rules, unexpected);
  if (!isFunction(options.account)) throw unexpected('account', rules.account.expected, options.account);
  const [baseUrl = ''] = shortener.baseUrls;
  return {
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

/**
 * Checks what the option `user` returned.
 *
 * @throws TypeError with the expected and the given value
 */
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

/**
 * Checks what the option `describeAccount` returned.
 *
 * @throws TypeError with the expected and the given value
 */
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

/**
 * Checks what the option `findAccounts` returned.
 *
 * @throws TypeError with the expected and the given value
 */
export function checkFound(returned: unknown): string[] {
  const expected = 'a function that returns an array of account names';
  if (!Array.isArray(returned)) throw unexpected('findAccounts', expected, returned);
  return returned.slice(0, maxFound).map((name: unknown) => {
    const isName = Number.isSafeInteger(name) || (typeof name === 'string' && name !== '' && name.length <= 255);
    if (!isName) throw unexpected('findAccounts', expected, name);
    return String(name);
  });
}

function unexpected(name: string, expected: string, value: unknown): TypeError {
  // No option of the dashboard is a secret, so a string may be repeated.
  const got = typeof value === 'string' ? JSON.stringify(value) : describe(value);
  return new TypeError(`Expected \`${name}\` to be ${expected}, got ${got}`);
}
