import {linkPositions} from '../accounts/records.ts';
import {linkCounters, linkRecords} from '../link/records.ts';
import {accountTotals} from '../links/stats/totals.ts';
import type {Records} from '../store/records.ts';
import {optional} from '../values/objects.ts';
import {count, text} from '../values/shape.ts';
import type {IdentifiedCustomer} from './conversion.ts';
import {isListed, type LinkRecord} from '../link/record.ts';
import {toVisitedLink} from '../link/to-link.ts';
import type {LinkServices} from '../links/services.ts';
import type {Entry} from '../store/port.ts';
import type {Via} from './attribution.ts';

/** The totals of an account have several shards, for visits. Conversions are rare. */
const shard = 0;

/** A link that brought a customer, and the generation of its account. The link may have been removed since. */
export interface Bringer extends Via {
  readonly generation: string;
}

export const bringerForm = {
  domain: text,
  slug: text,
  id: count,
  generation: text,
  variant: optional(text),
} as const;

export type BringingLinksDependencies = Pick<LinkServices, 'store' | 'bases' | 'fieldDefaults' | 'now'>;

/** The links that brought customers, as they are now. */
export class BringingLinks {
  readonly #dependencies: BringingLinksDependencies;

  constructor(dependencies: BringingLinksDependencies) {
    this.#dependencies = dependencies;
  }

  /** The link of a token; undefined if there never was one. */
  async ofToken({domain, slug, id, variant}: Via): Promise<Bringer | undefined> {
    // The token may be older than a copy of the store that ignores case.
    const name = {domain, slug: this.#dependencies.bases.shortParts.read(slug) ?? slug};
    const record = await this.#at(name);
    return record && {...name, id, generation: record.generation, ...(variant !== undefined && {variant})};
  }

  /** The keys of the counters of the account, and of the link unless it was removed. */
  async countersOf(bringer: Bringer): Promise<string[]> {
    const record = await this.#find(bringer);
    const totals = accountTotals.key({generation: bringer.generation, shard});
    return record === undefined ? [totals] : [linkCounters.key(record), totals];
  }

  /** A record that has a link, unless the link's account was removed: then it is removed when it is found. */
  async kept<Found extends Bringer>(records: Records<string, Found>, id: string): Promise<Entry<Found> | undefined> {
    for (;;) {
      const entry = await records.get(id);
      if (entry === undefined || (await this.isKept(entry.value))) return entry;
      if (await records.removeUnchanged(id, entry.revision)) return undefined;
    }
  }

  /** Whether the account exists: its removal ends the sequence of its links. */
  async isKept({generation}: Bringer): Promise<boolean> {
    if (generation === '') return false;
    const [last = 0] = await linkPositions.in(this.#dependencies.store).current([generation]);
    return last > 0;
  }

  async show(bringer: Via): Promise<IdentifiedCustomer> {
    const {bases, now} = this.#dependencies;
    const record = await this.#find(bringer);
    if (record !== undefined) {
      return {link: toVisitedLink(record, this.#dependencies, now()), account: record.account};
    }
    const link = {urlId: bringer.id, shortUrl: bases.shortUrl(bringer), status: 'removed'} as const;
    return {link, account: undefined};
  }

  /** Undefined if the link was removed. Another one may have its name. */
  async #find(bringer: Via): Promise<LinkRecord | undefined> {
    const record = await this.#at(bringer);
    return record !== undefined && isListed(record) && record.id === bringer.id ? record : undefined;
  }

  async #at(name: Pick<Via, 'domain' | 'slug'>): Promise<LinkRecord | undefined> {
    return (await linkRecords.in(this.#dependencies.store).get(name))?.value;
  }
}
