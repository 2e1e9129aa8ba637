import type {Content} from '../import/formats/texts.ts';
import type {ImportFormat, ImportOptions} from '../import/import-options.ts';
import type {ShortPartOptions} from '../../link/short-part.ts';
import {listIn, secretsIn, text} from './stores.ts';
import {UsageError} from './command.ts';

/** The parts of a command line for an import. */
export interface ImportValues {
  readonly format: ImportFormat;
  /** A connection string. */
  readonly store: string;
  /** The file, `-` for standard input, or the other site. */
  readonly source: string;
  /** By the names of the options. */
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
  /** Has `SHORT_URL_SECRET`, `OLD_SECRETS` and `SOURCE_KEY`, because lists of processes show arguments. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Content;
}

/** The options of the command line that only these formats have. Several values have commas between them. */
export const importValueOptions = {
  account: 'string',
  'create-account': 'boolean',
  'base-url': 'string',
  'base-domains': 'string',
  'base-domain': 'string',
  reserved: 'string',
  'short-parts': 'string',
  schemes: 'string',
  'time-zone': 'string',
  table: 'string',
  xml: 'boolean',
} as const;

/** Converts a command line to the options of an import, which checks them. */
export function toImportOptions({format, store, source, values, env, stdin}: ImportValues): ImportOptions {
  const given = (name: string): string | undefined => text({values}, name);
  return {
    format,
    store,
    namespace: given('namespace'),
    account: given('account') ?? '',
    createAccount: values['create-account'] === true,
    secret: secretsIn(env),
    baseUrl: given('base-url') ?? '',
    baseDomains: listIn(given('base-domains')),
    baseDomain: given('base-domain'),
    reserved: listIn(given('reserved')),
    shortParts: shortPartsIn(given('short-parts')),
    schemes: listIn(given('schemes')),
    timeZone: given('time-zone'),
    table: given('table'),
    ...(format === 'api'
      ? {site: source, siteKey: env['SOURCE_KEY'], xml: values['xml'] === true}
      : {file: source === '-' ? stdin : source}),
  };
}

/** Reads `unicode,segments=3,ignore-case`. */
export function shortPartsIn(text: string | undefined): ShortPartOptions | undefined {
  if (text === undefined) return undefined;
  const rules: {-readonly [Name in keyof ShortPartOptions]: ShortPartOptions[Name]} = {};
  for (const word of text.split(',').map((each) => each.trim())) {
    const [, count] = /^segments=(\d)$/.exec(word) ?? [];
    if (word === 'unicode') rules.unicode = true;
    else if (word === 'ignore-case') rules.ignoreCase = true;
    else if (count !== undefined) rules.segments = Number(count);
    else throw new UsageError('Expected --short-parts to be a list such as unicode,segments=3,ignore-case.');
  }
  return rules;
}
