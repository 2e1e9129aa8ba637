import {didYouMean} from '../../values/describe.ts';
import {importLinks} from '../import/import-links.ts';
import {type ImportFormat, importFormats, type ImportOptions} from '../import/import-options.ts';
import {optionsIn} from './arguments.ts';
import {type Call, type Command, type Outcome, UsageError} from './command.ts';
import {connectionString, listIn, secretsIn, shortPartsIn, text} from './stores.ts';

const help = `Usage: koa-short-url import --store URL FILE
       koa-short-url import --store URL --account A --base-url URL --format NAME FILE
       koa-short-url import --store URL --account A --base-url URL --format api SITE

Reads a file of "export" into a store, or the links of another shortener into an
account. FILE may be - for standard input. An import only adds, so you can
repeat it. To continue an interrupted import, run it again.

Options:
  --store URL            the store; also STORE in the environment. For ndjson
                         it must be empty, or have an earlier import
  --format NAME          ndjson (the default), csv, yourls, kutt, shlink, bitly
                         or api
  --namespace NAME       the namespace of the site (default: shorturl)

  --strict               refuse an export that has a line that cannot be read,
                         instead of importing the others (only for ndjson)

Options for all formats except ndjson:
  --account A            the account that gets the links
  --create-account       create the account, with the site's secret from
                         SHORT_URL_SECRET in the environment
  --base-url URL         as in the options of the site
  --base-domains A,B     as in the options of the site
  --base-domain A        the domain that gets links of other domains
  --reserved A,B         short parts that links cannot have
  --short-parts A,B      as in the options of the site: unicode, segments=3,
                         ignore-case
  --schemes A,B          as in the options of the site, such as mailto,tel
  --time-zone NAME       of dates without a time zone (default: UTC)
  --language TAG         of dates such as 03/04/2027: de or en-US
  --open A,B             columns that close no link. A link is disabled if a
                         column that is not imported may close it
  --table NAME           the table of a YOURLS dump
  --xml                  ask the other site for XML

SOURCE_KEY in the environment is the API key on the other site. Standard error
lists what was not imported, or imported with a change.

Examples:
  koa-short-url import --store redis://localhost:6379 backup.ndjson
  gunzip < backup.ndjson.gz | koa-short-url import --store sqlite:links.db -
  koa-short-url import --store sqlite:links.db --account user-42 \\
    --base-url https://example.com --format yourls dump.sql
  SOURCE_KEY=… koa-short-url import --store sqlite:links.db --account user-42 \\
    --base-url https://example.com --format api https://other.example
`;

const heading = 'Options for all formats except ndjson:';
const foreignOptions = Object.keys(optionsIn(help.slice(help.indexOf(heading))));

export const importing: Command = {
  summary: 'read an export, or links of another shortener',
  help,
  operand: 'FILE',
  run(call) {
    const format = text(call, 'format') ?? 'ndjson';
    if (format === 'ndjson') return restore(call);
    const known = importFormats.find((name) => name === format);
    if (known !== undefined) return bring(call, known);
    const names = ['ndjson', ...importFormats];
    throw new UsageError(
      `Expected --format to be one of ${names.join(', ')}.${didYouMean(format, names).replaceAll('`', '')}`,
    );
  },
};

async function restore(call: Call): Promise<Outcome> {
  const strange = foreignOptions.find((name) => name in call.values);
  if (strange !== undefined) throw new UsageError(`The option --${strange} does not apply to the format ndjson.`);
  const {operand: file} = call;
  const summary = await importLinks({
    format: 'ndjson',
    store: connectionString(call, 'store'),
    file: file === '-' ? call.stdin : file,
    namespace: text(call, 'namespace'),
    strict: call.values['strict'] === true,
    onProgress: call.onProgress,
    onReport: ({line, code, message}) => {
      call.report(`${line}: ${code}: ${message}`);
    },
  });
  const {rejected} = summary;
  const incomplete = rejected === 0 ? undefined : `${rejected} ${rejected === 1 ? 'line was' : 'lines were'} left out.`;
  return {summary, incomplete};
}

async function bring(call: Call, format: ImportFormat): Promise<Outcome> {
  const {values, env} = call;
  if ('strict' in values) throw new UsageError('The option --strict applies to the format ndjson only.');
  for (const name of ['account', 'base-url']) {
    if (values[name] === undefined) throw new UsageError(`The format ${format} needs --${name}.`);
  }
  if (format === 'api' && !env['SOURCE_KEY']) {
    throw new UsageError("The format api needs the other site's API key in the environment variable SOURCE_KEY.");
  }
  if (values['create-account'] === true && secretsIn(env) === undefined) {
    throw new UsageError("--create-account needs the site's secret in the environment variable SHORT_URL_SECRET.");
  }
  const summary = await importLinks({
    ...toImportOptions(call, format),
    onProgress: call.onProgress,
    onReport: ({line, shortPart, code, message}) => {
      call.report(`${line}${shortPart === null ? '' : ` ${JSON.stringify(shortPart)}`}: ${code}: ${message}`);
    },
  });
  const {rejected, ignoredColumns} = summary;
  if (ignoredColumns.length > 0) {
    call.report(
      `Not imported: ${ignoredColumns.map((name) => JSON.stringify(name)).join(', ')}. Check whether your links need them.`,
    );
  }
  const incomplete = rejected === 0 ? undefined : `${rejected} ${rejected === 1 ? 'link was' : 'links were'} rejected.`;
  return {summary, incomplete};
}

/** Converts a command line to the options of an import, which checks them. */
export function toImportOptions(
  call: Pick<Call, 'values' | 'operand' | 'env' | 'stdin'>,
  format: ImportFormat,
): ImportOptions {
  const {operand: source} = call;
  return {
    format,
    store: connectionString(call, 'store'),
    namespace: text(call, 'namespace'),
    account: text(call, 'account') ?? '',
    createAccount: call.values['create-account'] === true,
    secret: secretsIn(call.env),
    baseUrl: text(call, 'base-url') ?? '',
    baseDomains: listIn(text(call, 'base-domains')),
    baseDomain: text(call, 'base-domain'),
    reserved: listIn(text(call, 'reserved')),
    shortParts: shortPartsIn(text(call, 'short-parts')),
    schemes: listIn(text(call, 'schemes')),
    timeZone: text(call, 'time-zone'),
    language: text(call, 'language'),
    open: listIn(text(call, 'open')),
    table: text(call, 'table'),
    ...(format === 'api'
      ? {site: source, siteKey: call.env['SOURCE_KEY'], xml: call.values['xml'] === true}
      : {file: source === '-' ? call.stdin : source}),
  };
}
