import {planted} from '../../planted.ts';
import {accountRecords} from '../../accounts/records.ts';
import {siteIndexPrefix} from '../../links/read/link-index.ts';
import {Readable, type Writable} from 'node:stream';
import {pipeline} from 'node:stream/promises';
import {type AccountName, readAccountName} from '../../accounts/accounts.ts';
import type {LiveAccount} from '../../accounts/record.ts';
import type {StoreOption} from '../../store/opening/option.ts';
import type {ToolStore} from '../../store/port.ts';
import {csvOf, type ExportScope} from './export-csv.ts';
import {type ContentCounts, contentOf, contentOfAccount, Tally} from '../content/content.ts';
import {endLine, headLine, itemLine} from '../content/lines.ts';
import {isEmpty} from '../listing.ts';
import {openTool, type ToolOptions} from '../open.ts';
import {aFunction, any, checkToolOptions} from '../options.ts';
import type {OnProgress} from '../progress.ts';
import {checkComplete, formatOf, nameSite} from '../site.ts';
import {holdErrors, isStandardStream} from '../stream-errors.ts';
import {ToolError} from '../tool-error.ts';
import {choice, shapeOf} from '../../values/shape.ts';

export interface ExportOptions extends ToolOptions {
  /** The source: a connection string, what the site has open, a Keyv instance or a Keyv storage adapter. */
  readonly store: StoreOption;
  /** The stream that gets the export. It is ended afterwards, or destroyed after a failure, except `process.stdout`. */
  readonly to: Writable;
  /**
   * `ndjson` has everything, for `importLinks`. `csv` has the links, for people.
   * @default 'ndjson'
   */
  readonly format?: 'ndjson' | 'csv' | undefined;
  /** The only account to export, with its data. */
  readonly account?: AccountName | undefined;
  readonly onProgress?: OnProgress | undefined;
}

/** The content of an export. Of CSV only the links are counted. */
export interface ExportSummary extends ContentCounts {
  /** Records of the store that could not be parsed, and are not in the export. */
  readonly unreadable: number;
}

/**
 * Writes the data of a site, or of one account, in bounded memory and in any order.
 *
 * @throws ToolError `nothing_there` for an empty store or an unknown account, or `incomplete`; ShortUrlError `store_unavailable` if the
 *   store does not answer; TypeError for a wrong option; the errors of `to`
 * @example
 * await exportLinks({store: 'sqlite:links.db', to: createWriteStream('links.ndjson')});
 */
export async function exportLinks(options: ExportOptions): Promise<ExportSummary> {
  // Callers without types may pass nothing.
  const {to} = (options as {to?: Partial<Writable>} | undefined) ?? {};
  holdErrors(to);
  try {
    return await writeExport(options);
  } catch (error) {
    if (!isStandardStream(to)) to?.destroy?.(error as Error);
    throw error;
  }
}

async function writeExport(options: ExportOptions): Promise<ExportSummary> {
  checkToolOptions(options, {
    to: {...aStream, isRequired: true},
    format: choice(['ndjson', 'csv']),
    account: any,
    onProgress: aFunction,
  });
  const {store: option, to, format = 'ndjson', account: name, namespace, storeTimeout, onProgress} = options;
  const account = name === undefined ? undefined : readAccountName(name);
  const {store, unreadable} = openTool(option, {namespace, storeTimeout, mustExist: true});
  const tally = new Tally();
  try {
    if (await isEmpty(store)) throw new ToolError('nothing_there', 'The store is empty in this namespace');
    await checkComplete(store);
    const scope: ExportScope = {
      store,
      account: account === undefined ? undefined : await accountNamed(store, account),
      tally,
      onProgress: onProgress ?? (() => undefined),
    };
    // Since Node.js 24 a pipeline to a stream that has failed rejects with another error than the stream's.
    if (to.errored) throw to.errored;
    await pipeline(Readable.from(formats[format](scope), {highWaterMark: 2}), to);
  } finally {
    await store.close();
  }
  return {...tally.counts, unreadable: unreadable.length};
}

/** The export as lines of JSON, some hundred in each text. */
export async function* ndjsonOf({store, account, tally, onProgress}: ExportScope): AsyncGenerator<string> {
  const site = await nameSite(store);
  const {ignoresCase, version: writer} = (await formatOf(store)) ?? {};
  yield headLine({site, account: account?.id, ignoresCase, writer});
  for await (const content of account ? contentOfAccount(store, account) : contentOf(store)) {
    // The import makes the site's list of its links, and of those that the store has.
    const items = content.filter(({key}) => !isLeftOut(key));
    tally.add(items);
    yield items.map(itemLine).join('');
    onProgress({phase: 'exporting', done: tally.records + tally.counters});
  }
  yield endLine(tally);
}

function isLeftOut(key: string): boolean {
  return key.startsWith(siteIndexPrefix) || (planted('references-not-exported') && key.startsWith('reference:'));
}

/** By its methods, because a host's stream may come from another package. */
const aStream = shapeOf<Writable>({
  expected: 'a stream, such as `fs.createWriteStream(path)`',
  holds: (value) => {
    const {write, end} = (value ?? {}) as Partial<Writable>;
    return typeof write === 'function' && typeof end === 'function';
  },
});

const formats = {ndjson: ndjsonOf, csv: csvOf} as const;

async function accountNamed(store: ToolStore, id: string): Promise<LiveAccount> {
  const account = (await accountRecords.in(store).get(id))?.value;
  if (account?.state === 'live') return account;
  throw new ToolError('nothing_there', `The account ${JSON.stringify(id)} does not exist`);
}
