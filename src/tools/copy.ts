import type {StoreOption} from '../store/option.ts';
import type {KeyKind} from '../store/port.ts';
import {readSource} from './content.ts';
import type {Equal} from './equal.ts';
import {newTallies} from './key-tally.ts';
import {inParallel, isEmpty, listKeys} from './listing.ts';
import {type OpenedStore, openTool} from './open.ts';
import type {OnProgress} from './progress.ts';
import {checkApart, claim, nameSite} from './site.ts';
import {ToolError} from './tool-error.ts';
import {Transfer} from './transfer.ts';
import {Verification} from './verification.ts';

export interface CopyOptions {
  /** The source: a connection string, a Keyv instance or a Keyv storage adapter. */
  readonly from: StoreOption;
  /** The target: empty, or the target of an earlier copy of the same site. */
  readonly to: StoreOption;
  /**
   * Of the source.
   * @default 'shorturl'
   */
  readonly namespace?: string | undefined;
  /**
   * Of the target.
   * @default that of the source
   */
  readonly toNamespace?: string | undefined;
  /**
   * Whether a target that has been in use since the last copy into it may be overwritten.
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

/** What a copy has done. Source and target were found equal in the end. */
export interface CopySummary extends Equal {
  /** Records and sets of counters that the target did not have, or had otherwise. */
  readonly written: number;
  /** Those that the target had, and the source does not have any more. */
  readonly removed: number;
  /** Those that changed while they were copied, because the site was running, and were copied again. */
  readonly changedMeanwhile: number;
  /** Records of the source that cannot be read, and are not in the target. */
  readonly unreadable: number;
}

/** Parts of the source that are under way at once: one store is read while the other one writes. */
const width = 3;

/**
 * Makes one store equal to another: accounts with their keys, links, the names of removed links, passwords, counters,
 * sequences, blocks and quotas. A second run brings over what has changed, removals included. A run that was interrupted
 * is taken up by the next one.
 *
 * @throws ToolError `nothing_there`, `other_site`, `same_store`, `target_in_use` or `not_verified`; ShortUrlError
 *   `store_unavailable` where a store does not answer; TypeError for an option that is wrong
 */
export async function copyStore(options: CopyOptions): Promise<CopySummary> {
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

async function copy(
  {store: source, unreadable}: OpenedStore,
  {store: target}: OpenedStore,
  {overwrite = false, onProgress = () => undefined}: CopyOptions,
): Promise<CopySummary> {
  if (await isEmpty(source)) throw new ToolError('nothing_there', 'The source has nothing under this namespace');
  const site = await nameSite(source);
  const {run, wasEmpty} = await claim(target, site);
  await checkApart(source, target, run);
  const transfer = new Transfer(target, {mayLower: overwrite, isEmpty: wasEmpty});
  const copied = newTallies();
  const copyAll = (kind: KeyKind): Promise<void> =>
    inParallel(listKeys(source, kind), width, async (keys) => {
      const {content} = await readSource(source, kind, keys);
      await transfer.put(kind, content);
      copied[kind].add(content.keys());
      onProgress({phase: `copying ${kind}`, done: copied[kind].count});
    });
  // A counter that is higher in the target shows that it is in use, before any record is overwritten.
  await copyAll('counters');
  await copyAll('records');
  const verification = new Verification(source, target, transfer, onProgress);
  const equal = await verification.run(copied);
  const {written, removed} = transfer;
  return {...equal, written, removed, changedMeanwhile: verification.changed, unreadable: unreadable.length};
}
