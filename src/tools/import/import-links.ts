import {type Account, Accounts} from '../../accounts/accounts.ts';
import {Announcer} from '../../links/announcer.ts';
import {ShortUrlError} from '../../errors.ts';
import {Arrivals} from './arrivals.ts';
import {buildServices, type Services} from '../../shortener/services.ts';
import type {ToolStore} from '../../store/port.ts';
import {readFile} from './formats/formats.ts';
import {readSite} from './formats/api.ts';
import {isUnreadable, type SourceLine, type SourceLink} from '../../tables/source-link.ts';
import {contentOf} from './file-content.ts';
import {importNdjson, type ImportNdjsonSummary, type RestoreOptions} from './import-ndjson.ts';
import {aFile, type ImportOptions, type ImportSettings, readImportOptions} from './import-options.ts';
import {ImportReport, type ImportSummary} from './import-report.ts';
import {oldestFirst} from './oldest-first.ts';
import {openTool} from '../open.ts';
import {aFunction, any, checkToolOptions} from '../options.ts';
import {holdErrors} from '../stream-errors.ts';
import {ToolError} from '../tool-error.ts';
import {flag} from '../../values/shape.ts';

/** How many links are imported at once. */
const atOnce = 200;

/** The longest wait for the last counters of the account's list, in milliseconds. */
const closeBound = 30_000;

/**
 * Imports links of another shortener into an account: short parts, long URLs, titles, tags, creation dates, expiry dates
 * and visit totals. The report has a line for everything that could not be kept. A second run changes nothing, and
 * completes an interrupted run.
 *
 * @throws ToolError `unknown_account`, `malformed_file`, `unreadable_file`, `source_refused` or `source_unavailable`;
 *   ShortUrlError `store_unavailable` if the store does not answer, or `invalid_api_key` if the account is removed
 *   meanwhile; TypeError for a wrong option; the errors of a stream
 * @example
 * await importLinks({format: 'csv', file: 'links.csv', account: user.id, store, baseUrl: 'https://example.com'});
 */
export async function importLinks(options: ImportOptions): Promise<ImportSummary>;
/**
 * Puts an export of a site, as `exportLinks` writes it in NDJSON, into a store. It only adds, so a second run changes
 * nothing, and an interrupted import is started again. The report has a line for everything that cannot be read.
 *
 * @throws ToolError `malformed_file`, `nothing_there`, `other_site`, `target_in_use` or `not_verified`; ShortUrlError
 *   `store_unavailable` if the store does not answer; TypeError for a wrong option; the errors of a stream
 * @example
 * await importLinks({format: 'ndjson', file: 'links.ndjson', store: 'sqlite:restored.db'});
 */
export async function importLinks(options: RestoreOptions): Promise<ImportNdjsonSummary>;
export async function importLinks(
  options: ImportOptions | RestoreOptions,
): Promise<ImportSummary | ImportNdjsonSummary> {
  holdErrors((options as ImportOptions | undefined)?.file);
  if (!isRestore(options)) return importForeign(options);
  checkToolOptions(options, {
    format: any,
    file: {...aFile, isRequired: true},
    strict: flag,
    onReport: aFunction,
    onProgress: aFunction,
  });
  return importNdjson(options);
}

/** Callers without types may pass nothing, which the other formats refuse. */
function isRestore(options: ImportOptions | RestoreOptions | undefined): options is RestoreOptions {
  return options?.format === 'ndjson';
}

async function importForeign(options: ImportOptions): Promise<ImportSummary> {
  const settings = readImportOptions(options);
  const {store: option, namespace, storeTimeout, createAccount = false} = options;
  const {store} = openTool(option, {
    namespace,
    storeTimeout,
    mustExist: !createAccount,
    ignoresCase: settings.bases.shortParts.ignoreCase,
  });
  const announcer = new Announcer();
  const failures: ShortUrlError[] = [];
  announcer.events.on('error', (error) => failures.push(error));
  const services = buildServices(
    store,
    {
      ...settings,
      allowUrl: options.allowUrl ?? (() => true),
      now: options.now ?? (() => Date.now()),
    },
    announcer,
  );
  try {
    const summary = await run(options, settings, services);
    await services.log.close(closeBound);
    if (failures[0]) throw failures[0];
    return summary;
  } finally {
    await services.log.close(0);
    await store.close();
  }
}

async function run(
  options: ImportOptions,
  settings: ImportSettings,
  services: Services<ToolStore>,
): Promise<ImportSummary> {
  const {onProgress, onReport = () => undefined} = options;
  const account = await requireAccount(services.accounts, options);
  const importer = new Arrivals(services, services.log.shard, settings.baseDomain);
  const report = new ImportReport(onReport);
  let group: SourceLink[] = [];
  const importGroup = async (): Promise<void> => {
    for (const link of group) {
      const isHere = link.domain === undefined || settings.bases.find(link.domain) !== undefined;
      if (!isHere) report.move(link, link.domain, settings.baseDomain);
    }
    const arrivals = await importer.importBatch(account, group);
    for (const [index, link] of group.entries()) report.add(link, arrivals[index]);
    group = [];
    onProgress?.({phase: 'importing links', done: report.read});
  };
  const onIgnored = (name: string): void => {
    report.ignore(name);
  };
  for await (const line of oldestFirst(readSource(options, settings, onIgnored))) {
    report.read += 1;
    if (isUnreadable(line)) report.reject(line, line);
    else if (group.push(line) === atOnce) await importGroup();
  }
  if (group.length > 0) await importGroup();
  return report.summary();
}

async function requireAccount(accounts: Accounts, {account, createAccount}: ImportOptions): Promise<Account> {
  if (createAccount === true) await accounts.create(account);
  try {
    return await accounts.require(account);
  } catch (error) {
    if (!(error instanceof ShortUrlError) || error.code !== 'invalid_api_key') throw error;
    const message = 'The account does not exist. Create it first, or use the option createAccount, or --create-account';
    throw new ToolError('unknown_account', message);
  }
}

function readSource(
  options: ImportOptions,
  {zone, bases, language, open}: ImportSettings,
  onIgnored: (name: string) => void,
): AsyncGenerator<SourceLine> {
  const {format, file = '', table} = options;
  const pathOf = (domain: string): string | undefined => bases.find(domain)?.path;
  const rows = {zone, pathOf, onIgnored, language, open};
  if (format === 'api') {
    const {site = '', siteKey: key = '', xml = false, siteTimeout: timeout = 30_000} = options;
    return readSite({site, key, xml, timeout}, rows);
  }
  return readFile(format, contentOf(file, 'unreadable_file'), {...rows, table});
}
