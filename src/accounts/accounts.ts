import {planted} from '../planted.ts';
import {isBlockOpen} from '../link/record.ts';
import type {AnyKind, Owner} from '../store/kind.ts';
import type {Records} from '../store/records.ts';
import {accountRecords, blockRecords, linkPositions} from './records.ts';
import {nanoid} from 'nanoid';
import {ShortUrlError, toShortUrlError} from '../errors.ts';
import type {Entry, Store} from '../store/port.ts';
import type {Range} from '../store/walk.ts';
import {anAccountName} from '../values/account-name.ts';
import {describe} from '../values/describe.ts';
import {AccountIndex} from './account-index.ts';
import {digestApiKey, generateApiKey, positionIn} from './api-key.ts';
import {
  type Account,
  type AccountBlock,
  type AccountRecord,
  type Generation,
  type KeyScope,
  type LabelledKey,
  type LiveAccount,
  type RemovingAccount,
} from './record.ts';
import type {Seal} from './seal.ts';
import type {SiteKey} from './site-key.ts';

export type {Account} from './record.ts';

/** How the host names an account: by a string of 1 to 255 characters or a safe integer. */
export type AccountName = string | number;

/** The maximum number of accounts of one call of `createMany`, and how many are created at once. */
const maxAccounts = 1000;
const createdAtOnce = 100;

/** The result for one account of `createMany`. */
export type AccountResult =
  | {readonly account: string; readonly apiKey: string; readonly error?: undefined}
  | {readonly account: string; readonly apiKey?: undefined; readonly error: ShortUrlError};

/** A page of the accounts: at most `limit` that match. */
export interface AccountPart extends Range {
  readonly limit: number;
  readonly matches: (id: string) => boolean;
  /** The number of positions after which the page ends, also if it is not full. */
  readonly maxRead: number;
}

export interface Access {
  readonly account: LiveAccount;
  readonly scope: KeyScope;
  /** Undefined for the account's first key. */
  readonly key: Pick<LabelledKey, 'id' | 'label'> | undefined;
}

export interface AccountsDependencies {
  readonly store: Store;
  readonly seal: Seal;
  readonly siteKey: Pick<SiteKey, 'idFor' | 'knownIdFor'>;
  /** The removal of an account removes its records of these. */
  readonly kinds: readonly AnyKind[];
  readonly removeLinks: (account: Account) => Promise<void>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Accounts, and the key that each gets at its registration. */
export class Accounts {
  readonly #dependencies: AccountsDependencies;
  readonly #index: AccountIndex;
  readonly #records: Records<string, AccountRecord>;
  /** The blocks of accounts that were removed, until the operator ends them or the account exists again. */
  readonly #blocks: Records<string, Omit<AccountBlock, 'id'>>;

  constructor(dependencies: AccountsDependencies) {
    const {store} = dependencies;
    this.#dependencies = dependencies;
    this.#index = new AccountIndex(store);
    this.#records = accountRecords.in(store);
    this.#blocks = blockRecords.in(store);
  }

