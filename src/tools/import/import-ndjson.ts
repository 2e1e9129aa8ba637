import {linkRecords} from '../../link/records.ts';
import type {LinkRecord} from '../../link/record.ts';
import {
  hasSlots,
  LinkIndex,
  siteIndexPrefix,
  siteList,
  slotOf,
  slotRecords,
  type StoredSlots,
} from '../../links/read/link-index.ts';
import type {Content} from '../../tables/texts.ts';
import type {StoreOption} from '../../store/opening/option.ts';
import type {ToolStore} from '../../store/port.ts';
import {
  byKey,
  type ContentCounts,
  type CountersItem,
  hasExpired,
  isSame,
  isSequence,
  type Item,
  keysOf,
  notKept,
  put,
  readItems,
  type RecordItem,
  Tally,
} from '../content/content.ts';
import {type Head, type ItemLine, openExport, type UnreadableLine} from '../content/lines.ts';
import {distinctKeys, inParallel} from '../listing.ts';
import {contentOf} from './file-content.ts';
import {type ImportLine, ImportReport} from './import-report.ts';
import {type OpenedStore, openTool, type ToolOptions} from '../open.ts';
import type {OnProgress, Progress} from '../progress.ts';
import {checkComplete, checkSite, formatOf, noteComplete, noteSite, siteNames} from '../site.ts';
import {ToolError} from '../tool-error.ts';

/** The options for an export of a site. */
export interface RestoreOptions extends ToolOptions {
  readonly format: 'ndjson';
  /** The target: empty, or the target of an earlier import of the same site. */
  readonly store: StoreOption;
  /** The path of a file that `exportLinks` has written, or its content. */
  readonly file: string | AsyncIterable<Uint8Array | string>;
  /**
   * Whether to refuse the file at the first line that cannot be read. By default such lines are reported and left out.
   * @default false
   */
  readonly strict?: boolean | undefined;
  /** Called for each line that cannot be read. */
  readonly onReport?: ((line: ImportLine) => void) | undefined;
  readonly onProgress?: OnProgress | undefined;
}

/** The content of the file, which the store has now. */
export interface ImportNdjsonSummary extends ContentCounts {
  /** Records and sets of counters that the store did not have before. */
  readonly written: number;
  /** Lines that cannot be read, and are not in the store. */
  readonly rejected: number;
  /** The first 100 of these lines; `onReport` gets all of them. */
  readonly report: readonly ImportLine[];
}

/** How many items are written together. */
const batchSize = 500;

/**
 * Writes an export of a site into a store. It only adds records, so a second run changes nothing, or completes an
 * interrupted run. Each line is checked before it is written, and left out if a site could not read it.
 *
 * @throws ToolError `malformed_file`, `nothing_there`, `incomplete`, `other_site`, `target_in_use` or `not_verified`; ShortUrlError
 *   `store_unavailable` if the store does not answer; TypeError for a wrong option
 */
export async function importNdjson(options: Omit<RestoreOptions, 'format'>): Promise<ImportNdjsonSummary> {
  const {store: option, namespace, storeTimeout} = options;
  let share: number | undefined;
  const content = contentOf(options.file, 'nothing_there', (read) => {
    share = read;
  });
  const onProgress = (progress: Progress): void =>
    options.onProgress?.({...progress, ...(share !== undefined && {share})});
  let opened: OpenedStore | undefined;
  const open = (): ToolStore => {
    opened = openTool(option, {namespace, storeTimeout, mustExist: false});
    return opened.store;
  };
  try {
    return await restore(open, content, {...options, onProgress});
  } finally {
    await content.return(undefined);
    await opened?.store.close();
  }
}

/**
 * Writes an export into a store. See `importNdjson`.
 *
 * @param open opens the store, which is not made for a file that is no export
 */
export async function restore(
  open: () => ToolStore,
  content: Content,
  options: Pick<RestoreOptions, 'strict' | 'onReport' | 'onProgress'>,
): Promise<ImportNdjsonSummary> {
  const {strict = false, onProgress = () => undefined, onReport = () => undefined} = options;
  const tally = new Tally();
  const report = new ImportReport(onReport);
  const reject = ({number: line, reason: message}: UnreadableLine): void => {
    if (strict) throw new ToolError('malformed_file', `Line ${line}: ${message}`);
    report.reject({line, shortPart: undefined}, {code: 'unreadable_line', message});
  };
  let written = 0;
  const {head, items} = await openExport(content, reject);
  const store = open();
  // Not before the first lines were read, so that a file that is malformed there leaves an empty store unclaimed.
  let prepared: Promise<void> | undefined;
  const linkIndex = new LinkIndex(store);
  await inParallel(inBatches(items, reject), async (lines) => {
    await (prepared ??= prepareStore(store, head));
    for (const kind of ['records', 'counters'] as const) {
      const own = lines.filter((item) => item.kind === kind && !hasExpired(item));
      if (kind === 'records') await listLinks(linkIndex, own);
      const added = await (kind === 'records' ? addRecords : addCounters)(store, own);
      written += added;
      tally.add(own);
    }
    onProgress({phase: 'importing', done: tally.records + tally.counters});
  });
  await (prepared ?? prepareStore(store, head));
  await verify(store, tally);
  await noteComplete(store);
  const {rejected} = report;
  return {...tally.counts, written, rejected, report: report.summary().report};
}

