import {randomUUID} from 'node:crypto';
import type {Context} from 'koa';
import {isColor} from '../web/accent.ts';
import {anAddress} from '../web/address.ts';
import {minSecretLength} from '../accounts/seal.ts';
import {checkOptions, describe, type Rule} from '../host/describe.ts';
import type {Pages} from '../http/visit/pages/pages.ts';
import type {ChooseDestination} from '../http/visit/destination.ts';
import {isNoBot} from '../http/visit/bots.ts';
import {type ReadDetails, usualDetails} from '../http/visit/visit-details.ts';
import {Bases} from '../link/bases.ts';
import {Calendar, isTimeZone} from '../link/calendar.ts';
import {expectedSchemes, isScheme, schemesOf} from '../link/long-url.ts';
import type {FieldDefaults} from '../link/fields.ts';
import {expectedReserved, isReservedOption, readReserved, type ReservedSlugs} from '../site/reserved.ts';
import {defaultSlugLength, shortPartRules, ShortParts} from '../link/short-part.ts';
import {SitePages} from '../site/site-pages.ts';
import {defaultMaxAge} from '../conversions/attribution.ts';
import type {AttributionOptions, ShortUrlOptions} from './options.ts';
import {isMemory} from '../store/opening/open.ts';
import {aNamespace, defaultNamespace, type StoreOption} from '../store/opening/option.ts';

/** The validated options, with their defaults. */
export interface Settings {
  readonly bases: Bases;
  readonly store: StoreOption | undefined;
  readonly storeTimeout: number;
  readonly secrets: readonly string[];
  readonly namespace: string;
  readonly reserved: ReservedSlugs;
  readonly sitePages: SitePages;
  readonly slugLength: number;
  readonly redirectStatus: number;
  readonly defer: boolean;
  readonly allowUrl: (url: string, account: string) => boolean | Promise<boolean>;
  readonly countVisit: (ctx: Context) => boolean | Promise<boolean>;
  readonly visitDetails: ReadDetails;
  readonly fieldDefaults: FieldDefaults;
  readonly destination: ChooseDestination | undefined;
  /** Undefined if visitors are not marked. */
  readonly attribution: Pick<AttributionOptions, 'consent' | 'parameter'> | undefined;
  /** How long a link gets the conversions of a visitor, in seconds. */
  readonly attributionAge: number;
  readonly passwordAttempts: number;
  readonly keyAttempts: number;
  readonly createQuota: number | undefined;
  readonly pages: Pages;
  readonly calendar: Calendar;
  readonly schemes: ReadonlySet<string>;
  readonly now: () => number;
}

const isString = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isFunction = (value: unknown): boolean => typeof value === 'function';
const isStrings = (value: unknown): boolean => Array.isArray(value) && value.every(isString);
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const isInteger = (min: number, max: number) => (value: unknown) =>
  Number.isInteger(value) && (value as number) >= min && (value as number) <= max;
const isSecret = (value: unknown): boolean => isString(value) && value.length >= minSecretLength;
const atLeastOne: Rule = {expected: 'an integer of at least 1', holds: isInteger(1, Number.MAX_SAFE_INTEGER)};
const aFunction: Rule = {expected: 'a function', holds: isFunction};
const pageRules: Record<keyof Pages, Rule> = {
  siteName: {expected: 'a string that is not empty', holds: isString},
  homeUrl: anAddress,
  accent: {expected: 'a colour such as #0b5d66', holds: isColor},
  password: aFunction,
  gone: aFunction,
  preview: aFunction,
  unavailable: aFunction,
};

const attributionRules: Record<keyof AttributionOptions, Rule> = {
  // Browsers keep no cookie longer.
  maxAge: {expected: 'an integer from 1 to 34560000', holds: isInteger(1, 400 * 24 * 60 * 60)},
  consent: aFunction,
  parameter: {
    expected: 'a string of 1 to 32 of A-Z a-z 0-9 - _',
    holds: (value) => isString(value) && /^[\w-]{1,32}$/.test(value),
  },
};

