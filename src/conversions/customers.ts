import type {SiteKey} from '../accounts/site-key.ts';
import {dayLength} from '../link/calendar.ts';
import {customerKey, type RecordOf} from '../records.ts';
import type {Store} from '../store/port.ts';
import type {Bringer, BringingLinks} from './bringing-links.ts';

/** The link that brought a customer. */
export type CustomerRecord = RecordOf<'customer'>;

export interface CustomersDependencies {
  readonly store: Store;
  readonly siteKey: Pick<SiteKey, 'known' | 'lasting'>;
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
    const {siteKey, links} = this.#dependencies;
    const digest = await siteKey.known(textOf(customer, generation));
    return digest === undefined ? undefined : (await links.kept<CustomerRecord>(customerKey(digest)))?.value;
  }

  /** Finds a customer, who is kept anew for the whole time. */
  async use(customer: string, generation = ''): Promise<CustomerRecord | undefined> {
    const {siteKey} = this.#dependencies;
    const digest = await siteKey.known(textOf(customer, generation));
    return digest === undefined ? undefined : this.#use(customerKey(digest));
  }

  /**
   * Remembers the link of a customer. The first one stays.
   *
   * @returns no record if the account of the link was removed
   */
  async add(
    customer: string,
    {domain, slug, id, generation: owner}: Bringer,
    generation = '',
  ): Promise<{readonly record: CustomerRecord | undefined; readonly isNew: boolean}> {
    const {store, siteKey, links, now} = this.#dependencies;
    const key = customerKey(await siteKey.lasting(textOf(customer, generation)));
    const bringer = {domain, slug, id, generation: owner};
    for (;;) {
      const known = await this.#use(key);
      if (known !== undefined) return {record: known, isNew: false};
      if (!(await links.isKept(bringer))) return {record: undefined, isNew: false};
      const until = this.#until();
      const record = {...bringer, at: dayOf(now()) * dayLength, until};
      if (await store.insert(key, record, until)) return {record, isNew: true};
    }
  }

  /** Returns whether the customer was known. Idempotent. */
  async forget(customer: string, generation = ''): Promise<boolean> {
    const {store, siteKey, links} = this.#dependencies;
    const digest = await siteKey.known(textOf(customer, generation));
    if (digest === undefined) return false;
    const key = customerKey(digest);
    for (;;) {
      const found = await links.kept<CustomerRecord>(key);
      if (found === undefined) return false;
      // Otherwise another call has renewed it.
      if (await store.removeUnchanged(key, found.revision)) return true;
    }
  }

  async #use(key: string): Promise<CustomerRecord | undefined> {
    const {store, links} = this.#dependencies;
    for (;;) {
      const found = await links.kept<CustomerRecord>(key);
      if (found === undefined) return undefined;
      const {value: record, revision} = found;
      const until = this.#until();
      // Otherwise another call has renewed it, or it was forgotten.
      if (record.until >= until || (await store.replace(key, revision, {...record, until}, until))) return record;
    }
  }

  #until(): number {
    const {now, age} = this.#dependencies;
    return (dayOf(now() + age * 1000 - 1) + 1) * dayLength;
  }
}

function dayOf(at: number): number {
  return Math.floor(at / dayLength);
}

function textOf(customer: string, generation: string): string {
  return JSON.stringify(['customer', generation, customer]);
}
