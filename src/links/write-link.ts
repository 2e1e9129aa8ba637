import {planted} from '../planted.ts';
import {linkCounters, linkRecords} from '../link/records.ts';
import {isUnavailable} from '../errors.ts';
import type {LinkName} from '../link/bases.ts';
import {isSameLink, type LinkRecord, needsCount, raised} from '../link/record.ts';
import type {Entry} from '../store/port.ts';
import {forgetReuse} from './create/intents.ts';
import type {LinkList} from './read/link-index.ts';
import {adoptCount, withCount} from './new-limit.ts';
import {type Held, heldBy, hold, release} from './references.ts';
import type {LinkServices} from './services.ts';

interface Start {
  /** What a reading has found, which saves another one. */
  readonly found: Entry<LinkRecord> | undefined;
  /** Takes a name without a record, so that a create which is still running cannot insert its link. */
  readonly absent?: LinkRecord;
}

export interface Written {
  readonly before: LinkRecord | undefined;
  readonly after: LinkRecord | undefined;
  readonly isChanged: boolean;
}

/**
 * Changes the record of a link. Every change goes through here, except that `claim` writes new records and that visits
 * are granted (`VisitLimits`). It raises `changes`, gives the link its reference or frees it, and lets this process
 * forget the link, also if the store did not answer, because the change may have been stored.
 *
 * @param change returns undefined to change nothing; called again if another caller was faster. The limit of a link has
 *   its count, because whether the link has expired, and so the change, may depend on it
 * @throws ShortUrlError `reference_taken`; `store_unavailable` if it is unknown whether the change was stored
 */
export async function writeLink(
  {store, redirects}: Pick<LinkServices, 'store' | 'redirects'>,
  name: LinkName,
  change: (link: LinkRecord) => LinkRecord | undefined,
  start?: Start,
): Promise<Written> {
  let written: Written = {before: undefined, after: undefined, isChanged: false};
  let gained: Held | undefined;
  let lost: Held | undefined;
  const next = async (stored: LinkRecord | undefined): Promise<LinkRecord | undefined> => {
    lost = undefined;
    if (stored === undefined) {
      written = {before: stored, after: start?.absent, isChanged: start?.absent !== undefined};
      return start?.absent;
    }
    const before = needsCount(stored) ? await withCount(store, stored) : stored;
    const changed = change(before);
    written = {before, after: changed === undefined ? before : raised(changed), isChanged: changed !== undefined};
    if (changed === undefined) return undefined;
    if (changed.reference !== before.reference) {
      // Read before the write. A pointer that is renewed later belongs to a call that has seen the new record.
      lost = await heldBy(store, before);
      gained = await hold(store, changed, gained);
    }
    return written.after;
  };
  try {
    await linkRecords.in(store).upsert(name, next, start && {entry: start.found});
  } catch (error) {
    if (!isUnavailable(error)) await release(store, gained);
    throw error;
  } finally {
    if (!planted('changed-link-remembered')) redirects.forget(name);
  }
  await release(store, lost).catch(() => undefined);
  return written.after && needsCount(written.after)
    ? {...written, after: await counted({store}, written.after)}
    : written;
}

/** Removes what a link has left that is removed now: its slots in these lists, its counters, and what `reuse` finds it by. */
export async function clearAway(
  {store, linkIndex}: Pick<LinkServices, 'store' | 'linkIndex'>,
  link: LinkRecord,
  lists: readonly LinkList[],
): Promise<void> {
  await Promise.all([
    ...lists.map((list) => linkIndex.release(list, list.positionOf(link), link)),
    planted('counters-left') ? undefined : linkCounters.in(store).remove(link),
    planted('reuse-left') ? undefined : forgetReuse(store, link),
  ]);
}

/** A record with a new limit, with its count. If that fails, the next visit does it. */
async function counted({store}: Pick<LinkServices, 'store'>, record: LinkRecord): Promise<LinkRecord> {
  try {
    const adopted = await adoptCount(store, record);
    // The rest may have been changed since, or the link removed and another one created under its name.
    return isSameLink(adopted, record) && adopted.used !== undefined ? {...record, used: adopted.used} : record;
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    return record;
  }
}
