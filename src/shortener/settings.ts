import {randomUUID} from 'node:crypto';
import {aColor} from '../web/accent.ts';
import {pageLanguages} from '../web/language.ts';
import {anAddress} from '../web/address.ts';
import {minSecretLength} from '../accounts/seal.ts';
import {aBoolean, aFunction, aText, checkOptions, describe, isInteger, isObject, type Rule} from '../host/describe.ts';
import type {Pages} from '../http/visit/pages/pages.ts';
import {usualDetails} from '../http/visit/visit-details.ts';
import {Bases} from '../link/bases.ts';
import {Calendar, isTimeZone} from '../link/calendar.ts';
import {expectedSchemes, isScheme, schemesOf} from '../link/long-url.ts';
import {expectedReserved, isReservedOption, readReserved} from '../site/reserved.ts';
import {defaultSlugLength, shortPartRules, ShortParts} from '../link/short-part.ts';
import {SitePages} from '../site/site-pages.ts';
import {isCurrency} from '../conversions/input.ts';
import {defaultMaxAge} from '../conversions/attribution.ts';
import type {AttributionOptions, ShortUrlOptions} from './options.ts';
import {isMemory} from '../store/opening/open.ts';
import {aNamespace, defaultNamespace} from '../store/opening/option.ts';

/** The validated options, with their defaults. */
export type Settings = Readonly<ReturnType<typeof readOptions>>;

const isStrings = (value: unknown): boolean => Array.isArray(value) && value.every(aText.holds);
const isSecret = (value: unknown): boolean => typeof value === 'string' && value.length >= minSecretLength;
const integer = (min: number, max: number): Rule => ({
  expected: `an integer from ${min} to ${max}`,
  holds: (value) => isInteger(value, min, max),
});
const anObject: Rule = {expected: 'an object', holds: isObject};
const atLeastOne: Rule = {...integer(1, Number.MAX_SAFE_INTEGER), expected: 'an integer of at least 1'};
const pageRules: Record<keyof Pages, Rule> = {
  siteName: aText,
  homeUrl: anAddress,
  accent: aColor,
  password: aFunction,
  gone: aFunction,
  preview: aFunction,
  unavailable: aFunction,
};

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
const isTexts = (value: unknown): boolean =>
  isObject(value) &&
  Object.entries(value).every(([language, text]) => pageLanguages.includes(language) && isText(text)) &&
  Object.keys(value).length > 0;

const attributionRules: Record<keyof AttributionOptions, Rule> = {
  // Browsers keep no cookie longer.
  maxAge: integer(1, 400 * 24 * 60 * 60),
  customerAge: integer(1, 10 * 365 * 24 * 60 * 60),
  currency: {expected: 'three capital letters, such as EUR', holds: isCurrency},
  consent: aFunction,
  names: {
    expected: 'an object with a text, or texts by language, for each name',
    holds: (value) => isObject(value) && Object.values(value).every((text) => isText(text) || isTexts(text)),
  },
  credit: {expected: '`last` or `first`', holds: (value) => value === 'last' || value === 'first'},
  parameter: {
    expected: 'a string of 1 to 32 of A-Z a-z 0-9 - _',
    holds: (value) => typeof value === 'string' && /^[\w-]{1,32}$/.test(value),
  },
  parameterFor: aFunction,
};

const rules: Record<keyof ShortUrlOptions, Rule> = {
  baseUrl: {expected: 'an absolute http or https URL', holds: aText.holds},
  baseDomains: {expected: 'an array of domains and absolute URLs', holds: isStrings},
  domains: aFunction,
  domainsOf: aFunction,
  store: {
    expected: 'a connection string, what the site has open, a Keyv instance or a Keyv storage adapter',
    holds: (value) => aText.holds(value) || isObject(value) || typeof value === 'function',
  },
  storeTimeout: integer(50, 60_000),
  secret: {
    expected: `a string of at least ${minSecretLength} characters (\`openssl rand -hex 32\` makes one), or several in an array`,
    holds: (value) => isSecret(value) || (Array.isArray(value) && value.length > 0 && value.every(isSecret)),
  },
  namespace: aNamespace,
  reserved: {expected: expectedReserved, holds: isReservedOption},
  slugLength: integer(1, 64),
  redirectStatus: {expected: '301, 302, 307 or 308', holds: (v) => [301, 302, 307, 308].includes(v as number)},
  defer: aBoolean,
  allowUrl: aFunction,
  countVisit: aFunction,
  visitDetails: aFunction,
  forwardQuery: aBoolean,
  destination: aFunction,
  attribution: anObject,
  // The attempts of a client must fit into a record of the store.
  passwordAttempts: integer(1, 100),
  keyAttempts: atLeastOne,
  createQuota: {
    expected: 'an integer of at least 1, or a function',
    holds: (value) => atLeastOne.holds(value) || typeof value === 'function',
  },
  pages: anObject,
  shortParts: anObject,
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
export function readOptions(options: ShortUrlOptions) {
  if (isContext(options)) throw new TypeError('Expected options: pass `shortUrl({…})` to `app.use`, not `shortUrl`');
  checkOptions(options, rules, unexpected);
  if (options.pages !== undefined) checkOptions(options.pages, pageRules, unexpected, 'pages');
  if (options.shortParts !== undefined) checkOptions(options.shortParts, shortPartRules, unexpected, 'shortParts');
  if (options.attribution !== undefined) checkOptions(options.attribution, attributionRules, unexpected, 'attribution');
  if (!aText.holds(options.baseUrl)) throw unexpected('baseUrl', rules.baseUrl.expected, options.baseUrl);
  refuseForgottenStore(options);
  const bases = new Bases(options.baseUrl, options.baseDomains ?? [], new ShortParts(options.shortParts), {
    hasUserDomains: options.domains !== undefined,
  });
  const defer = options.defer ?? true;
  return {
    bases,
    domains: options.domains,
    domainsOf: options.domainsOf,
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
    countVisit: options.countVisit,
    visitDetails: options.visitDetails ?? usualDetails,
    fieldDefaults: {forwardQuery: options.forwardQuery ?? false},
    destination: options.destination,
    /** Undefined if visitors are not marked. */
    attribution: options.attribution,
    /** How long a link gets the conversions of a visitor, in seconds. */
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
