import type {StoreOption} from '../../store/opening/option.ts';
import type {KeyKind} from '../../store/port.ts';
import {readSource, type ContentCounts} from './content.ts';
import {newTallies, renewTally} from './key-tally.ts';
import {inParallel, isEmpty, listKeys} from '../listing.ts';
import {type OpenedStore, openTool} from '../open.ts';
import {checkOptionNames} from '../option-names.ts';
import type {OnProgress} from '../progress.ts';
import {checkApart, checkUnused, claim, nameSite, noteCopied, noteCopyBegun} from '../site.ts';
import {ToolError} from '../tool-error.ts';
import {Transfer} from './transfer.ts';
import {Verification} from './verification.ts';

export interface CopyOptions {
  /** The source: a connection string, a Keyv instance or a Keyv storage adapter. */
  readonly from: StoreOption;
  /** The target: empty, or the target of an earlier copy of the same site. */
  readonly to: StoreOption;
  /**
   * The namespace of the source.
   * @default 'shorturl'
   */
  readonly namespace?: string | undefined;
  /**
   * The namespace of the target.
   * @default the namespace of the source
   */
  readonly toNamespace?: string | undefined;
  /**
   * Whether to overwrite a target that was used after the last copy into it, or that has the site's data from elsewhere,
   * such as the store from which the source was copied.
   * @default false
   */
  readonly overwrite?: boolean | undefined;
  /**
   * How long one operation of a store may take, in milliseconds.
   * @default 30000
   */
  readonly storeTimeout?: number | undefined;
  readonly onProgress?: OnProgress | undefined;
}

const optionNames: Record<keyof CopyOptions, true> = {
  from: true,
  to: true,
  namespace: true,
  toNamespace: true,
  overwrite: true,
  storeTimeout: true,
  onProgress: true,
};

/** The result of a copy. Source and target were equal at the end. */
export interface CopySummary extends ContentCounts {
  /** Records and sets of counters that were absent or different in the target. */
  readonly written: number;
  /** Records and sets of counters that the source no longer had. */
  readonly removed: number;
  /** Records and sets of counters that a running site changed during the copy, and that were copied again. */
  readonly changedMeanwhile: number;
  /** Records of the source that could not be parsed, and are not in the target. */
  readonly unreadable: number;
}

/** How many parts are copied at once, so that one store reads while the other writes. */
const width = 3;

/**
 * Makes one store equal to another: accounts with their keys, links, the names of removed links, passwords, counters,
 * sequences, blocks and quotas. A second run copies the changes since the first, including removals. The next run
 * continues an interrupted one.
 *
 * @throws ToolError `nothing_there`, `other_site`, `same_store`, `target_in_use` or `not_verified`; ShortUrlError
 *   `store_unavailable` if a store does not answer; TypeError for a wrong option
 */
export async function copyStore(options: CopyOptions): Promise<CopySummary> {
  checkOptionNames(options, optionNames);
  const {from, to, namespace, toNamespace = namespace, storeTimeout} = options;
  const source = openTool(from, {namespace, storeTimeout, mustExist: true});
  let target: OpenedStore | undefined;
  try {
    target = openTool(to, {namespace: toNamespace, storeTimeout, mustExist: false});
    return await copy(source, target, options);
  } finally {
    await Promise.all([source.store.close(), target?.store.close()]);
  }
}

/** Makes an open store equal to another. See `copyStore`. */
export async function copy(
  {store: source, unreadable}: OpenedStore,
  {store: target}: OpenedStore,
  {overwrite = false, onProgress = () => undefined}: Pick<CopyOptions, 'overwrite' | 'onProgress'>,
): Promise<CopySummary> {
  if (await isEmpty(source)) throw new ToolError('nothing_there', 'The source is empty in this namespace');
  const site = await nameSite(source);
  const claimed = await claim(target, site, source);
  await checkApart(source, target, claimed);
  if (!overwrite) await checkUnused(source, target, claimed);
  await noteCopyBegun(source, target);
  const transfer = new Transfer(target, {mayLower: overwrite, isEmpty: claimed.wasEmpty});
  const copied = newTallies();
  const copyAll = (kind: KeyKind): Promise<void> =>
    inParallel(listKeys(source, kind, '', renewTally(copied, kind)), width, async (keys) => {
      const tally = copied[kind];
      const {content} = await readSource(source, kind, keys);
      await transfer.put(kind, content);
      tally.add(content.keys());
      onProgress({phase: `copying ${kind}`, done: tally.total});
    });
  // A counter that is higher in the target shows that it is in use, before any record is overwritten.
  await copyAll('counters');
  await copyAll('records');
  const verification = new Verification(source, target, transfer, onProgress);
  const equal = await verification.run(copied);
  await noteCopied(target);
  const {written, removed} = transfer;
  return {...equal, written, removed, changedMeanwhile: verification.changed, unreadable: unreadable.length};
}
