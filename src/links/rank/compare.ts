import {planted} from '../../planted.ts';
import type {Account} from '../../accounts/accounts.ts';
import {inTurn} from '../long-reads.ts';
import {accountList} from '../read/link-index.ts';
import {showLinks, type ShowingServices} from '../read/shown-links.ts';
import type {LinkServices} from '../services.ts';
import type {CompareQuery, CompareTagsQuery, LinkComparison, TagComparison} from '../read/listed-links.ts';
import {isObject} from '../../values/describe.ts';
import {reader} from '../../values/input.ts';
import {readCompareQuery} from '../stats/stats-query.ts';
import {compareRows, grouping, groupsOf, numbersOf} from './comparison.ts';
import type {AskedRows, LinkRow} from './link-rows.ts';

type Services = ShowingServices & Pick<LinkServices, 'calendar' | 'linkRows' | 'longReads'>;

/** @throws ShortUrlError `too_many_links` */
export async function compareLinks(
  services: Services,
  account: Account,
  query: CompareQuery = {},
): Promise<LinkComparison> {
  const {asked, part} = readCompareQuery(query, 'link');
  return inTurn(services, account, async () => {
    const rows = await readRows(services, account, asked);
    const numbers = rows.map(({name, id, ...row}) => ({name, id, ...numbersOf(row, part.name)}));
    const {items, comparison} = await compareRows(rows, part, numbers, async (some) => {
      const records = await services.linkRows.find(some);
      return some.map((row, index) => {
        const record = records[index];
        return record && {record, row};
      });
    });
    const links = await showLinks(
      services,
      items.map(({record}) => record),
    );
    const most = links.map((link, index) => {
      const {visits = 0, conversions = 0, values = []} = items[index]?.row ?? {};
      return {link, visits, conversions, values};
    });
    return {...comparison, most};
  });
}

/** @throws ShortUrlError `too_many_links` */
export async function compareTags(
  services: Services,
  account: Account,
  query: CompareTagsQuery = {},
): Promise<TagComparison> {
  const {by = 'tag', ...others} = {...query};
  // A text or a list has no members that could be left.
  const asOptions = isObject(query) && !Array.isArray(query) ? others : query;
  const {asked, part} = readCompareQuery(asOptions, reader(grouping, 'by')(by, 'by'));
  return inTurn(services, account, async () => {
    const rows = await readRows(services, account, asked);
    const groups = groupsOf(rows, part);
    const {items, comparison} = await compareRows(rows, part, groups, (found) => Promise.resolve(found));
    const tags = items.map(({tag, links, visits, conversions, values}) => ({tag, links, visits, conversions, values}));
    return {...comparison, tags};
  });
}

function readRows(
  {linkRows, calendar, now}: Services,
  {generation}: Account,
  asked: Pick<AskedRows, 'filter' | 'span'>,
): Promise<readonly LinkRow[]> {
  const today = planted('comparison-day-utc') ? Math.floor(now() / 86_400_000) : calendar.dayOf(now());
  return linkRows.get({list: accountList(generation).name, ...asked, conversions: 'all', today});
}
