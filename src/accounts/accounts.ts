import {nanoid} from 'nanoid';
import {describe} from '../host/describe.ts';
import {ShortUrlError} from '../host/errors.ts';
import type {Entry, Store} from '../store/port.ts';
import {update} from '../store/update.ts';
import {AccountIndex, type Range} from './account-index.ts';
import {digestApiKey, generateApiKey, isApiKey} from './api-key.ts';
import {
  type Account,
  accountKey,
  type AccountRecord,
  type KeyPointer,
  keyPointerKey,
  type Generation,
  type LiveAccount,
  type RemovingAccount,
} from './record.ts';
import type {Seal} from './seal.ts';

export type {Account} from './record.ts';

/** How the host names an account: by a string of 1 to 255 characters or a safe integer. */
export type AccountName = string | number;

/** A page of the accounts: at most `limit` that match. */
export interface AccountPart extends Range {
  readonly limit: number;
  readonly matches: (id: string) => boolean;
  /** The number of positions after which the page ends, also if it is not full. */
  readonly maxPositions: number;
}

/** Accounts and their API keys. An account has one key at a time. */
export class Accounts {
  readonly #store: Store;
  readonly #seal: Seal;
  readonly #removeLinks: (account: Account) => Promise<void>;
  readonly #now: () => number;
  readonly #index: AccountIndex;

  /**
   * @param removeLinks removes the links of a generation; must be idempotent
   * @param now milliseconds since the epoch
   */
  constructor(store: Store, seal: Seal, removeLinks: (account: Account) => Promise<void>, now: () => number) {
    this.#store = store;
    this.#seal = seal;
    this.#removeLinks = removeLinks;
    this.#now = now;
    this.#index = new AccountIndex(store);
  }

  /** Creates the account if it does not exist, and returns its key. Idempotent, also for concurrent calls. */
  async create(account: AccountName): Promise<string> {
    const id = readId(account);
    for (;;) {
      const entry = await this.#store.get<AccountRecord>(accountKey(id));
      if (entry?.value.state === 'live') return this.#seal.open(entry.value.sealedKey, id);
      if (entry?.value.state === 'removing') {
        await this.#finishRemoval(entry.value);
        continue;
      }
      const created = this.#now();
      const position = await this.#index.reserve(id);
      const apiKey = await this.#issueKey({id, generation: nanoid(12), position, created}, entry);
      if (apiKey !== undefined) return apiKey;
      await this.#index.release(position);
    }
  }

  /** The key of the account; undefined if there is no such account. */
  async apiKey(name: AccountName): Promise<string | undefined> {
    const account = (await this.#live(name))?.value;
    return account && this.#seal.open(account.sealedKey, account.id);
  }

  /** Gives the account a new key. The old one is invalid at once. */
  async rotate(name: AccountName): Promise<string> {
    for (;;) {
      const entry = await this.#live(name);
      if (entry === undefined) throw unknownAccount();
      const apiKey = await this.#issueKey(entry.value, entry);
      if (apiKey === undefined) continue;
      await this.#store.remove(keyPointerKey(entry.value.keyDigest));
      return apiKey;
    }
  }

  /** Removes the account and its links. Its key is invalid at once. Does nothing if there is no such account. */
  async remove(name: AccountName): Promise<void> {
    const id = readId(name);
    const record = await update<AccountRecord>(this.#store, accountKey(id), (account) => {
      if (account.state !== 'live') return undefined;
      const {generation, position, keyDigest} = account;
      return {id, generation, position, keyDigest, state: 'removing'};
    });
    if (record?.state === 'removing') await this.#finishRemoval(record);
  }

  /** The account of this key; undefined for an unknown, rotated or removed key. */
  async authenticate(apiKey: string): Promise<Account | undefined> {
    if (!isApiKey(apiKey)) return undefined;
    const digest = digestApiKey(apiKey);
    const pointer = await this.#store.get<KeyPointer>(keyPointerKey(digest));
    const account = pointer && (await this.#live(pointer.value.account));
    return account?.value.keyDigest === digest ? account.value : undefined;
  }

  /** @throws ShortUrlError `invalid_api_key` if there is no such account */
  async require(name: AccountName): Promise<Account> {
    const entry = await this.#live(name);
    if (entry === undefined) throw unknownAccount();
    return entry.value;
  }

  /** Whether the account exists and was not removed since. */
  async isLive({id, generation}: Account): Promise<boolean> {
    return (await this.#live(id))?.value.generation === generation;
  }

  /** All accounts, the oldest first, in bounded memory. */
  async *list(): AsyncGenerator<Generation> {
    for await (const {accounts} of this.#index.read()) yield* accounts;
  }

  /** A page of them, and the position after which the next one begins; undefined on the last page. */
  async page({limit, matches, maxPositions, ...range}: AccountPart): Promise<{
    readonly accounts: readonly Generation[];
    readonly end: number | undefined;
  }> {
    const found: Generation[] = [];
    let read = 0;
    for await (const chunk of this.#index.read({...range, first: limit + 1})) {
      for (const account of chunk.accounts) {
        if (!matches(account.id)) continue;
        // There is one more account, so the page is not the last.
        if (found.length === limit) return {accounts: found, end: found.at(-1)?.position};
        found.push(account);
      }
      read += chunk.size;
      if (read >= maxPositions && !chunk.isLast) return {accounts: found, end: chunk.end};
    }
    return {accounts: found, end: undefined};
  }

  async #live(name: AccountName): Promise<Entry<LiveAccount> | undefined> {
    const entry = await this.#store.get<AccountRecord>(accountKey(readId(name)));
    return entry?.value.state === 'live' ? {value: entry.value, revision: entry.revision} : undefined;
  }

  /** Replaces `previous` by an account with a new key. Returns undefined if another caller has changed it first. */
  async #issueKey(
    {id, generation, position, created}: Generation,
    previous: Entry<AccountRecord> | undefined,
  ): Promise<string | undefined> {
    const apiKey = generateApiKey();
    const keyDigest = digestApiKey(apiKey);
    const sealedKey = await this.#seal.seal(apiKey, id);
    const record: LiveAccount = {id, generation, position, created, state: 'live', keyDigest, sealedKey};
    const pointer: KeyPointer = {account: id};
    await this.#store.insert(keyPointerKey(keyDigest), pointer);
    const won = previous
      ? await this.#store.replace(accountKey(id), previous.revision, record)
      : await this.#store.insert(accountKey(id), record);
    if (won) return apiKey;
    await this.#store.remove(keyPointerKey(keyDigest));
    return undefined;
  }

  async #finishRemoval({id, generation, position, keyDigest}: RemovingAccount): Promise<void> {
    await Promise.all([this.#store.remove(keyPointerKey(keyDigest)), this.#index.release(position)]);
    await this.#removeLinks({id, generation});
    await update<AccountRecord>(this.#store, accountKey(id), (account) =>
      account.generation === generation ? {id, generation, state: 'removed'} : undefined,
    );
  }
}

function unknownAccount(): ShortUrlError {
  return new ShortUrlError('invalid_api_key', 'There is no such account: it was never created, or it was removed.');
}

/** The id of an account as it is stored. The number 42 and the string `42` are the same account. */
function readId(account: AccountName): string {
  if (Number.isSafeInteger(account)) return String(account);
  if (typeof account === 'string' && account !== '' && account.length <= 255 && !/\p{Surrogate}/u.test(account)) {
    return account;
  }
  throw new TypeError(
    `Expected \`account\` to be a string of 1 to 255 characters or a safe integer, got ${describe(account)}`,
  );
}
