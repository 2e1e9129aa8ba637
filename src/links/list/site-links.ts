import {linkKey} from '../../records.ts';
import type {Bases, LinkName} from '../../link/bases.ts';
import {formatCursor, type SitePart} from './query.ts';
import {isListed, type LinkRecord} from '../../link/record.ts';
import type {LinkList} from './link-index.ts';
import {type PageDependencies, readPage, type RecordPage} from './page.ts';

/**
 * A page of the links of all accounts, or of one: first the links that the search names by their short part or short URL,
 * then the others in their order. The work of a search is bounded, so its page may have few links, or none.
 */
export async function readSiteLinks(
  dependencies: PageDependencies & {readonly bases: Bases},
  list: LinkList,
  {search, named, matches, hasStatus, ...part}: SitePart,
): Promise<RecordPage> {
  const {store, bases, now} = dependencies;
  const {limit, after} = part;
  const keys = Array.from(new Set(namedBy(search, bases).map(linkKey)));
  const records: LinkRecord[] = [];
  if (after === undefined) {
    const entries = await store.getMany<LinkRecord>(keys);
    for (const [index, {value} = {value: undefined}] of entries.entries()) {
      if (index < named || value === undefined || !isListed(value)) continue;
      if (list.positionOf(value) === 0 || !hasStatus(value, now())) continue;
      if (records.length === limit) return {records, nextCursor: formatCursor('named', index)};
      records.push(value);
    }
    if (records.length === limit) return {records, nextCursor: formatCursor('named', keys.length)};
  }
  const page = await readPage(
    dependencies,
    list,
    {...part, limit: limit - records.length},
    (record, at) => matches(record, at) && !keys.includes(linkKey(record)),
  );
  return {...page, records: [...records, ...page.records]};
}

/** The links that a search names by a whole short part or short URL, with or without its scheme. */
function namedBy(search: string, bases: Bases): LinkName[] {
  const slug = bases.shortParts.read(search);
  if (slug !== undefined) return bases.domains.map((domain) => ({domain, slug}));
  const name = bases.parseOwnUrl(search) ?? bases.parseOwnUrl(`https://${search}`);
  return name === undefined ? [] : [name];
}
