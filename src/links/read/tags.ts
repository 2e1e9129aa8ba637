import type {Account} from '../../accounts/accounts.ts';
import type {LinkRecord} from '../../link/record.ts';
import {inTurn} from '../long-reads.ts';
import type {LinkServices} from '../services.ts';
import type {ConversionValue, TagLinks, TagVisits} from '../stats/statistics.ts';
import {valuesOf} from '../stats/visit-stats.ts';
import {accountList} from './link-index.ts';
import {readList} from './list.ts';
import {withoutCase} from './query.ts';

/** The most used tag first, and tags of as many links by name. */
export function tags(services: Pick<LinkServices, 'store' | 'longReads'>, account: Account): Promise<TagLinks[]> {
  return inTurn(services, account, async () => {
    const count = new TagCount();
    const toTags = (records: LinkRecord[]) => records.map((record) => record.tags ?? []);
    for await (const {items} of readList(services.store, accountList(account.generation), toTags)) {
      for (const each of items) count.add(each);
    }
    const all = count.all().sort((one, other) => other.links - one.links || (one.id < other.id ? -1 : 1));
    return all.map(({tag, links}) => ({tag, links}));
  });
}

interface Sum {
  links: number;
  visits: number;
  conversions: number;
  values: readonly ConversionValue[];
  readonly spellings: Map<string, number>;
}

type Counted = Pick<TagVisits, 'visits' | 'conversions' | 'values'>;

export interface TagNumbers extends TagVisits {
  /** The tag without regard to case. */
  readonly id: string;
}

const none: Counted = {visits: 0, conversions: 0, values: []};

/** Counts links by their tags, or by a part of their campaigns, without regard to case. */
export class TagCount {
  readonly #sums = new Map<string, Sum>();

  add(tags: readonly string[], {visits, conversions, values}: Counted = none): void {
    const found = new Set<Sum>();
    for (const tag of tags) {
      const name = withoutCase(tag);
      const sum = this.#sums.get(name) ?? {links: 0, ...none, values: [], spellings: new Map<string, number>()};
      this.#sums.set(name, sum);
      sum.spellings.set(tag, (sum.spellings.get(tag) ?? 0) + 1);
      found.add(sum);
    }
    for (const sum of found) {
      sum.links += 1;
      sum.visits += visits;
      sum.conversions += conversions;
      if (values.length > 0) sum.values = valuesOf([...sum.values, ...values]);
    }
  }

  all(): TagNumbers[] {
    return Array.from(this.#sums, ([id, {spellings, ...numbers}]) => ({id, tag: mostUsed(spellings), ...numbers}));
  }
}

/** The first of them, if several are used as often. */
function mostUsed(spellings: ReadonlyMap<string, number>): string {
  const [[first = ''] = []] = spellings;
  let most = first;
  for (const [tag, links] of spellings) if (links > (spellings.get(most) ?? 0)) most = tag;
  return most;
}
