import {countersKey, linkKey, referenceKey} from '../../records.ts';
import type {Account} from '../../accounts/accounts.ts';
import {ShortUrlError} from '../../host/errors.ts';
import type {Entry, Store} from '../../store/port.ts';
import {update} from '../../store/update.ts';
import {walk} from '../../store/walk.ts';
import type {LinkName} from '../../link/bases.ts';
import {forgetReuse} from '../create/intents.ts';
import {accountList, readSlots, recordKey, siteList, slotsPerRecord} from '../list/link-index.ts';
import {type LinkRecord, removedRecord} from '../../link/record.ts';
import type {LinkServices} from '../services.ts';

/** Links that are changed at once. The number is small, so that visits get a connection to the store. */
const atOnce = 3;

/**
 * Goes through all slots of a generation's index, also those whose links are absent, and gives `change` the name in each
 * with the record that was found under it.
 *
 * @param afterRecord called with the first position of each record of the index, after its links
 */
async function changeAll(
  store: Store,
  generation: string,
  redirects: LinkServices['redirects'],
  change: (name: LinkName, found: Entry<LinkRecord> | undefined) => Promise<void>,
  afterRecord?: (position: number) => Promise<void>,
): Promise<void> {
  const list = accountList(generation);
  const changeSlots = async (positions: readonly number[]) => {
    const slots = await readSlots(store, list, positions);
    const names = slots.filter((name) => name !== undefined);
    const links = await store.getMany<LinkRecord>(names.map(linkKey));
    const rest = names.entries();
    const changeSome = async (): Promise<void> => {
      for (const [index, name] of rest) {
        await change(name, links[index]).finally(() => {
          redirects.forget(name);
        });
      }
    };
    await Promise.all(Array.from({length: atOnce}, changeSome));
    return {position: positions[0] ?? 0, covered: positions.length, next: slotsPerRecord};
  };
  for await (const {position} of walk(store, list, {first: slotsPerRecord}, changeSlots)) await afterRecord?.(position);
}

/** A record that cannot be read does not redirect, so it can stay. */
async function unlessUnreadable(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof ShortUrlError) || error.code !== 'internal_error') throw error;
  }
}

/**
 * Removes all links of a generation for good, with their counters. A slot whose link is absent may belong to a creation
 * that is still running, so the removal takes the name, and the link can no longer be inserted.
 */
export async function removeAll(
  {store, linkIndex, redirects}: Pick<LinkServices, 'store' | 'linkIndex' | 'redirects'>,
  {generation}: Account,
): Promise<void> {
  const list = accountList(generation);
  const remove = async (name: LinkName, entry: Entry<LinkRecord> | undefined): Promise<void> => {
    const key = linkKey(name);
    // Without a generation the name cannot be created again, not even by a creation of this account that is still running.
    const removed = removedRecord(name, '');
    if (entry !== undefined && entry.value.generation !== generation) return;
    let before = entry?.value;
    const isRemoved =
      entry === undefined ? await store.insert(key, removed) : await store.replace(key, entry.revision, removed);
    if (!isRemoved) {
      const replace = (link: LinkRecord): LinkRecord | undefined => {
        if (link.generation !== generation) return undefined;
        before = link;
        return removed;
      };
      await unlessUnreadable(update<LinkRecord>(store, key, replace));
    }
    if (before === undefined) return;
    const {reference} = before;
    await Promise.all([
      linkIndex.release(siteList, siteList.positionOf(before), name),
      store.removeCounters(countersKey(before)),
      forgetReuse(store, before),
      reference !== undefined && store.remove(referenceKey(generation, reference)),
    ]);
  };
  // A creation that is still running has reserved its slot before the account was removed, or finds it removed.
  await changeAll(store, generation, redirects, remove, (position) => store.remove(recordKey(list, position)));
}

/**
 * Marks all links of a generation with the number of its blocks and unblocks. A slot whose link is absent may belong to a
 * creation that has read the account before, so its name is taken by the record of a removed link, and the creation reads
 * the account again before it replaces that. The record of a removed link is changed for the same reason.
 */
export function markAll(
  store: Store,
  {generation}: Account,
  blocks: number,
  redirects: LinkServices['redirects'],
): Promise<void> {
  return changeAll(store, generation, redirects, async (name, entry) => {
    const key = linkKey(name);
    if (entry === undefined) {
      if (await store.insert(key, removedRecord(name, generation))) return;
    } else {
      const next = marked(entry.value);
      if (next === undefined || (await store.replace(key, entry.revision, next))) return;
    }
    await unlessUnreadable(update<LinkRecord>(store, key, marked));
  });

  function marked(link: LinkRecord): LinkRecord | undefined {
    if (link.generation !== generation) return undefined;
    const {accountBlocks = 0, changes = 0} = link;
    if (link.state === 'removed') return {...link, changes: changes + 1};
    return accountBlocks < blocks ? {...link, accountBlocks: blocks, changes: changes + 1} : undefined;
  }
}