const aBoolean: Rule = {expected: 'a boolean', holds: (value) => typeof value === 'boolean'};
const rules: Record<keyof ShortUrlOptions, Rule> = {
  baseUrl: {expected: 'an absolute http or https URL', holds: isString},
  baseDomains: {expected: 'an array of domains and absolute URLs', holds: isStrings},
  store: {
    expected: 'a connection string, a Keyv instance or a Keyv storage adapter',
    holds: (v) => isString(v) || isObject(v),
  },
  storeTimeout: {expected: 'an integer from 50 to 60000', holds: isInteger(50, 60_000)},
  secret: {
    expected: `a string of at least ${minSecretLength} characters (\`openssl rand -hex 32\` makes one), or several in an array`,
    holds: (value) => isSecret(value) || (Array.isArray(value) && value.length > 0 && value.every(isSecret)),
  },
  namespace: aNamespace,
  reserved: {expected: expectedReserved, holds: isReservedOption},
  slugLength: {expected: 'an integer from 1 to 64', holds: isInteger(1, 64)},
  redirectStatus: {expected: '301, 302, 307 or 308', holds: (v) => [301, 302, 307, 308].includes(v as number)},
  defer: aBoolean,
  allowUrl: aFunction,
  countVisit: aFunction,
  visitDetails: aFunction,
  forwardQuery: aBoolean,
  destination: aFunction,
  attribution: {expected: 'an object', holds: isObject},
  // The attempts of a client must fit into a record of the store.
  passwordAttempts: {expected: 'an integer from 1 to 100', holds: isInteger(1, 100)},
  keyAttempts: atLeastOne,
  createQuota: atLeastOne,
  pages: {expected: 'an object', holds: isObject},
  shortParts: {expected: 'an object', holds: isObject},
  schemes: {
    expected: expectedSchemes,
    holds: (value) => Array.isArray(value) && value.every(isScheme),
  },
  timeZone: {expected: 'the IANA name of a time zone, such as Europe/Berlin', holds: isTimeZone},
  now: aFunction,
};

/**
 * Checks the options and fills in their defaults.
 *
 * @throws TypeError with the expected and the given value; it never contains a secret
 */
export function readOptions(options: ShortUrlOptions): Settings {
  if (isContext(options)) throw new TypeError('Expected options: pass `shortUrl({…})` to `app.use`, not `shortUrl`');
  checkOptions(options, rules, unexpected);
  if (options.pages !== undefined) checkOptions(options.pages, pageRules, unexpected, 'pages');
  if (options.shortParts !== undefined) checkOptions(options.shortParts, shortPartRules, unexpected, 'shortParts');
  if (options.attribution !== undefined) checkOptions(options.attribution, attributionRules, unexpected, 'attribution');
  if (!isString(options.baseUrl)) throw unexpected('baseUrl', rules.baseUrl.expected, options.baseUrl);
  refuseForgottenStore(options);
  const bases = new Bases(options.baseUrl, options.baseDomains ?? [], new ShortParts(options.shortParts));
  const defer = options.defer ?? true;
  return {
    bases,
    store: options.store,
    storeTimeout: options.storeTimeout ?? 2000,
    secrets: readSecrets(options),
    namespace: options.namespace ?? defaultNamespace,
    reserved: readReserved(options.reserved ?? [], bases),
    sitePages: new SitePages(defer),
    slugLength: options.slugLength ?? defaultSlugLength,
    redirectStatus: options.redirectStatus ?? 302,
    defer,
    allowUrl: options.allowUrl ?? (() => true),
    countVisit: options.countVisit ?? isNoBot,
    visitDetails: options.visitDetails ?? usualDetails,
    fieldDefaults: {forwardQuery: options.forwardQuery ?? false},
    destination: options.destination,
    attribution: options.attribution,
    attributionAge: options.attribution?.maxAge ?? defaultMaxAge,
    passwordAttempts: options.passwordAttempts ?? 5,
    keyAttempts: options.keyAttempts ?? 100,
    createQuota: options.createQuota,
    pages: options.pages ?? {},
    calendar: new Calendar(options.timeZone),
    schemes: schemesOf(options.schemes ?? []),
    now: options.now === undefined ? Date.now : wholeMilliseconds(options.now),
  };
}

/** In production a missing store nearly always means that an environment variable is not set. */
function refuseForgottenStore({store}: ShortUrlOptions): void {
  if (store !== undefined || process.env['NODE_ENV'] !== 'production') return;
  throw new TypeError(
    `Expected \`store\` to be ${rules.store.expected} under NODE_ENV=production, got undefined. ` +
      'Links in memory are lost when the process ends. To keep them there, set `store` to `memory:`.',
  );
}

/** A store in memory needs no given secret: a random one lasts as long as the links. */
function readSecrets({secret, store}: ShortUrlOptions): readonly string[] {
  if (typeof secret === 'string') return [secret];
  if (secret !== undefined) return secret;
  if (!isMemory(store))
    throw unexpected('secret', `${rules.secret.expected}, with every store but \`memory:\``, undefined);
  return [randomUUID()];
}

/** Dates are stored as integers. */
function wholeMilliseconds(now: () => number): () => number {
  return () => Math.floor(now());
}

function unexpected(name: string, expected: string, value: unknown): TypeError {
  const isSecret = name === 'secret' || name === 'store';
  return new TypeError(`Expected \`${name}\` to be ${expected}, got ${describe(value, isSecret)}`);
}

/** Koa calls the factory with the context of a request if it was passed as a middleware. */
function isContext(options: unknown): boolean {
  return isObject(options) && 'req' in options && 'res' in options;
}
