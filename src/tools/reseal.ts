import {accountKey, type AccountRecord, type LiveAccount} from '../accounts/record.ts';
import type {Seal} from '../accounts/seal.ts';
import {readLiveAccounts} from '../accounts/sealed-keys.ts';
import type {StoreOption} from '../store/option.ts';
import type {ToolStore} from '../store/port.ts';
import {openTool} from './open.ts';
import type {OnProgress} from './progress.ts';
import {readSecrets, sealOf, type Secrets} from './secrets.ts';

export interface ResealOptions {
  /** A connection string, a Keyv instance or a Keyv storage adapter. */
  readonly store: StoreOption;
  /** @default 'shorturl' */
  readonly namespace?: string | undefined;
  /** The secret under which all keys are to be, and after it those under which they may be now. */
  readonly secret: Secrets;
  /**
   * How long one operation of the store may take, in milliseconds.
   * @default 30000
   */
  readonly storeTimeout?: number | undefined;
  readonly onProgress?: OnProgress | undefined;
  /** Called with each account whose key none of the secrets opens. */
  readonly onUnopened?: ((account: string) => void) | undefined;
}

export interface ResealSummary {
  /** Whether all keys are under the first secret now, so that the other secrets can go. */
  readonly ok: boolean;
  /** Keys that were sealed anew. */
  readonly resealed: number;
  /** Keys that were under the first secret already. */
  readonly unchanged: number;
  /** Keys that none of the secrets opens. They stay as they are. */
  readonly unopened: number;
  /** The accounts of the first hundred of these. */
  readonly unopenedAccounts: readonly string[];
  /** Records that cannot be read. */
  readonly unreadable: number;
}

type Outcome = 'resealed' | 'unchanged' | 'unopened' | 'gone';

const maxNamed = 100;
/** Accounts that are resealed at once. */
const atOnce = 20;

/**
 * Seals the API keys of all accounts with the first secret. The keys themselves stay the same. A site may run meanwhile,
 * if it has all of the secrets. A run that was interrupted is taken up by the next one.
 *
 * @throws TypeError for an option that is wrong; ToolError `nothing_there`; ShortUrlError `store_unavailable`
 */
export async function reseal(options: ResealOptions): Promise<ResealSummary> {
  const {namespace, storeTimeout, onProgress = () => undefined, onUnopened = () => undefined} = options;
  const seal = sealOf(readSecrets(options.secret));
  const {store, unreadable} = openTool(options.store, {namespace, storeTimeout, mustExist: true});
  const counts: Record<Outcome, number> = {resealed: 0, unchanged: 0, unopened: 0, gone: 0};
  const unopenedAccounts: string[] = [];
  let done = 0;
  try {
    for await (const accounts of readLiveAccounts(store)) {
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

/** Again from the start whenever somebody else has changed the account: its site has given it another key. */
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
