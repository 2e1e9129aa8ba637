import {planted} from '../planted.ts';
import type {SiteKey} from '../accounts/site-key.ts';
import {dayLength} from '../values/calendar.ts';
import {object} from '../values/objects.ts';
import {time} from '../values/shape.ts';
import {kind, type RecordOf} from '../store/kind.ts';
import type {Store} from '../store/port.ts';
import {type Bringer, bringerForm, type BringingLinks} from './bringing-links.ts';

/** By a keyed digest of the customer. */
export const customerRecords = kind('customer', {
  keys: ['customer:<digest>'],
  content: 'the link that brought a customer',
  digest: 'lasting',
  key: (digest: string) => [digest],
  form: object({
    ...bringerForm,
    /** The beginning of the day (UTC) on which the customer was identified, in milliseconds since the epoch. */
    at: time,
    /** When the record expires: at the end of a day (UTC), so that it does not tell when the last use was. */
    until: time,
  }),
  names: 'itself',
  removed: 'by expiry',
  expires: {when: 'after `customerAge`', at: ({until}) => until},
});

export type CustomerRecord = RecordOf<typeof customerRecords>;

export interface CustomersDependencies {
  readonly store: Store;
  readonly siteKey: Pick<SiteKey, 'idFor' | 'knownIdFor'>;
  readonly links: Pick<BringingLinks, 'isKept' | 'kept'>;
  /** In seconds. */
  readonly age: number;
  readonly now: () => number;
}

/**
 * Which links brought the customers of the host. Their ids are stored as keyed digests. Those of the site and those of the
 * API calls of each account are apart: `generation` is that of the account, and empty for the site.
 */
export class Customers {
  readonly #dependencies: CustomersDependencies;

  constructor(dependencies: CustomersDependencies) {
    this.#dependencies = dependencies;
  }

  async find(customer: string, generation = ''): Promise<CustomerRecord | undefined> {
    const {store, siteKey, links} = this.#dependencies;
    const id = await siteKey.knownIdFor(customerRecords, generation, customer);
    return id === undefined ? undefined : (await links.kept(customerRecords.in(store), id))?.value;
  }

  /** Finds a customer, who is kept anew for the whole time. */
  async use(customer: string, generation = ''): Promise<CustomerRecord | undefined> {
    const {siteKey} = this.#dependencies;
    const id = await siteKey.knownIdFor(customerRecords, generation, customer);
    return id === undefined ? undefined : this.#use(id);
  }

  /**
   * Remembers the link of a customer. The first one stays.
   *
   * @returns no record if the account of the link was removed
   */
  async add(
    customer: string,
    {domain, slug, id, generation: owner, variant}: Bringer,
    generation = '',
  ): Promise<{readonly record: CustomerRecord | undefined; readonly isNew: boolean}> {
    const {store, siteKey, links, now} = this.#dependencies;
    const customers = customerRecords.in(store);
    const digest = await siteKey.idFor(customerRecords, generation, customer);
    const bringer = {domain, slug, id, generation: owner, ...(variant !== undefined && {variant})};
    for (;;) {
      const known = await this.#use(digest);
      if (known !== undefined) return {record: known, isNew: false};
      if (!(await links.isKept(bringer))) return {record: undefined, isNew: false};
      const until = this.#until();
      const record = {...bringer, at: dayOf(now()) * dayLength, until};
      if (planted('customer-taken')) await customers.remove(digest);
      if (await customers.insert(digest, record)) return {record, isNew: true};
    }
  }

  /** Returns whether the customer was known. Idempotent. */
  async forget(customer: string, generation = ''): Promise<boolean> {
    const {store, siteKey, links} = this.#dependencies;
    const id = await siteKey.knownIdFor(customerRecords, generation, customer);
    const customers = customerRecords.in(store);
    if (id === undefined) return false;
    for (;;) {
      const entry = await links.kept(customers, id);
      if (entry === undefined) return false;
      // Otherwise another call has renewed or forgotten it.
      if (planted('customer-forgotten-twice')) return customers.remove(id).then(() => true);
      if (await customers.removeUnchanged(id, entry.revision)) return true;
    }
  }

  async #use(id: string): Promise<CustomerRecord | undefined> {
    const {store, links} = this.#dependencies;
    const customers = customerRecords.in(store);
    const entry = await links.kept(customers, id);
    if (entry === undefined) return undefined;
    const until = this.#until();
    const renewed = (record: CustomerRecord): CustomerRecord | undefined =>
      planted('customer-not-renewed') || record.until >= until ? undefined : {...record, until};
    // It may be forgotten meanwhile.
    return customers.update(id, renewed, {entry});
  }

  #until(): number {
    const {now, age} = this.#dependencies;
    return (dayOf(now() + age * 1000 - 1) + 1) * dayLength;
  }
}

function dayOf(at: number): number {
  return Math.floor(at / dayLength);
}
