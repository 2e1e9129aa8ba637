import {accountKey} from '../keys.ts';
import {type AccountRecord, type LiveAccount} from '../accounts/record.ts';
import type {Seal} from '../accounts/seal.ts';
import {AccountIndex} from '../accounts/account-index.ts';
import type {StoreOption} from '../store/opening/option.ts';
import type {ToolStore} from '../store/port.ts';
import {openTool} from './open.ts';
import {checkOptionNames} from './option-names.ts';
import type {OnProgress} from './progress.ts';
import {readSecrets, sealOf, type Secrets} from './secrets.ts';

export interface ResealOptions {
  /** A connection string, a Keyv instance or a Keyv storage adapter. */
  readonly store: StoreOption;
  /** @default 'shorturl' */
  readonly namespace?: string | undefined;
  /** The new secret, followed by the old ones. */
  readonly secret: Secrets;
  /**
   * How long one operation of the store may take, in milliseconds.
   * @default 30000
   */
  readonly storeTimeout?: number | undefined;
  readonly onProgress?: OnProgress | undefined;
  /** Called for each account whose key cannot be decrypted with any of the secrets. */
  readonly onUnopened?: ((account: string) => void) | undefined;
}

const optionNames: Record<keyof ResealOptions, true> = {
  store: true,
  namespace: true,
  secret: true,
  storeTimeout: true,
  onProgress: true,
  onUnopened: true,
};

export interface ResealSummary {
  /** Whether all keys are now encrypted with the first secret, so the others are no longer needed. */
  readonly ok: boolean;
  /** Keys that were encrypted again. */
  readonly resealed: number;
  /** Keys that were already encrypted with the first secret. */
  readonly unchanged: number;
  /** Keys that cannot be decrypted with any of the secrets. They are not changed. */
  readonly unopened: number;
  /** The accounts of these keys, at most a hundred. */
  readonly unopenedAccounts: readonly string[];
  /** Records that cannot be parsed. */
  readonly unreadable: number;
}

type Outcome = 'resealed' | 'unchanged' | 'unopened' | 'gone';

const maxNamed = 100;
/** How many accounts are processed at once. */
const atOnce = 20;

/**
 * Encrypts the API keys of all accounts with the first secret. The keys themselves stay the same. The site may keep
 * running if it has all of the secrets. The next run continues an interrupted one.
 *
 * @throws TypeError for a wrong option; ToolError `nothing_there`; ShortUrlError `store_unavailable`
 */
export async function reseal(options: ResealOptions): Promise<ResealSummary> {
  checkOptionNames(options, optionNames);
  const {namespace, storeTimeout, onProgress = () => undefined, onUnopened = () => undefined} = options;
  const seal = sealOf(readSecrets(options.secret));
  const {store, unreadable} = openTool(options.store, {namespace, storeTimeout, mustExist: true});
  const counts: Record<Outcome, number> = {resealed: 0, unchanged: 0, unopened: 0, gone: 0};
  const unopenedAccounts: string[] = [];
  let done = 0;
  try {
    for await (const {accounts} of new AccountIndex(store).read()) {
      for (let start = 0; start < accounts.length; start += atOnce) {
        const some = accounts.slice(start, start + atOnce);
        const outcomes = await Promise.all(some.map((account) => resealOne(store, seal, account)));
        for (const [index, outcome] of outcomes.entries()) {
          counts[outcome] += 1;
          if (outcome !== 'unopened') continue;
          const id = some[index]?.id ?? '';
          if (unopenedAccounts.length < maxNamed) unopenedAccounts.push(id);
          onUnopened(id);
        }
        done += some.length;
        onProgress({phase: 'sealing keys', done});
      }
    }
  } finally {
    await store.close();
  }
  const {resealed, unchanged, unopened} = counts;
  const ok = unopened === 0 && unreadable.length === 0;
  return {ok, resealed, unchanged, unopened, unopenedAccounts, unreadable: unreadable.length};
}

/** Starts again if the account was changed at the same time, for example by a rotation. */
async function resealOne(store: ToolStore, seal: Seal, {id}: LiveAccount): Promise<Outcome> {
  for (;;) {
    const entry = await store.get<AccountRecord>(accountKey(id));
    if (entry?.value.state !== 'live') return 'gone';
    const opened = await seal.tryOpen(entry.value.sealedKey, id);
    if (opened === undefined) return 'unopened';
    if (opened.isFirst) return 'unchanged';
    const sealedKey = await seal.seal(opened.text, id);
    if (await store.replace(accountKey(id), entry.revision, {...entry.value, sealedKey})) return 'resealed';
  }
}
