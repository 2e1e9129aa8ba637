import {planted} from '../../planted.ts';
import type {Account} from '../../accounts/accounts.ts';
import {inTurn} from '../long-reads.ts';
import {accountList} from '../read/link-index.ts';
import {showLinks, type ShowingServices} from '../read/shown-links.ts';
import type {LinkServices} from '../services.ts';
import type {CompareQuery, CompareTagsQuery, LinkComparison, TagComparison} from '../stats/compared.ts';
import {reader} from '../../values/input.ts';
import {readCompareQuery} from '../stats/stats-query.ts';
import {type ComparedPart, Comparisons, grouping} from './comparison.ts';
import type {AskedRows} from './link-rows.ts';

type Services = ShowingServices & Pick<LinkServices, 'calendar' | 'linkRows' | 'longReads'>;

/** Compares the links or the tags of an account. */
export class Comparing {
  readonly #services: Services;
  readonly #comparisons: Comparisons;

  constructor(services: Services) {
    this.#services = services;
    this.#comparisons = new Comparisons(services.linkRows);
  }

  async links(account: Account, query: CompareQuery = {}): Promise<LinkComparison> {
    const {asked, part} = readCompareQuery(query, 'link');
    return inTurn(this.#services, account, () => this.#compareLinks(this.#rowsOf(account, asked), part));
  }

  async tags(account: Account, query: CompareTagsQuery = {}): Promise<TagComparison> {
    const {by, ...others} = {...query};
    const {asked, part} = readCompareQuery(others, by === undefined ? 'tag' : reader(grouping, 'by')(by, 'by'));
    const {items, comparison} = await inTurn(this.#services, account, () =>
      this.#comparisons.groups(this.#rowsOf(account, asked), part),
    );
    const tags = items.map(({tag, links, visits, conversions, values}) => ({tag, links, visits, conversions, values}));
    return {...comparison, tags};
  }

  async #compareLinks(asked: AskedRows, part: ComparedPart): Promise<LinkComparison> {
    const {items, comparison} = await this.#comparisons.links(asked, part, async (rows) => {
      const records = await this.#services.linkRows.find(rows);
      return rows.map((row, index) => {
        const record = records[index];
        return record && {...row, record};
      });
    });
    const links = await showLinks(
      this.#services,
      items.map(({record}) => record),
    );
    const most = links.map((link, index) => {
      const {visits = 0, conversions = 0, values = []} = items[index] ?? {};
      return {link, visits, conversions, values};
    });
    return {...comparison, most};
  }

  #rowsOf({generation}: Account, asked: Pick<AskedRows, 'filter' | 'span'>): AskedRows {
    const {calendar, now} = this.#services;
    const today = planted('comparison-day-utc') ? Math.floor(now() / 86_400_000) : calendar.dayOf(now());
    return {list: accountList(generation).name, ...asked, conversions: 'all', today};
  }
}
