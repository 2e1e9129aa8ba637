import {linkKey} from '../../records.ts';
import type {Entry} from '../../store/port.ts';
import type {LinkName} from '../../link/bases.ts';
import {targetsOf} from '../../link/destinations.ts';
import {updateLink} from '../references.ts';
import type {LinkServices} from '../services.ts';
import {type LinkRecord, removedRecord} from '../../link/record.ts';

export type ConfirmationDependencies = Pick<LinkServices, 'store' | 'bases' | 'linkIndex'>;

/** The record of a link. If its creation was interrupted before the confirmation, the link is confirmed now. */
export async function readConfirmed(
  dependencies: ConfirmationDependencies,
  name: LinkName,
): Promise<Entry<LinkRecord> | undefined> {
  const {store} = dependencies;
  const entry = await store.get<LinkRecord>(linkKey(name));
  if (entry?.value.state !== 'pending') return entry;
  await confirm(dependencies, entry.value);
  return store.get<LinkRecord>(linkKey(name));
}

/**
 * Makes a pending link active, or removes it if its destination has become a short URL. Two links that lead to one
 * another can both be created at once, and neither create sees the other link when it begins. So such a link redirects
 * only after a second check of its destination. Any process may do that check, because the creating one may have died.
 *
 * @returns the record after it; undefined if there is none
 */
export async function confirm(
  dependencies: ConfirmationDependencies,
  record: LinkRecord,
): Promise<LinkRecord | undefined> {
  const isOwnUrl = await leadsToShortUrl(dependencies, record);
  const outcome = {isRemoved: false};
  const confirmed = await updateLink(dependencies.store, record, (link) => {
    const isPending = link.state === 'pending' && link.counters === record.counters;
    outcome.isRemoved = isPending && isOwnUrl;
    if (!isPending) return undefined;
    return isOwnUrl ? removedRecord(link, link.generation) : {...link, state: 'active'};
  });
  if (outcome.isRemoved) await dependencies.linkIndex.forget(record);
  return confirmed;
}

/** Whether the destination of a link is a short URL of the site now. */
export async function leadsToShortUrl(
  {store, bases}: Pick<LinkServices, 'store' | 'bases'>,
  record: LinkRecord,
): Promise<boolean> {
  const names = targetsOf(record).flatMap((target) => bases.parseShortUrl(target) ?? []);
  return (await store.getMany(names.map(linkKey))).some((entry) => entry !== undefined);
}