  /**
   * Creates the account if it does not exist, and returns its key. Idempotent, also for concurrent calls. An account that
   * was blocked when it was removed is blocked again.
   */
  async create(account: AccountName): Promise<string> {
    const id = readAccountName(account);
    for (;;) {
      const entry = await this.#records.get(id);
      if (entry?.value.state === 'live') return this.#dependencies.seal.open(entry.value.sealedKey, id);
      if (entry?.value.state === 'removing') {
        await this.#finishRemoval(entry.value);
        continue;
      }
      const created = this.#dependencies.now();
      // After the account, because its removal stores the block first.
      const [position, blockId] = await Promise.all([this.#index.reserve(id), this.#blockIdOf(id)]);
      const block = blockId === undefined ? undefined : await this.#blocks.get(blockId);
      const blocked = block && {blocks: 1, blockReason: block.value.reason};
      const apiKey = await this.#issueKey({id, generation: nanoid(12), position, created, ...blocked}, entry);
      // The account has the block now.
      if (apiKey !== undefined && blockId !== undefined && block) await this.#blocks.remove(blockId);
      if (apiKey !== undefined) return apiKey;
      if (!planted('account-place-left')) await this.#index.release(position);
    }
  }

  /**
   * Creates accounts, with results in their order, as `create` does. Calls at the same time share round trips and commits.
   *
   * @throws TypeError for a wrong name, before any account is created
   */
  async createMany(accounts: readonly AccountName[]): Promise<AccountResult[]> {
    if (!Array.isArray(accounts) || accounts.length > maxAccounts) {
      throw new TypeError(`Expected \`accounts\` to be an array of at most ${maxAccounts} accounts`);
    }
    const ids = accounts.map(readAccountName);
    const results: AccountResult[] = [];
    for (let start = 0; start < ids.length; start += createdAtOnce) {
      const some = ids.slice(start, start + createdAtOnce).map((account) =>
        this.create(account).then(
          (apiKey) => ({account, apiKey}),
          (error: unknown) => ({account, error: toShortUrlError(error)}),
        ),
      );
      results.push(...(await Promise.all(some)));
    }
    return results;
  }

  async apiKey(name: AccountName): Promise<string | undefined> {
    const account = (await this.#live(name))?.value;
    return account && this.#dependencies.seal.open(account.sealedKey, account.id);
  }

  /** Gives the account a new key. The old one is invalid at once. */
  async rotate(name: AccountName): Promise<string> {
    for (;;) {
      const entry = await this.#live(name);
      if (entry === undefined) throw unknownAccount();
      const apiKey = await this.#issueKey({...entry.value, keyCreated: this.#dependencies.now()}, entry);
      if (apiKey !== undefined) return apiKey;
    }
  }

  /** Removes the account and its links. Its key is invalid at once. Does nothing if there is no such account. */
  async remove(name: AccountName): Promise<void> {
    const {siteKey} = this.#dependencies;
    const id = readAccountName(name);
    const record = await this.#records.update(id, async (account) => {
      if (account.state !== 'live') return undefined;
      const {generation, position, blocks, blockReason: reason} = account;
      const block = isBlockOpen(blocks) ? {id: await siteKey.idFor(blockRecords, id), reason} : undefined;
      return {id, generation, position, state: 'removing', block};
    });
    if (record?.state === 'removing') await this.#finishRemoval(record);
  }

  /** The account of this key and its scope; undefined for an unknown, rotated, revoked or removed key. */
  async authenticate(apiKey: string): Promise<Access | undefined> {
    const position = positionIn(apiKey);
    const account = position === undefined ? undefined : await this.#index.at(position);
    if (account === undefined) return undefined;
    const digest = digestApiKey(apiKey);
    if (account.keyDigest === digest) return {account, scope: 'full', key: undefined};
    const key = account.keys?.find((labelled) => labelled.digest === digest);
    return key && {account, scope: key.scope, key: {id: key.id, label: key.label}};
  }

  async find(name: AccountName): Promise<LiveAccount | undefined> {
    return (await this.#live(name))?.value;
  }

  /** The account at a position among all accounts; undefined if it was removed. */
  at(position: number): Promise<LiveAccount | undefined> {
    return this.#index.at(position);
  }

  /** @throws ShortUrlError `invalid_api_key` if there is no such account */
  async require(name: AccountName): Promise<LiveAccount> {
    const account = await this.find(name);
    if (account === undefined) throw unknownAccount();
    return account;
  }

  /** @throws ShortUrlError `account_blocked`, or `invalid_api_key` if there is no such account */
  async requireOpen(name: AccountName): Promise<LiveAccount> {
    return checkOpen(await this.require(name));
  }

  /**
   * Looks at the account again, after a position in its index was reserved.
   *
   * @throws ShortUrlError `account_blocked`, or `invalid_api_key` if it was removed since, also if it exists again
   */
  async recheck({id, generation}: Account): Promise<LiveAccount> {
    const account = (await this.#records.get(id))?.value;
    // The sequence was begun again after the removal.
    if (account?.generation !== generation) await linkPositions.in(this.#dependencies.store).remove(generation);
    if (account?.state !== 'live' || account.generation !== generation) throw accountRemoved();
    return checkOpen(account);
  }

  /**
   * Changes an account. `change` returns undefined to leave it unchanged.
   *
   * @returns the account after it
   * @throws ShortUrlError `invalid_api_key` if there is no such account
   */
  async change(name: AccountName, change: (account: LiveAccount) => LiveAccount | undefined): Promise<LiveAccount> {
    const record = await this.#records.update(readAccountName(name), (account) =>
      account.state === 'live' ? change(account) : undefined,
    );
    if (record?.state !== 'live') throw unknownAccount();
    return record;
  }

  /**
   * Ends the block of an account, also of one that was removed.
   *
   * @returns the account after it; undefined if it was removed
   * @throws ShortUrlError `invalid_api_key` if there is neither an account nor a block
   */
  async unblock(
    name: AccountName,
    change: (account: LiveAccount) => LiveAccount | undefined,
  ): Promise<LiveAccount | undefined> {
    const id = readAccountName(name);
    const block = await this.#blockIdOf(id);
    const record = await this.#records.update(id, (account) =>
      account.state === 'live' ? change(account) : undefined,
    );
    // Its removal may not have stored the block yet.
    if (record?.state === 'removing') await this.#finishRemoval(record);
    const ended = block && (await this.#blocks.removeIf(block, () => true));
    if (record?.state === 'live') return record;
    if (ended === undefined) throw unknownAccount();
    return undefined;
  }

  async *list(): AsyncGenerator<Generation> {
    for await (const {accounts} of this.#index.read()) yield* accounts;
  }

  /** A page of them, and the position after which the next one begins; undefined on the last page. */
  async page({limit, matches, maxRead, ...range}: AccountPart): Promise<{
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
      read += chunk.covered;
      if (read >= maxRead && !chunk.isLast) return {accounts: found, end: chunk.end};
    }
    return {accounts: found, end: undefined};
  }

  /** The digest of the name of an account; undefined if the site surely has no blocks of removed accounts. */
  #blockIdOf(account: string): Promise<string | undefined> {
    return this.#dependencies.siteKey.knownIdFor(blockRecords, account);
  }

  async #live(name: AccountName): Promise<Entry<LiveAccount> | undefined> {
    const entry = await this.#records.get(readAccountName(name));
    return entry?.value.state === 'live' ? {value: entry.value, revision: entry.revision} : undefined;
  }

  /** Replaces `previous` by an account with a new key. Returns undefined if another caller has changed it first. */
  async #issueKey(
    account: Omit<LiveAccount, 'state' | 'keyDigest' | 'sealedKey'>,
    previous: Entry<AccountRecord> | undefined,
  ): Promise<string | undefined> {
    const {id, position} = account;
    const apiKey = generateApiKey(position);
    const sealedKey = await this.#dependencies.seal.seal(apiKey, id);
    const record: LiveAccount = {...account, state: 'live', keyDigest: digestApiKey(apiKey), sealedKey};
    const seen = planted('blind-rotation') && previous ? await this.#records.get(id) : previous;
    const won = seen ? await this.#records.replace(id, seen.revision, record) : await this.#records.insert(id, record);
    return won ? apiKey : undefined;
  }