async function prepareStore(store: ToolStore, {site, account, ignoresCase, writer}: Head): Promise<void> {
  const wasEmpty = await checkSite(store, site);
  const format = await formatOf(store);
  if (!wasEmpty && format?.ignoresCase !== ignoresCase) {
    throw new ToolError('target_in_use', 'The store and the file differ in whether short parts ignore case');
  }
  const own = account === undefined ? 'import' : `import of the account ${JSON.stringify(account)}`;
  if (![own, undefined].includes(format?.incomplete)) await checkComplete(store);
  // A site may use a store that has something, and an import into it is no reason to stop the site.
  const incomplete = wasEmpty ? own : format?.incomplete;
  await noteSite(store, site, {ignoresCase, version: writer, incomplete});
}

async function* inBatches(
  lines: AsyncIterable<ItemLine>,
  reject: (line: UnreadableLine) => void,
): AsyncGenerator<readonly ItemLine[]> {
  let batch: ItemLine[] = [];
  let keys = new Set<string>();
  for await (const line of lines) {
    const name = `${line.kind} ${line.key}`;
    if (keys.has(name)) {
      reject({number: line.number, reason: `${line.key}: the key occurs twice`});
      continue;
    }
    keys.add(name);
    batch.push(line);
    if (batch.length < batchSize) continue;
    yield batch;
    batch = [];
    keys = new Set();
  }
  if (batch.length > 0) yield batch;
}

/** Puts links into the site's list, which no export has. */
async function listLinks(linkIndex: LinkIndex, items: readonly Item[]): Promise<void> {
  const links = items.filter(
    (item): item is RecordItem => item.kind === 'records' && item.key.startsWith(linkRecords.prefix),
  );
  await Promise.all(
    links.map(async ({value}) => {
      const link = value as LinkRecord;
      const position = siteList.positionOf(link);
      // A removed link has none.
      if (position > 0) await linkIndex.reserveAt(siteList, position, slotOf(link));
    }),
  );
}

/** Adds records, and returns how many. */
async function addRecords(store: ToolStore, lines: readonly ItemLine[]): Promise<number> {
  const records = lines as ReadonlyArray<RecordItem & ItemLine>;
  const inserted = await store.insertMany(records.map(({key, value, expires}) => [key, value, expires]));
  const found = records.filter((_, index) => inserted[index] !== true);
  const present = byKey(await readItems(store, 'records', keysOf(found)));
  for (const record of found) if (!isKept(record, present.get(record.key))) throw differs(record);
  return records.length - found.length;
}

/** Whether the store still has a record. Later creates may have filled more of its slots. */
function isKept(record: RecordItem, found: Item | undefined): boolean {
  if (isSame(record, found)) return true;
  const slots = (found as RecordItem | undefined)?.value;
  return (
    record.key.startsWith(slotRecords.prefix) &&
    Array.isArray(slots) &&
    hasSlots(slots as StoredSlots, record.value as StoredSlots)
  );
}

/** Stores the counters that the store lacks, and raises sequences. Returns how many were stored. */
async function addCounters(store: ToolStore, lines: readonly ItemLine[]): Promise<number> {
  const present = byKey(await readItems(store, 'counters', keysOf(lines)));
  const missing = (lines as ReadonlyArray<CountersItem & ItemLine>).filter((line) => {
    const found = present.get(line.key) as CountersItem | undefined;
    if (found === undefined || isSame(line, found)) return found === undefined;
    if (!isSequence(line.key)) throw differs(line);
    // Creates since then have raised a sequence. It must not go back.
    return Array.from(line.counts).some(([name, count]) => (found.counts.get(name) ?? 0) < count);
  });
  return (await put(store, missing, true)).length;
}

function differs({number, key}: ItemLine): ToolError {
  const message =
    `Line ${number}: the store has another record for ${key}. ` +
    'An import only adds records. Use an empty store or another namespace';
  return new ToolError('target_in_use', message);
}

/**
 * Counts the keys of the store, which may have more than the file. Those of records that have expired meanwhile are
 * listed too.
 *
 * @throws ToolError `not_verified` if there are fewer than were imported
 */
async function verify(store: ToolStore, {records, counters}: Tally): Promise<void> {
  let present = 0;
  for (const kind of ['records', 'counters'] as const) {
    for await (const keys of distinctKeys(store, {
      kind,
      has: (key) => key !== siteNames.key() && !key.startsWith(siteIndexPrefix),
    }))
      present += keys.length;
  }
  if (present < records + counters) throw notKept();
}
