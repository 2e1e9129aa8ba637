import {type AccountRecord} from '../accounts/record.ts';
import {accountRecords} from '../accounts/records.ts';
import {isUnavailable} from '../errors.ts';
import {Seal} from '../accounts/seal.ts';
import {SiteKey, siteKeyRecords} from '../accounts/site-key.ts';
import {shortUrlOptions} from '../shortener/options.ts';
import type {StoreOption} from '../store/opening/option.ts';
import type {ToolStore} from '../store/port.ts';
import {accountSection, contentOf, type RecordItem} from './content/content.ts';
import {openTool, type ToolOptions} from './open.ts';
import {aFunction, checkToolOptions} from './options.ts';
import type {OnProgress} from './progress.ts';
import {flag} from '../values/shape.ts';
import type {Secrets} from './secrets.ts';

export interface ResealOptions extends ToolOptions {
  /** A connection string, what the site has open, a Keyv instance or a Keyv storage adapter. */
  readonly store: StoreOption;
  /** The new secret, followed by the old ones. */
  readonly secret: Secrets;
  readonly onProgress?: OnProgress | undefined;
  /**
   * Whether the site gets a new key for digests if none of the secrets decrypts the old one. The blocks of removed accounts
   * are then forgotten, and so are the links for calls with `reuse`, customers, and which conversions were counted.
   * @default false
   */
  readonly newSiteKey?: boolean | undefined;
  /** Called for each account whose key cannot be decrypted with any of the secrets. */
  readonly onUnopened?: ((account: string) => void) | undefined;
}

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
  /** Present if none of the secrets decrypts the site's key for digests. */
  readonly siteKey?: 'unopened';
}

type Outcome = 'resealed' | 'unchanged' | 'unopened' | 'gone';

const maxNamed = 100;

/**
 * Encrypts the API keys of all accounts, and the site's key for digests, with the first secret. The keys themselves stay
 * the same. The site may keep running if it has all of the secrets. The next run continues an interrupted one. Cookies of
 * visitors stay sealed with the old secret: keep it for `attribution.maxAge` after no process seals with it any more.
 *
 * @throws TypeError for a wrong option; ToolError `nothing_there`; ShortUrlError `store_unavailable`
 * @example
 * await reseal({store: 'sqlite:links.db', secret: [newSecret, oldSecret]});
 */
export async function reseal(options: ResealOptions): Promise<ResealSummary> {
  const secret = {...shortUrlOptions.secret, isRequired: true} as const;
  checkToolOptions(options, {secret, newSiteKey: flag, onProgress: aFunction, onUnopened: aFunction});
  const {namespace, storeTimeout, onProgress = () => undefined, onUnopened = () => undefined} = options;
  const seal = new Seal([options.secret].flat());
  const {store, unreadable} = openTool(options.store, {namespace, storeTimeout, mustExist: true});
  const counts: Record<Outcome, number> = {resealed: 0, unchanged: 0, unopened: 0, gone: 0};
  const unopenedAccounts: string[] = [];
  let done = 0;
  let isLost: boolean;
  try {
    for await (const items of contentOf(store, [accountSection])) {
      await Promise.all(
        items.map(async (item) => {
          const {id} = (item as RecordItem).value as AccountRecord;
          const outcome = await resealOne(store, seal, id);
          counts[outcome] += 1;
          if (outcome !== 'unopened') return;
          if (unopenedAccounts.length < maxNamed) unopenedAccounts.push(id);
          onUnopened(id);
        }),
      );
      done += items.length;
      onProgress({phase: 'sealing keys', done});
    }
    isLost = await isSiteKeyLost(store, seal);
    if (isLost && options.newSiteKey === true) await siteKeyRecords.in(store).remove();
  } finally {
    await store.close();
  }
  const {resealed, unchanged, unopened} = counts;
  const isUnopened = isLost && options.newSiteKey !== true;
  return {
    ok: unopened === 0 && unreadable.length === 0 && !isUnopened,
    resealed,
    unchanged,
    unopened,
    unopenedAccounts,
    unreadable: unreadable.length,
    ...(isUnopened && {siteKey: 'unopened'}),
  };
}

/** Seals the site's key for digests with the first secret. Returns true if no secret decrypts it. */
async function isSiteKeyLost(store: ToolStore, seal: Seal): Promise<boolean> {
  try {
    await new SiteKey(store, seal).read();
    return false;
  } catch (error) {
    if (isUnavailable(error)) throw error;
    return true;
  }
}

async function resealOne(store: ToolStore, seal: Seal, id: string): Promise<Outcome> {
  let outcome: Outcome = 'gone';
  await accountRecords.in(store).update(id, async (account) => {
    const opened = account.state === 'live' ? await seal.tryOpen(account.sealedKey, id) : undefined;
    if (account.state !== 'live') outcome = 'gone';
    else if (opened === undefined) outcome = 'unopened';
    else outcome = opened.isFirst ? 'unchanged' : 'resealed';
    return opened?.isFirst === false ? {...account, sealedKey: await seal.seal(opened.text, id)} : undefined;
  });
  return outcome;
}
