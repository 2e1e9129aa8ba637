import {linkRecords} from '../../link/records.ts';
import {formatCursor} from './cursor.ts';
import type {Matches, SearchedPart} from './query.ts';
import {isListed, type LinkRecord} from '../../link/record.ts';
import type {LinkList} from './link-index.ts';
import {type PageDependencies, readPage, type RecordPage} from './page.ts';

/**
 * A page of a list: first the links that the search names, then the others in their order. The work of a search is
 * bounded, so its page may have few links, or none.
 */
export async function readSearch(
  dependencies: PageDependencies,
  list: LinkList,
  {names, named, isWanted, ...part}: SearchedPart,
  matches: Matches,
): Promise<RecordPage> {
  if (names.length === 0) return readPage(dependencies, list, part, matches);
  const {store, now} = dependencies;
  const {limit, after} = part;
  const found = new Map(names.map((name) => [linkRecords.key(name), name]));
  const records: LinkRecord[] = [];
  if (after === undefined) {
    const entries = await linkRecords.in(store).getMany(Array.from(found.values()));
    for (const [index, {value} = {value: undefined}] of entries.entries()) {
      if (index < named || value === undefined || !isListed(value)) continue;
      if (list.positionOf(value) === 0 || !isWanted(value, now())) continue;
      if (records.length === limit) return {records, nextCursor: formatCursor('named', index)};
      records.push(value);
    }
    if (records.length === limit) return {records, nextCursor: formatCursor('named', found.size)};
  }
  const page = await readPage(
    dependencies,
    list,
    {...part, limit: limit - records.length},
    (record, at) => matches(record, at) && !found.has(linkRecords.key(record)),
  );
  return {...page, records: [...records, ...page.records]};
}
