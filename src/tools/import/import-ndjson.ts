import {createReadStream} from 'node:fs';
import {stat} from 'node:fs/promises';
import type {StoreOption} from '../../store/opening/option.ts';
import type {ContentCounts} from '../copy/content.ts';
import {ExportReader} from '../export/export-reader.ts';
import {ImportWriter} from './import-writer.ts';
import {inParallel} from '../listing.ts';
import {type OpenedStore, openTool} from '../open.ts';
import type {OnProgress} from '../progress.ts';
import {claim, keepName} from '../site.ts';
import {holdErrors} from '../stream-errors.ts';
import {linesOf} from '../text-lines.ts';
import {ToolError} from '../tool-error.ts';

export interface ImportNdjsonOptions {
  /** The target: empty, or the target of an earlier import of the same site. */
  readonly store: StoreOption;
  /** The path of a file that `exportLinks` has written, or its content. */
  readonly from: string | AsyncIterable<Uint8Array | string>;
  /** @default 'shorturl' */
  readonly namespace?: string | undefined;
  /**
   * How long one operation of the store may take, in milliseconds.
   * @default 30000
   */
  readonly storeTimeout?: number | undefined;
  readonly onProgress?: OnProgress | undefined;
}

/** The content of the file, which the store has now. */
export interface ImportNdjsonSummary extends ContentCounts {
  /** Records and sets of counters that the store did not have before. */
  readonly written: number;
}

/** How many lines are written together. */
const batchSize = 500;

/** How many batches are written at once. */
const width = 3;

/**
 * Writes an export of a site into a store. It only adds records, so a second run changes nothing, or completes an
 * interrupted run. Each line is checked before it is written.
 *
 * @throws ToolError `malformed_file`, `nothing_there`, `other_site`, `target_in_use` or `not_verified`; ShortUrlError
 *   `store_unavailable` if the store does not answer; TypeError for a wrong option
 */
export async function importNdjson(options: ImportNdjsonOptions): Promise<ImportNdjsonSummary> {
  const {store: option, from, namespace, storeTimeout, onProgress = () => undefined} = options;
  const file = await sourceOf(from);
  let opened: OpenedStore | undefined;
  try {
    opened = openTool(option, {namespace, storeTimeout, mustExist: false});
    const {store} = opened;
    const reader = new ExportReader(linesOf(file.bytes));
    const {site} = await reader.head();
    const writer = new ImportWriter(store);
    const batches = onceClaimed(inBatches(reader.content()), () => claim(store, site));
    await inParallel(batches, width, async (lines) => {
      await writer.write(lines);
      const {records, counters} = writer.imported;
      onProgress({phase: 'importing', done: records + counters, ...file.share()});
    });
    await keepName(store, site);
    await writer.verify();
    return {...writer.imported, written: writer.written};
  } finally {
    file.close();
    await opened?.store.close();
  }
}

/** The content of a file, and the share that was read. */
interface Source {
  readonly bytes: AsyncIterable<Uint8Array | string>;
  share(): {share?: number};
  close(): void;
}

async function sourceOf(from: ImportNdjsonOptions['from']): Promise<Source> {
  if (typeof from !== 'string') return {bytes: from, share: () => ({}), close: () => undefined};
  const size = await stat(from).then(
    (found) => found.size,
    (cause: unknown) => {
      throw new ToolError('nothing_there', `The file ${from} cannot be read`, {cause});
    },
  );
  const stream = createReadStream(from);
  holdErrors(stream);
  const close = (): void => void stream.destroy();
  return {bytes: stream, share: () => ({share: stream.bytesRead / size}), close};
}

/**
 * Yields the batches after the first of them was read and `claimStore` has resolved. A file that is malformed at its
 * beginning thus leaves an empty store unclaimed.
 */
async function* onceClaimed<Batch>(
  batches: AsyncIterable<Batch>,
  claimStore: () => Promise<unknown>,
): AsyncGenerator<Batch> {
  let isClaimed = false;
  for await (const batch of batches) {
    if (!isClaimed) await claimStore();
    isClaimed = true;
    yield batch;
  }
  if (!isClaimed) await claimStore();
}

async function* inBatches<Item>(items: AsyncIterable<Item>): AsyncGenerator<readonly Item[]> {
  let batch: Item[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < batchSize) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
