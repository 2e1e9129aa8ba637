import type {KeyKind, ToolStore} from '../../store/port.ts';
import {type Content, readContent, readSource, unequalKeys, type ContentCounts} from './content.ts';
import {type KeyTallies, newTallies, renewTally} from './key-tally.ts';
import {inParallel, listKeys} from '../listing.ts';
import type {OnProgress} from '../progress.ts';
import {ToolError} from '../tool-error.ts';
import type {Transfer} from './transfer.ts';

const kinds: readonly KeyKind[] = ['counters', 'records'];
const width = 3;
const maxRounds = 3;

/**
 * Compares every record and every counter of two stores. It reads the whole target and counts its keys. It reads the
 * whole source again only if the counts differ, because the site was running or an engine listed a key twice.
 */
export class Verification {
  readonly #source: ToolStore;
  readonly #target: ToolStore;
  readonly #transfer: Transfer;
  readonly #onProgress: OnProgress;
  /** Differences that were found and removed. */
  changed = 0;
  #listed = {accounts: 0, links: 0};

  constructor(source: ToolStore, target: ToolStore, transfer: Transfer, onProgress: OnProgress) {
    this.#source = source;
    this.#target = target;
    this.#transfer = transfer;
    this.#onProgress = onProgress;
  }

  /**
   * @param copied the keys that were copied
   * @throws ToolError `not_verified`
   */
  async run(copied: KeyTallies): Promise<ContentCounts> {
    let wanted = copied;
    for (let round = 1; round <= maxRounds; round += 1) {
      const {kept, removed} = await this.#readTarget(wanted);
      const isWhole = kinds.every((kind) =>
        round === 1 ? kept[kind].equals(wanted[kind]) : kept[kind].count + removed[kind].count >= wanted[kind].count,
      );
      if (isWhole) {
        const {records, counters} = kept;
        return {...this.#listed, records: records.total, counters: counters.total};
      }
      wanted = await this.#readSource();
    }
    throw new ToolError(
      'not_verified',
      'The target has lost data that was written to it. Check its eviction policy and its free space',
    );
  }

  /** Makes the target equal where it differs. */
  async #readTarget(wanted: KeyTallies): Promise<{kept: KeyTallies; removed: KeyTallies}> {
    const kept = newTallies();
    const removed = newTallies();
    for (const kind of kinds) {
      let listed = {accounts: 0, links: 0};
      const onAgain = (): void => {
        renewTally(kept, kind)();
        listed = {accounts: 0, links: 0};
      };
      await inParallel(listKeys(this.#target, kind, '', onAgain), width, async (keys) => {
        const tally = kept[kind];
        const counts = listed;
        const present = await readContent(this.#target, kind, keys);
        const {content: expected, accounts, links} = await readSource(this.#source, kind, keys);
        counts.accounts += accounts;
        counts.links += links;
        await this.#makeEqual(kind, expected, present);
        const extra = Array.from(present.keys()).filter((key) => !expected.has(key));
        await this.#transfer.remove(kind, extra);
        removed[kind].add(extra);
        tally.add(expected.keys());
        const done = tally.total;
        this.#onProgress({phase: `comparing ${kind}`, done, share: Math.min(1, done / wanted[kind].total)});
      });
      if (kind === 'records') this.#listed = listed;
    }
    return {kept, removed};
  }

  async #readSource(): Promise<KeyTallies> {
    const listed = newTallies();
    for (const kind of kinds) {
      await inParallel(listKeys(this.#source, kind, '', renewTally(listed, kind)), width, async (keys) => {
        const tally = listed[kind];
        const {content: wanted} = await readSource(this.#source, kind, keys);
        await this.#makeEqual(kind, wanted, await readContent(this.#target, kind, keys));
        tally.add(wanted.keys());
        this.#onProgress({phase: `comparing ${kind} again`, done: tally.total});
      });
    }
    return listed;
  }

  async #makeEqual(kind: KeyKind, wanted: Content, present: Content): Promise<void> {
    const keys = unequalKeys(wanted, present);
    if (keys.length === 0) return;
    await this.#transfer.putSurely(kind, new Map(keys.map((key) => [key, wanted.get(key)])) as Content);
    this.changed += keys.length;
  }
}
