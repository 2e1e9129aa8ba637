import type {OwnedRecords} from '../accounts/owned-records.ts';
import type {SiteKey} from '../accounts/site-key.ts';
import {dayLength} from '../link/calendar.ts';
import {customerKey, type RecordOf} from '../records.ts';
import type {Store} from '../store/port.ts';
import {removeIf} from '../store/update.ts';
import type {Bringer, BringingLinks} from './bringing-links.ts';

/** The link that brought a customer. */
export type CustomerRecord = RecordOf<'customer'>;

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
    const bringer = {domain, slug, id, generation: owner};
    let position: number | undefined;
    for (;;) {
      const known = await this.#use(key);
      if (known !== undefined) {
        // Another call was faster.
        if (position !== undefined) await owned.drop(owner, position);
        return {record: known, isNew: false};
      }
      if (!(await links.isKept(bringer))) break;
      const until = this.#until();
      position = await owned.note(owner, key, until, position);
      const record = {...bringer, at: dayOf(now()) * dayLength, until, position};
      if (!(await store.insert(key, record, until))) continue;
      // A removal of the account that begins later finds the record.
      if (await links.isKept(bringer)) return {record, isNew: true};
      // The removal may have removed the index before, in which the key is noted.
      await removeIf<CustomerRecord>(store, key, ({generation: found}) => found === owner);
      break;
    }
    if (position !== undefined) await owned.removeAll(owner);
    return {record: undefined, isNew: false};
  }

  /** Returns whether the customer was known. Idempotent. */
  async forget(customer: string, generation = ''): Promise<boolean> {
    const {store, siteKey, owned} = this.#dependencies;
    const digest = await siteKey.known(textOf(customer, generation));
    if (digest === undefined) return false;
    const key = customerKey(digest);
    for (;;) {
      const found = await store.get<CustomerRecord>(key);
      if (found === undefined) return false;
      // First, so that a repeat of a call that was cut off finds what is left.
      await owned.drop(found.value.generation, found.value.position);
      // Otherwise another call has renewed it, and noted it again.
      if (await store.removeUnchanged(key, found.revision)) return true;
    }
  }

  async #use(key: string): Promise<CustomerRecord | undefined> {
    const {store, owned, links} = this.#dependencies;
    let noted: CustomerRecord | undefined;
    for (;;) {
      const found = await store.get<CustomerRecord>(key);
      if (noted && (found?.value.generation !== noted.generation || found.value.position !== noted.position)) {
        // It was forgotten after it was noted again.
        await owned.drop(noted.generation, noted.position);
      }
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
      noted = record;
      // Otherwise another call has renewed it, or it was forgotten.
      if (await store.replace(key, revision, {...record, until}, until)) return record;
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
