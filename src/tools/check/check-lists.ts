import {accountPointers, accountRecords, linkPositions} from '../../accounts/records.ts';
import type {AccountRecord, RemovingAccount} from '../../accounts/record.ts';
import {Bases, isSameName} from '../../link/bases.ts';
import {isListed, type LinkRecord} from '../../link/record.ts';
import {linkRecords, sequences} from '../../link/records.ts';
import {accountList, LinkIndex, type LinkList, readSlots, siteList, slotOf} from '../../links/read/link-index.ts';
import {accountTotals, totalsKeys} from '../../links/stats/totals.ts';
import {buildServices} from '../../shortener/services.ts';
import {advice, type Finding, problem} from '../../store/findings.ts';
import {type ToolStore, nextCounter} from '../../store/port.ts';

/** How many sequences are read together. */
const atOnce = 500;

/** A sequence may be so far beyond the positions in use. To walk over more empty ones would take minutes. */
const maxBeyond = 10 ** 8;

/** Which records are looked at. */
interface Sample {
  /** The maximum number of keys of each kind. */
  readonly maxKeys: number;
  /** Whether what is found is repaired. */
  readonly isCleaned: boolean;
}

const remedy = 'koa-short-url check --clean, while no copy or import is running';

/**
 * Looks for links and accounts that are not in their lists, which a cut import or a restored backup leaves, and puts them
 * into these on request.
 */
export async function checkLists(store: ToolStore, sample: Sample): Promise<Finding[]> {
  const lists = new Lists(store, sample);
  for await (const links of recordsOf<LinkRecord>(store, linkRecords.prefix, sample)) await lists.checkLinks(links);
  for await (const accounts of recordsOf<AccountRecord>(store, accountRecords.prefix, sample)) {
    await lists.checkAccounts(accounts);
  }
  await lists.checkSequences();
  const {lacking, wrong} = lists;
  if (lacking + wrong === 0) return [];
  const what = `${lacking} entries of lists were missing, and ${wrong} sequences were below the positions in use or far beyond them`;
  if (sample.isCleaned)
    return [advice('lists_repaired', `${what}. They were repaired.`, 'Nothing more has to be done.')];
  return [
    problem('incomplete_lists', `${what}: links or accounts are missing in lists, and keys may not work.`, remedy),
  ];
}

/** Looks for accounts whose removal was cut off, and finishes it on request. */
export async function checkRemovals(store: ToolStore, sample: Sample): Promise<Finding[]> {
  const removing: RemovingAccount[] = [];
  for await (const accounts of recordsOf<AccountRecord>(store, accountRecords.prefix, sample)) {
    removing.push(...accounts.filter((account) => account.state === 'removing'));
  }
  if (removing.length === 0) return [];
  const many = `${removing.length} ${removing.length === 1 ? 'account' : 'accounts'}`;
  if (!sample.isCleaned) {
    const message = `The removal of ${many} has begun and not ended. Links of such an account may still redirect.`;
    return [problem('unfinished_removals', message, 'koa-short-url check --clean')];
  }
  // Neither the domains of the site nor its secrets are needed to remove what an account has.
  const {accounts, log} = buildServices(store, {bases: new Bases('https://site.invalid', []), secrets: ['']});
  try {
    for (const {id} of removing) await accounts.remove(id);
  } finally {
    await log.close(0);
  }
  return [advice('removals_finished', `The removal of ${many} was finished.`, 'Nothing more has to be done.')];
}

/** Looks for the totals of removed accounts, which a call that was cut off beside the removal leaves, and removes them on request. */
export async function checkTotals(store: ToolStore, {maxKeys, isCleaned}: Sample): Promise<Finding[]> {
  const left = new Set<string>();
  for await (const keys of store.keys('counters', accountTotals.prefix)) {
    if (!isCleaned && left.size >= maxKeys) break;
    for (const key of keys) left.add(key.split(':')[1] ?? '');
  }
  let looked = 0;
  // After the totals, so that each account that had some is there.
  for await (const keys of store.keys('records', accountRecords.prefix)) {
    if (left.size === 0) return [];
    looked += keys.length;
    const entries = await store.getMany<AccountRecord>(keys);
    // Only all accounts together tell what belongs to none of them.
    if (entries.includes(undefined) || (!isCleaned && looked > maxKeys)) return [];
    for (const entry of entries) left.delete(entry?.value.generation ?? '');
  }
  if (left.size === 0) return [];
  const what = `${left.size} removed ${left.size === 1 ? 'account' : 'accounts'} had totals.`;
  if (!isCleaned) return [advice('totals_without_account', `${what} A call that was cut off has left them.`, remedy)];
  for (const generation of left) {
    await Promise.all(totalsKeys(generation).map((key) => store.removeCounters(key)));
  }
  return [advice('totals_removed', `${what} They were removed.`, 'Nothing more has to be done.')];
}

