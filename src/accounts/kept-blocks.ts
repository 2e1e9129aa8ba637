import {blockKey, type RecordOf} from '../records.ts';
import type {Store} from '../store/port.ts';
import {upsert} from '../store/update.ts';
import type {AccountIndex} from './account-index.ts';
import type {AccountBlock} from './record.ts';
import type {SiteKey} from './site-key.ts';

/** The stored block. The keyed digest in its key tells the account again, and nobody learns the account from it. */
type StoredBlock = RecordOf<'block'>;

export interface KeptBlocksDependencies {
  readonly store: Store;
  readonly siteKey: Pick<SiteKey, 'lasting' | 'known'>;
  readonly index: AccountIndex;
}

/** The blocks of accounts that were removed, until they are lifted or the account exists again. */
export class KeptBlocks {
  readonly #dependencies: KeptBlocksDependencies;

  constructor(dependencies: KeptBlocksDependencies) {
    this.#dependencies = dependencies;
  }

  /** The id of an account's block. */
  async idOf(account: string): Promise<string> {
    return idFrom(await this.#dependencies.siteKey.lasting(textOf(account)));
  }

  /** The id of an account's block; undefined if the site surely has no blocks of removed accounts. */
  async knownIdOf(account: string): Promise<string | undefined> {
    const digest = await this.#dependencies.siteKey.known(textOf(account));
    return digest === undefined ? undefined : idFrom(digest);
  }

  /** Keeps the block of an account that is being removed, at its position. Idempotent. */
  async keep({id, ...block}: AccountBlock, position: number): Promise<void> {
    const {store, index} = this.#dependencies;
    await index.keep(position, id);
    const kept = {position};
    await upsert<StoredBlock>(store, blockKey(id), (before) => {
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
    await store.remove(blockKey(id));
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

  async #at(id: string): Promise<StoredBlock | undefined> {
    return (await this.#dependencies.store.get<StoredBlock>(blockKey(id)))?.value;
  }
}

const textOf = (account: string): string => `block ${account}`;
const idFrom = (digest: string): string => digest.slice(0, 32);
