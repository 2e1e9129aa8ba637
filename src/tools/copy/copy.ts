import {planted} from '../../planted.ts';
import {aNamespace, type StoreOption} from '../../store/opening/option.ts';
import type {KeyKind, ToolStore} from '../../store/port.ts';
import {
  byKey,
  type ContentCounts,
  contentOf,
  hasExpired,
  isSame,
  type Item,
  keysOf,
  notKept,
  put,
  readItems,
  Tally,
} from '../content/content.ts';
import {isMovable, kindOf} from '../kinds.ts';
import {type ContentSource, distinctKeys, inParallel, isEmpty} from '../listing.ts';
import {type OpenedStore, openTool, type ToolOptions} from '../open.ts';
import {aFunction, any, checkToolOptions} from '../options.ts';
import type {OnProgress} from '../progress.ts';
import {FoldedStore} from './fold-case.ts';
import {checkComplete, checkSite, formatOf, nameSite, noteComplete, noteSite} from '../site.ts';
import {ToolError} from '../tool-error.ts';
import {flag} from '../../values/shape.ts';

export interface CopyOptions extends ToolOptions {
  /** The source: a connection string, what the site has open, a Keyv instance or a Keyv storage adapter. */
  readonly from: StoreOption;
  /** The target: empty, or the target of an earlier copy of the same site. */
  readonly to: StoreOption;
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
   * Whether to put all short parts into lower case, for a site with `shortParts.ignoreCase`. The copy is refused if links
   * would become one.
   * @default false
   */
  readonly ignoreCase?: boolean | undefined;
  readonly onProgress?: OnProgress | undefined;
}

const ownOptions = {
  from: any,
  to: any,
  toNamespace: aNamespace,
  overwrite: flag,
  ignoreCase: flag,
  onProgress: aFunction,
} as const;

/** The result of a copy. */
export interface CopySummary extends ContentCounts {
  /**
   * Whether the target has exactly what the source had at one time. False if a running site has written during the copy.
   * Then the target has some changes and not others: on it, an order that is repeated may count twice or not at all.
   */
  readonly isExact: boolean;
  /** Records and sets of counters that were absent or different in the target. */
  readonly written: number;
  /** Records and sets of counters that the source no longer had. */
  readonly removed: number;
  /** Records and sets of counters that a running site changed during the copy, and that were copied again. */
  readonly changedMeanwhile: number;
  /** Records of the source that could not be parsed, and are not in the target. */
  readonly unreadable: number;
}

/** How often the stores are compared at most. */
const maxRounds = 3;

/**
 * Makes one store equal to another: accounts with their keys, links, the names of removed links, passwords, counters,
 * sequences, blocks and quotas. A second run copies the changes since the first, including removals. The next run
 * continues an interrupted one.
 *
 * @throws ToolError `nothing_there`, `incomplete`, `other_site`, `same_store`, `target_in_use`, `case_conflict` or `not_verified`;
 *   ShortUrlError `store_unavailable` if a store does not answer; TypeError for a wrong option
 * @example
 * await copyStore({from: 'sqlite:links.db', to: 'redis://localhost:6379'});
 */
export async function copyStore(options: CopyOptions): Promise<CopySummary> {
  checkToolOptions(options, ownOptions);
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
  options: Pick<CopyOptions, 'overwrite' | 'ignoreCase' | 'onProgress'>,
): Promise<CopySummary> {
  const {overwrite = false, ignoreCase = false, onProgress = () => undefined} = options;
  if (await isEmpty(source)) throw new ToolError('nothing_there', 'The source is empty in this namespace');
  await checkComplete(source);
  const content = ignoreCase ? await FoldedStore.of(source) : source;
  const wasEmpty = await prepareTarget(source, target, {overwrite, ignoreCase});
  const run = new Copy(content, target, onProgress);
  const counts = await run.all(wasEmpty);
  await noteComplete(target);
  const {written, removed, changed} = run;
  return {...counts, written, removed, changedMeanwhile: changed, isExact: run.isExact, unreadable: unreadable.length};
}

/**
 * Checks that the target is empty or an unused copy of this source, before anything is written into it. No site uses it
 * from here on, until the copy is complete.
 *
 * @returns whether it was empty
 */
async function prepareTarget(
  source: ToolStore,
  target: ToolStore,
  {overwrite, ignoreCase}: {readonly overwrite: boolean; readonly ignoreCase: boolean},
): Promise<boolean> {
  const [from, to] = await Promise.all([formatOf(source), formatOf(target)]);
  if (from?.id !== undefined && to?.id === from.id) {
    throw new ToolError('same_store', 'The source and the target are the same store and the same namespace');
  }
  const site = await nameSite(source);
  // A format that was put back by hand has no name.
  const copyOf = from?.id ?? site;
  const wasEmpty = await checkSite(target, site);
  if (!wasEmpty && !overwrite && to?.copyOf !== copyOf) {
    throw inUse('has data of this site that was not copied from this source, or was used after the last copy');
  }
  const copied = {copyOf, ignoresCase: ignoreCase || from?.ignoresCase, version: from?.version};
  if (!planted('copy-not-noted')) await noteSite(target, site, {...copied, incomplete: 'copy'});
  return wasEmpty;
}