  async #finishRemoval({id, generation, position, block}: RemovingAccount): Promise<void> {
    if (block) {
      const {id: blockId, ...kept} = block;
      await this.#blocks.upsert(blockId, () => kept);
    }
    await this.#index.release(position);
    if (planted('account-gone-first')) await this.#records.remove(id);
    await this.#dependencies.removeLinks({id, generation});
    // Without the sequence no conversion counts for the account any more.
    await linkPositions.in(this.#dependencies.store).remove(generation);
    await this.#removeRest({id, generation, position});
    // The key names the account, so the record goes too, unless another caller has created the account again.
    await this.#records.removeIf(id, ({generation: found}) => found === generation);
    // A create that has found the account being removed may have begun the sequence again.
    await linkPositions.in(this.#dependencies.store).remove(generation);
  }

  async #removeRest(account: Owner): Promise<void> {
    const removals = this.#dependencies.kinds.flatMap(({isLast, isCounters, keysOf}) =>
      isLast
        ? []
        : keysOf(account).map((key) =>
            isCounters ? this.#dependencies.store.removeCounters(key) : this.#dependencies.store.remove(key),
          ),
    );
    await Promise.all(removals);
  }
}

/** @throws ShortUrlError `account_blocked` */
export function checkOpen(account: LiveAccount): LiveAccount {
  const {blocks, blockReason} = account;
  if (!isBlockOpen(blocks)) return account;
  const reason = blockReason === undefined ? '' : `: “${blockReason}”`;
  throw new ShortUrlError('account_blocked', `The site's operator has blocked this account${reason}.`);
}

export function accountRemoved(): ShortUrlError {
  return new ShortUrlError('invalid_api_key', 'The account was removed.');
}

function unknownAccount(): ShortUrlError {
  return new ShortUrlError('invalid_api_key', 'This account does not exist, or it was removed.');
}

/**
 * The id of an account as it is stored. The number 42 and the string `42` are the same account.
 *
 * @throws TypeError with the expected and the given value
 */
export function readAccountName(account: AccountName): string {
  if (anAccountName.holds(account)) return String(account);
  throw new TypeError(`Expected \`account\` to be ${anAccountName.expected}, got ${describe(account)}`);
}
