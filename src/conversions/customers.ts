import type {OwnedRecords} from '../accounts/owned-records.ts';
import type {SiteKey} from '../accounts/site-key.ts';
import {customerKey} from '../records.ts';
import type {Store} from '../store/port.ts';
import type {Bringer, BringingLinks} from './bringing-links.ts';

/** How long a customer is kept after the last use, in seconds: two years. */
export const defaultCustomerAge = 63_072_000;

/** The link that brought a customer. */
export interface CustomerRecord extends Bringer {
  /** When the customer was identified, in milliseconds since the epoch. */
  readonly at: number;
  /** When the record expires. */
  readonly until: number;
  /** The position of its key in the account's index. */
  readonly position: number;
}

export interface CustomersDependencies {
  readonly store: Store;
  readonly siteKey: Pick<SiteKey, 'known' | 'lasting'>;
  readonly owned: OwnedRecords;
  readonly links: Pick<BringingLinks, 'isKept'>;
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
    const digest = await siteKey.known(textOf(customer, generation));
    const found = digest === undefined ? undefined : await store.get<CustomerRecord>(customerKey(digest));
    // The removal of an account removes its customers last.
    return found !== undefined && (await links.isKept(found.value)) ? found.value : undefined;
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
    const {store, siteKey, owned, links, now} = this.#dependencies;
    const key = customerKey(await siteKey.lasting(textOf(customer, generation)));
    for (;;) {
      const known = await this.#use(key);
      if (known !== undefined) return {record: known, isNew: false};
      const bringer = {domain, slug, id, generation: owner};
      if (!(await links.isKept(bringer))) return {record: undefined, isNew: false};
      const until = this.#until();
      const position = await owned.note(owner, key, until);
      const record = {...bringer, at: now(), until, position};
      if (!(await store.insert(key, record, until))) continue;
      // A removal of the account that begins later finds the record.
      if (await links.isKept(bringer)) return {record, isNew: true};
      await store.remove(key);
      return {record: undefined, isNew: false};
    }
  }

  /** Returns whether the customer was known. Idempotent. */
  async forget(customer: string, generation = ''): Promise<boolean> {
    const {store, siteKey, owned} = this.#dependencies;
    const digest = await siteKey.known(textOf(customer, generation));
    if (digest === undefined) return false;
    const key = customerKey(digest);
    const found = await store.get<CustomerRecord>(key);
    if (found === undefined) return false;
    await store.remove(key);
    await owned.drop(found.value.generation, key, found.value.position);
    return true;
  }

  async #use(key: string): Promise<CustomerRecord | undefined> {
    const {store, owned, links} = this.#dependencies;
    for (;;) {
      const found = await store.get<CustomerRecord>(key);
      if (found === undefined) return undefined;
      const {value: record, revision} = found;
      if (!(await links.isKept(record))) {
        // The removal of the account has not got so far.
        await store.removeUnchanged(key, revision);
        return undefined;
      }
      const until = this.#until();
      if (record.until >= until) return record;
      await owned.note(record.generation, key, until, record.position);
      // Otherwise another call has renewed it, or it was forgotten.
      if (await store.replace(key, revision, {...record, until}, until)) return record;
    }
  }

  #until(): number {
    return this.#dependencies.now() + this.#dependencies.age * 1000;
  }
}

function textOf(customer: string, generation: string): string {
  return JSON.stringify(['customer', generation, customer]);
}
