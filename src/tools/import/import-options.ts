import {type AccountName, readAccountName} from '../../accounts/accounts.ts';
import {Bases} from '../../link/bases.ts';
import {schemesOf} from '../../link/long-url.ts';
import type {ShortPartOptions} from '../../link/generated/short-part-options.ts';
import {ShortParts} from '../../link/short-part.ts';
import {readReserved, type ReservedOption, type ReservedSlugs} from '../../site/reserved.ts';
import {shortUrlOptions} from '../../shortener/options.ts';
import type {StoreOption} from '../../store/opening/option.ts';
import {isObject} from '../../values/describe.ts';
import {choice, flag, shapeOf, text} from '../../values/shape.ts';
import type {Content} from '../../tables/texts.ts';
import {type TimeZone, timeZone} from '../../tables/moments.ts';
import type {ImportLine} from './import-report.ts';
import type {ToolOptions} from '../open.ts';
import {aFunction, any, checkToolOptions, patience} from '../options.ts';
import type {OnProgress} from '../progress.ts';

/** The formats of other shorteners. */
export const importFormats = ['csv', 'yourls', 'kutt', 'shlink', 'bitly', 'api'] as const;

/** The format of a source. docs/importing.md describes all formats. */
export type ImportFormat = (typeof importFormats)[number];

export interface ImportOptions extends ToolOptions {
  /** The store of the site: a connection string, what the site has open, a Keyv instance or a Keyv storage adapter. */
  readonly store: StoreOption;
  /** The account that gets the links. */
  readonly account: AccountName;
  /**
   * Whether to create the account if it does not exist. Needs `secret`.
   * @default false
   */
  readonly createAccount?: boolean | undefined;
  /** The `secret` of the site, for `createAccount`. */
  readonly secret?: string | readonly string[] | undefined;
  /** As in the options of the site. */
  readonly baseUrl: string;
  /** As in the options of the site. A link on one of these domains keeps its domain. */
  readonly baseDomains?: readonly string[] | undefined;
  /**
   * The domain for links without a domain, and for links on other domains.
   * @default the domain of `baseUrl`
   */
  readonly baseDomain?: string | undefined;
  /**
   * Reserved short parts, as in the options of the site.
   * @default []
   */
  readonly reserved?: ReservedOption | undefined;
  /**
   * The site's rule for long URLs, as in the options of the site.
   * @default () => true
   */
  readonly allowUrl?: ((url: string, account: string, target: string) => boolean | Promise<boolean>) | undefined;
  /** What a short part may be, as in the options of the site. */
  readonly shortParts?: ShortPartOptions | undefined;
  /** URL schemes besides http and https, as in the options of the site. */
  readonly schemes?: readonly string[] | undefined;
  readonly format: ImportFormat;
  /** A file, as its path or its content. For every format except `api`. */
  readonly file?: string | Content | undefined;
  /** The other site for `api`: everything before `/api/v1`. */
  readonly site?: string | undefined;
  /** The API key of the account on the other site. No message repeats it. */
  readonly siteKey?: string | undefined;
  /**
   * Whether to ask the other site for XML.
   * @default false
   */
  readonly xml?: boolean | undefined;
  /**
   * How long a response of the other site may take, in milliseconds.
   * @default 30000
   */
  readonly siteTimeout?: number | undefined;
  /**
   * The time zone of dates without one: a name such as `Europe/Berlin`, or an offset such as `+02:00`.
   * @default 'UTC'
   */
  readonly timeZone?: string | undefined;
  /**
   * The language of the file, such as `de` or `en-US`. It decides about dates such as 03/04/2027, unless another date of
   * the file does.
   * @default none: such dates are refused
   */
  readonly language?: string | undefined;
  /**
   * Names of columns that are not imported and close no link. A value in another one that may close its link disables it.
   * @default []
   */
  readonly open?: readonly string[] | undefined;
  /**
   * The table of a YOURLS dump that has the links.
   * @default the table whose name is `url`, or ends with `_url`
   */
  readonly table?: string | undefined;
  /** Called while links are read. */
  readonly onProgress?: OnProgress | undefined;
  /** Called for each line of the report. */
  readonly onReport?: ((line: ImportLine) => void) | undefined;
  /**
   * A clock for tests: milliseconds since the epoch.
   * @default Date.now
   */
  readonly now?: (() => number) | undefined;
}

/** The path of a file, or its content. */
export const aFile = shapeOf<string | Content>({
  expected: 'the path of a file, or its content as a stream or an array of texts or bytes',
  holds: (value) =>
    text.holds(value) || (isObject(value) && (Symbol.asyncIterator in value || Symbol.iterator in value)),
});

const ownOptions = {
  baseUrl: shortUrlOptions.baseUrl,
  account: any,
  createAccount: flag,
  baseDomain: text,
  allowUrl: aFunction,
  format: {...choice(['ndjson', ...importFormats]), isRequired: true},
  file: any,
  site: any,
  siteKey: any,
  xml: flag,
  siteTimeout: patience,
  table: text,
  language: shapeOf<string>({expected: 'the tag of a language, such as de or en-US', holds: isLanguage}),
  open: shapeOf<readonly string[]>({
    expected: 'names of columns in an array',
    holds: (value) => Array.isArray(value) && value.every((name) => typeof name === 'string'),
  }),
  onProgress: aFunction,
  onReport: aFunction,
  now: aFunction,
} as const;

/**
 * The validated options, with their defaults.
 *
 * @internal
 */
export interface ImportSettings {
  readonly bases: Bases;
  readonly baseDomain: string;
  readonly reserved: ReservedSlugs;
  readonly secrets: readonly string[];
  readonly zone: TimeZone;
  readonly schemes: ReadonlySet<string>;
  readonly language: string | undefined;
  readonly open: readonly string[];
}

/**
 * @throws TypeError that says what was expected, without repeating a secret
 * @internal
 */
export function readImportOptions(options: ImportOptions): ImportSettings {
  checkToolOptions(options, ownOptions);
  const {format, file, site, siteKey, baseUrl, baseDomains = [], baseDomain, secret, createAccount} = options;
  readAccountName(options.account);
  if (format === 'api') {
    expect(
      /^https?:\/\/[^/@?#]+(?:\/[^@?#]*)?$/.test(site ?? ''),
      '`site` to be the http or https URL of the other site',
    );
    expect(typeof siteKey === 'string' && siteKey !== '', '`siteKey` to be the API key of the other site');
  } else {
    expect(aFile.holds(file), `\`file\` to be ${aFile.expected}`);
  }
  const {reserved = [], shortParts = {}, schemes = [], language, open = []} = options;
  const bases = new Bases(baseUrl, baseDomains, new ShortParts(shortParts));
  const base = baseDomain === undefined ? bases.main : bases.find(baseDomain);
  expect(base !== undefined, '`baseDomain` to be one of the domains of the site');
  const secrets = shortUrlOptions.secret.holds(secret) ? [secret].flat() : [];
  expect(createAccount !== true || secrets.length > 0, '`secret` with `createAccount`, as the site has it');
  return {
    bases,
    baseDomain: (base ?? bases.main).domain,
    reserved: readReserved(reserved, bases),
    secrets,
    zone: timeZone(options.timeZone),
    schemes: schemesOf(schemes),
    language,
    open,
  };
}

function isLanguage(tag: unknown): boolean {
  try {
    return typeof tag === 'string' && Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

function expect(holds: boolean, what: string): void {
  if (!holds) throw new TypeError(`Expected ${what}`);
}
