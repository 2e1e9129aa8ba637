import {randomUUID} from 'node:crypto';
import {isObject} from '../values/describe.ts';
import {checkOptions, type Option, withDefaults} from '../values/options.ts';
import {warn} from '../warnings.ts';
import {Bases} from '../link/bases.ts';
import {Calendar} from '../values/calendar.ts';
import {schemesOf} from '../link/long-url.ts';
import {ShortParts} from '../link/short-part.ts';
import {readReserved} from '../site/reserved.ts';
import {SitePages} from '../site/site-pages.ts';
import {isMemory} from '../store/opening/open.ts';
import {attributionOptions} from './attribution-options.ts';
import type {ShortUrlOptions} from './generated/options.ts';
import {shortUrlOptions} from './options.ts';

export type Settings = Readonly<ReturnType<typeof readOptions>>;

/** @throws TypeError with the expected and the given value; it never contains a secret */
export function readOptions(options: ShortUrlOptions) {
  if (isContext(options)) throw new TypeError('Expected options: pass `shortUrl({…})` to `app.use`, not `shortUrl`');
  checkOptions(options, shortUrlOptions);
  const {
    baseUrl,
    baseDomains,
    shortParts,
    reserved,
    schemes,
    timeZone,
    forwardQuery,
    confirm,
    attribution,
    now,
    ...others
  } = withDefaults(options, shortUrlOptions);
  refuseForgottenStore(others);
  warnOfDays(attribution);
  const bases = new Bases(baseUrl, baseDomains, new ShortParts(shortParts), {
    hasUserDomains: others.domains !== undefined,
  });
  return {
    ...others,
    bases,
    secrets: readSecrets(others),
    reserved: readReserved(reserved ?? [], bases),
    sitePages: new SitePages(others.defer),
    fieldDefaults: {forwardQuery, confirm},
    /** Undefined if visitors are not marked. */
    attribution: attribution && withDefaults(attribution, attributionOptions),
    calendar: new Calendar(timeZone),
    schemes: schemesOf(schemes),
    now: now === undefined ? () => Date.now() : wholeMilliseconds(now),
  };
}

/** An age of so few seconds is surely a number of days. */
function warnOfDays(attribution: ShortUrlOptions['attribution'] = {}): void {
  for (const [name, {maxDays = 0}] of Object.entries<Option>(attributionOptions)) {
    const seconds: unknown = attribution[name as keyof typeof attributionOptions];
    if (typeof seconds !== 'number' || seconds > maxDays) continue;
    warn(
      'days_as_seconds',
      `\`attribution.${name}\` is ${seconds} seconds. If days were meant, set it to ${seconds} * 24 * 60 * 60.`,
    );
  }
}

/** In production a missing store nearly always means that an environment variable is not set. */
function refuseForgottenStore({store}: Pick<ShortUrlOptions, 'store'>): void {
  if (store !== undefined || process.env['NODE_ENV'] !== 'production') return;
  throw new TypeError(
    `Expected \`store\` to be ${shortUrlOptions.store.expected} under NODE_ENV=production, got undefined. ` +
      'Links in memory are lost when the process ends. To keep them there, set `store` to `memory:`.',
  );
}

/** A store in memory needs no given secret: a random one lasts as long as the links. */
function readSecrets({secret, store}: Pick<ShortUrlOptions, 'secret' | 'store'>): readonly string[] {
  if (typeof secret === 'string') return [secret];
  if (secret !== undefined) return secret;
  if (isMemory(store)) return [randomUUID()];
  const expected = `${shortUrlOptions.secret.expected}, with every store but \`memory:\``;
  throw new TypeError(`Expected \`secret\` to be ${expected}, got undefined`);
}

/** Dates are stored as integers. */
function wholeMilliseconds(now: () => number): () => number {
  return () => Math.floor(now());
}

/** Koa calls the factory with the context of a request if it was passed as a middleware. */
function isContext(options: unknown): boolean {
  return isObject(options) && 'req' in options && 'res' in options;
}
