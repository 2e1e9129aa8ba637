import {linkRecords} from '../../link/records.ts';
import {type LinkRecord, present} from '../../link/record.ts';
import type {Link} from '../../link/link.ts';
import type {LinkServices} from '../services.ts';
import {accountList, siteList} from '../read/link-index.ts';
import {applyChange, type ChangeServices} from './apply.ts';

type IsMeant = (record: LinkRecord) => boolean;

/**
 * Marks a link that leads nowhere. One that has the mark keeps it. The slots of the lists get the mark before the link has
 * it, so that lists of broken links and their number need not read all links. They get it again afterwards, because another
 * process may have taken away an earlier one meanwhile.
 */
export async function markBroken(
  services: ChangeServices,
  seen: LinkRecord,
  reason: string | undefined,
  isMeant: IsMeant,
): Promise<Link> {
  if (seen.broken === undefined) await noteInLists(services, seen, 'broken');
  const since = Math.floor(services.now() / 1000) * 1000;
  const mark = {since, ...(reason !== undefined && {reason})};
  const {link, isChanged} = await applyChange(services, 'broken', seen, (record) =>
    isMeant(record) && record.broken === undefined ? {...record, broken: mark} : record,
  );
  if (isChanged) await noteInLists(services, seen, 'broken');
  return link;
}

export async function unmarkBroken(services: ChangeServices, seen: LinkRecord, isMeant: IsMeant): Promise<Link> {
  const {link, isChanged} = await applyChange(services, undefined, seen, (record) =>
    isMeant(record) ? present({...record, broken: undefined}) : record,
  );
  if (isChanged) await unlistBroken(services, seen);
  return link;
}

/** Takes the marks of slots away after that of their link. A failure leaves marks that say nothing wrong. */
export async function unlistBroken(
  services: Pick<LinkServices, 'store' | 'linkIndex'>,
  link: LinkRecord,
): Promise<void> {
  try {
    await noteInLists(services, link, 'present');
    // Another process may have marked the link again before the marks were taken away.
    const now = await linkRecords.in(services.store).get(link);
    if (now?.value.broken) await noteInLists(services, link, 'broken');
  } catch {
    // The link has changed already.
  }
}

async function noteInLists(
  {linkIndex}: Pick<LinkServices, 'linkIndex'>,
  {domain, slug, ...link}: LinkRecord,
  to: 'broken' | 'present',
): Promise<void> {
  const lists = [accountList(link.generation), siteList];
  await Promise.all(
    lists.map((list) =>
      linkIndex.change(list, {position: list.positionOf({...link, domain, slug}), name: {domain, slug}, to}),
    ),
  );
}
