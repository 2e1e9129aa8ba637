import {nanoid} from 'nanoid';
import {planted} from '../planted.ts';
import {ShortUrlError} from '../errors.ts';
import {reader, readFields} from '../values/input.ts';
import {choice, line} from '../values/shape.ts';
import {type AccountName, type Accounts, checkOpen} from './accounts.ts';
import {formatDateTime} from '../values/calendar.ts';
import {digestApiKey, generateApiKey} from './api-key.ts';
import type {KeyScope, LabelledKey} from './record.ts';

export type {KeyScope} from './record.ts';

export const maxKeys = 20;
export const keyLabel = line(100);

/** Each scope includes the ones before it. */
const scopes: readonly KeyScope[] = ['read', 'create', 'full'];

export const keyScope = choice(scopes);

/** A labelled key to create. */
export interface CreateKey {
  /** What the key is for: 1 to 100 characters. */
  readonly label: string;
  /** `read`: only read links. `create`: also create links. `full`: everything. */
  readonly scope: KeyScope;
}

/** A labelled key as its account sees it. */
export interface ApiKey extends CreateKey {
  /** Identifies the key. It is not secret. */
  readonly id: string;
  /** `yyyy-mm-dd hh:mm:ss`, UTC. */
  readonly created: string;
}

/** A labelled key that was just created. */
export interface CreatedApiKey extends ApiKey {
  /** The key itself. The store has only its digest, so it cannot be shown again. */
  readonly apiKey: string;
}

/**
 * The labelled keys of accounts. They are stored in the record of their account, so each change is one compare-and-set,
 * and applies in every process as soon as it is acknowledged.
 */
export class Keys {
  readonly #accounts: Pick<Accounts, 'change' | 'requireOpen'>;
  readonly #now: () => number;

  /** @param now milliseconds since the epoch */
  constructor(accounts: Pick<Accounts, 'change' | 'requireOpen'>, now: () => number) {
    this.#accounts = accounts;
    this.#now = now;
  }

  /**
   * Creates a key, of which an account has a bounded number. `apiKey` is returned only here, because the store has only its digest.
   *
   * @throws ShortUrlError `missing_parameter`, `unknown_parameter` or `malformed_parameter`; `too_many_keys`;
   *   `account_blocked`, or `invalid_api_key` if there is no such account
   * @example
   * const {apiKey} = await shortener.keys.create(user.id, {label: 'Newsletter', scope: 'create'});
   */
  async create(account: AccountName, input: CreateKey): Promise<CreatedApiKey> {
    const {label, scope} = readKey(input);
    const id = nanoid(10);
    const created = Math.floor(this.#now() / 1000) * 1000;
    let apiKey = '';
    await this.#accounts.change(account, (record) => {
      const {keys = [], position} = checkOpen(record);
      if (keys.length >= maxKeys) {
        throw new ShortUrlError('too_many_keys', `The account already has ${maxKeys} labelled keys. Revoke one first.`);
      }
      apiKey = generateApiKey(position);
      return {...record, keys: [...keys, {id, label, scope, created, digest: digestApiKey(apiKey)}]};
    });
    return {...toApiKey({id, label, scope, created}), apiKey};
  }

  /**
   * The labelled keys, the oldest first. The account's first key is not included.
   *
   * @throws ShortUrlError `account_blocked` or `invalid_api_key`
   * @example
   * for (const {id, label, scope} of await shortener.keys.list(user.id)) console.log(id, label, scope);
   */
  async list(account: AccountName): Promise<readonly ApiKey[]> {
    return ((await this.#accounts.requireOpen(account)).keys ?? []).map(toApiKey);
  }

  /**
   * Revokes a key at once, in every process.
   *
   * @throws ShortUrlError `unknown_key` if the account has no such key; `account_blocked`, or `invalid_api_key` if there
   *   is no such account
   * @example
   * await shortener.keys.revoke(user.id, key.id);
   */
  async revoke(account: AccountName, id: string): Promise<void> {
    const stored = this.#accounts.change(account, (record) => {
      const {keys = [], ...account} = checkOpen(record);
      const rest = keys.filter((key) => key.id !== id);
      if (rest.length === keys.length) {
        throw new ShortUrlError('unknown_key', 'The account has no labelled key with this id.');
      }
      return rest.length > 0 ? {...account, keys: rest} : account;
    });
    if (planted('revoked-before-stored')) stored.catch(() => undefined);
    else await stored;
  }
}

/** Whether a key of the scope `given` may be used for an operation that needs the scope `needed`. */
export function isWithin(needed: KeyScope, given: KeyScope): boolean {
  return scopes.indexOf(needed) <= scopes.indexOf(given);
}

function toApiKey({id, label, scope, created}: Omit<LabelledKey, 'digest'>): ApiKey {
  return {id, label, scope, created: formatDateTime(created)};
}

function readKey(input: unknown): CreateKey {
  const {label, scope} = readFields(input, 'A key is created from', {
    label: reader(keyLabel, 'label'),
    scope: reader(keyScope, 'scope'),
  });
  if (label !== undefined && scope !== undefined) return {label, scope};
  const missing = label === undefined ? 'label' : 'scope';
  throw new ShortUrlError('missing_parameter', `The parameter \`${missing}\` is missing.`);
}