/** Writes the source into the target until both are equal. */
class Copy {
  readonly #source: ContentSource;
  readonly #target: ToolStore;
  readonly #onProgress: OnProgress;
  written = 0;
  removed = 0;
  /** Differences that were found and removed after everything was written. */
  changed = 0;
  /**
   * Whether the target is what the source was when its keys were counted last: the source then had as many keys as the
   * target, and everything in the target is the same in the source as before. What expires is not counted. A conversion that
   * was inserted since its section was read is not counted in the counters, which were read before.
   */
  isExact = false;

  constructor(source: ContentSource, target: ToolStore, onProgress: OnProgress) {
    this.#source = source;
    this.#target = target;
    this.#onProgress = onProgress;
  }

  /** @throws ToolError `not_verified` */
  async all(isNew: boolean): Promise<ContentCounts> {
    let wanted = await this.#pass('copying', contentOf(this.#source), async (items) => {
      const written = await put(this.#target, items, isNew);
      this.written += written.length;
      return items;
    });
    let removedSince = 0;
    for (let round = 1; round <= maxRounds; round += 1) {
      const before = this.removed;
      const {lasting} = wanted;
      const keys = await this.#countLasting();
      this.isExact = true;
      const kept = await this.#pass('comparing', contentOf(this.#target), (items) => this.#compare(items), lasting);
      if (kept.lasting !== keys) this.isExact = false;
      // Later, only what the source has removed since it was read last is still found in the target.
      if (round > 1) removedSince = this.removed - before;
      if (round === 1 ? kept.lasting === lasting : kept.lasting + removedSince >= lasting) return kept.counts;
      // The site was running, or the target has lost something.
      wanted = await this.#pass('comparing again', contentOf(this.#source), async (items) => {
        await this.#makeEqual(items);
        return items;
      });
    }
    throw notKept();
  }

  /** The number of keys of the source whose records do not expire. */
  async #countLasting(): Promise<number> {
    const has = (key: string): boolean => isMovable(key) && kindOf(key)?.expires === undefined;
    let all = 0;
    for (const kind of ['records', 'counters'] as const) {
      for await (const keys of distinctKeys(this.#source, {kind, has})) all += keys.length;
    }
    return all;
  }

  /** Reads a store, and counts the items that `work` returns. */
  async #pass(
    phase: string,
    content: AsyncIterable<readonly Item[]>,
    work: (items: readonly Item[]) => Promise<readonly Item[]>,
    total?: number,
  ): Promise<Tally> {
    const tally = new Tally();
    await inParallel(content, async (items) => {
      tally.add(await work(items));
      const done = tally.records + tally.counters;
      this.#onProgress({phase, done, ...(total !== undefined && {share: Math.min(1, done / total)})});
    });
    return tally;
  }

  /** Makes items of the target equal to those of the source, and returns the latter. */
  async #compare(items: readonly Item[]): Promise<readonly Item[]> {
    const kind = items[0]?.kind ?? 'records';
    const wanted = await readItems(this.#source, kind, keysOf(items));
    const left = new Set(keysOf(wanted));
    const extra = items.filter(({key}) => !left.has(key));
    if (!planted('removed-copied')) await Promise.all(extra.map(({key}) => this.#remove(kind, key)));
    this.removed += extra.length;
    const present = byKey(items);
    const different = wanted.filter((item) => !isSame(item, present.get(item.key)));
    if (different.length > 0 || !extra.every(hasExpired)) this.isExact = false;
    await this.#makeEqual(different);
    return wanted;
  }

  #remove(kind: KeyKind, key: string): Promise<void> {
    return kind === 'records' ? this.#target.remove(key) : this.#target.removeCounters(key);
  }

  /** Writes what differs, and checks that the target keeps it. */
  async #makeEqual(items: readonly Item[]): Promise<void> {
    const written = await put(this.#target, items);
    this.changed += written.length;
    const lasting = written.filter((item) => item.kind === 'counters' || item.expires === undefined);
    if ((await put(this.#target, lasting)).length > 0) throw notKept();
  }
}

function inUse(reason: string): ToolError {
  return new ToolError(
    'target_in_use',
    `The target ${reason}. A copy would undo later changes: disabled links, removed accounts, rotated keys. ` +
      'Copy in the other direction, or overwrite the target',
  );
}
