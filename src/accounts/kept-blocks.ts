import {object, optional} from '../values/objects.ts';
import {anyText, count, time} from '../values/shapes.ts';
import {kind, type RecordOf} from '../store/kind.ts';
import type {Store} from '../store/port.ts';
import type {AccountIndex} from './account-index.ts';
import type {AccountBlock} from './record.ts';
import type {SiteKey} from './site-key.ts';

/** The keyed digest in its key tells the account again, and nobody learns the account from it. */
export const blockRecords = kind('block', {
  keys: ['block:<digest>'],
  content: 'the block of an account that was removed',
  digest: 'lasting',
  key: (digest: string) => [digest],
  form: object({
    /** Its position among all accounts, which was the account's. */
    position: count,
    reason: optional(anyText),
    /** When the account was removed, in milliseconds since the epoch. */
    removed: time,
  }),
  removed: 'never',
});

export interface KeptBlocksDependencies {
  readonly store: Store;
  readonly siteKey: Pick<SiteKey, 'idFor' | 'knownIdFor'>;
  readonly index: AccountIndex;
}

/** The blocks of accounts that were removed, until they are lifted or the account exists again. */
export class KeptBlocks {
  readonly #dependencies: KeptBlocksDependencies;

  constructor(dependencies: KeptBlocksDependencies) {
    this.#dependencies = dependencies;
  }

  /** The id of an account's block. */
  idOf(account: string): Promise<string> {
    return this.#dependencies.siteKey.idFor(blockRecords, account);
  }

  /** The id of an account's block; undefined if the site surely has no blocks of removed accounts. */
  knownIdOf(account: string): Promise<string | undefined> {
    return this.#dependencies.siteKey.knownIdFor(blockRecords, account);
  }

  /** Keeps the block of an account that is being removed, at its position. Idempotent. */
  async keep({id, ...block}: AccountBlock, position: number): Promise<void> {
    const {store, index} = this.#dependencies;
    await index.keep(position, id);
    const kept = {position};
    await blockRecords.in(store).upsert(id, (before) => {
      kept.position = before?.position ?? position;
      return {...block, position: kept.position};
    });
    // An earlier removal has kept it already, and the creation after that was interrupted.
    if (kept.position !== position) await index.release(position);
  }

  async find(account: string): Promise<AccountBlock | undefined> {
    const id = await this.knownIdOf(account);
    const block = id === undefined ? undefined : await this.#at(id);
    return id === undefined || block === undefined ? undefined : {id, reason: block.reason, removed: block.removed};
  }

  /** @returns whether there was such a block */
  async lift(id: string): Promise<boolean> {
    const {store, index} = this.#dependencies;
    const block = await this.#at(id);
    if (block === undefined) return false;
    await blockRecords.in(store).remove(id);
    await index.release(block.position);
    return true;
  }

  /** The newest account first, in bounded memory. */
  async *list(): AsyncGenerator<AccountBlock> {
    for await (const {block: id, position} of this.#dependencies.index.blocks()) {
      const block = await this.#at(id);
      // Otherwise the call that was to store or remove it was interrupted.
      if (block?.position === position) yield {id, reason: block.reason, removed: block.removed};
    }
  }

  async #at(id: string): Promise<RecordOf<typeof blockRecords> | undefined> {
    return (await blockRecords.in(this.#dependencies.store).get(id))?.value;
  }
}
