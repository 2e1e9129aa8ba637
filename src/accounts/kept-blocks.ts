import {object, optional} from '../values/objects.ts';
import {anyText} from '../values/shape.ts';
import {kind} from '../store/kind.ts';
import type {Store} from '../store/port.ts';
import type {AccountBlock} from './record.ts';
import type {SiteKey} from './site-key.ts';

/** Only an account's name leads to its record: the key has a keyed digest of the name. */
export const blockRecords = kind('block', {
  keys: ['block:<digest>'],
  content: 'the block of an account that was removed',
  digest: 'lasting',
  key: (digest: string) => [digest],
  form: object({reason: optional(anyText)}),
  removed: 'never',
});

export interface KeptBlocksDependencies {
  readonly store: Store;
  readonly siteKey: Pick<SiteKey, 'idFor' | 'knownIdFor'>;
}

/** The blocks of accounts that were removed, until the operator ends them or the account exists again. */
export class KeptBlocks {
  readonly #dependencies: KeptBlocksDependencies;

  constructor(dependencies: KeptBlocksDependencies) {
    this.#dependencies = dependencies;
  }

  /** The digest of an account's name. */
  idOf(account: string): Promise<string> {
    return this.#dependencies.siteKey.idFor(blockRecords, account);
  }

  /** The digest of an account's name; undefined if the site surely has no blocks of removed accounts. */
  knownIdOf(account: string): Promise<string | undefined> {
    return this.#dependencies.siteKey.knownIdFor(blockRecords, account);
  }

  /** Keeps the block of an account that is being removed. Idempotent. */
  async keep({id, ...block}: AccountBlock): Promise<void> {
    await blockRecords.in(this.#dependencies.store).upsert(id, () => block);
  }

  async find(account: string): Promise<AccountBlock | undefined> {
    const id = await this.knownIdOf(account);
    if (id === undefined) return undefined;
    const block = await blockRecords.in(this.#dependencies.store).get(id);
    return block && {id, ...block.value};
  }

  /** Ends the block with this digest. @returns whether there was one */
  async end(id: string): Promise<boolean> {
    const blocks = blockRecords.in(this.#dependencies.store);
    const isKept = (await blocks.get(id)) !== undefined;
    if (isKept) await blocks.remove(id);
    return isKept;
  }
}