/** Compares links and accounts with the lists that should have them. */
class Lists {
  readonly #store: ToolStore;
  readonly #isCleaned: boolean;
  readonly #index: LinkIndex;
  /** The last position in use, by sequence. */
  readonly #lasts = new Map<string, number>([
    [sequences.key('url_id'), 0],
    [sequences.key('account'), 0],
  ]);
  lacking = 0;
  wrong = 0;

  constructor(store: ToolStore, {isCleaned}: Sample) {
    this.#store = store;
    this.#isCleaned = isCleaned;
    this.#index = new LinkIndex(store);
  }

  async checkLinks(links: readonly LinkRecord[]): Promise<void> {
    const listed = links.filter(isListed);
    for (const {id} of listed) this.#use(siteList.sequence, id);
    await this.#checkLinksOf(siteList, listed);
    for (const generation of new Set(listed.map((link) => link.generation))) {
      const list = accountList(generation);
      await this.#checkLinksOf(
        list,
        listed.filter((link) => link.generation === generation),
      );
    }
  }

  async checkAccounts(accounts: readonly AccountRecord[]): Promise<void> {
    const live = accounts.filter(({state}) => state === 'live');
    const pointers = accountPointers.in(this.#store);
    const found = await pointers.getMany(live.map(({position}) => position));
    for (const [index, {id, position, generation}] of live.entries()) {
      this.#use(sequences.key('account'), position);
      this.#use(linkPositions.key(generation), 0);
      if (found[index]?.value.account === id) continue;
      this.lacking += 1;
      if (this.#isCleaned) await pointers.upsert(position, () => ({account: id}));
    }
  }

  /** Repairs sequences that would give positions twice, or that make lists too long to walk over them. */
  async checkSequences(): Promise<void> {
    const all = Array.from(this.#lasts);
    for (let start = 0; start < all.length; start += atOnce) {
      const some = all.slice(start, start + atOnce);
      const current = await this.#store.current(some.map(([sequence]) => sequence));
      const wrong = some.filter(([, last], index) => {
        const number = current[index] ?? 0;
        return number < last || number > last + maxBeyond;
      });
      this.wrong += wrong.length;
      if (!this.#isCleaned || wrong.length === 0) continue;
      await this.#store.setCounters(
        wrong.map(([sequence, last]) => [sequence, {counts: new Map([[nextCounter, last]]), at: undefined}]),
      );
    }
  }

  async #checkLinksOf(list: LinkList, links: readonly LinkRecord[]): Promise<void> {
    const positions = links.map(list.positionOf);
    const slots = await readSlots(this.#store, list, positions);
    for (const [index, link] of links.entries()) {
      const position = positions[index] ?? 0;
      // A link that was blocked before it was created has none.
      if (position === 0) continue;
      this.#use(list.sequence, position);
      if (isSameName(slots[index], link)) continue;
      this.lacking += 1;
      if (this.#isCleaned) await this.#index.reserveAt(list, position, slotOf(link));
    }
  }

  #use(sequence: string, position: number): void {
    this.#lasts.set(sequence, Math.max(position, this.#lasts.get(sequence) ?? 0));
  }
}

async function* recordsOf<Value>(
  store: ToolStore,
  prefix: string,
  {maxKeys, isCleaned}: Sample,
): AsyncGenerator<readonly Value[]> {
  let looked = 0;
  for await (const keys of store.keys('records', prefix)) {
    if (!isCleaned && looked >= maxKeys) return;
    looked += keys.length;
    yield (await store.getMany<Value>(keys)).flatMap((entry) => (entry ? [entry.value] : []));
  }
}
