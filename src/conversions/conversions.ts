import type {Account} from '../accounts/accounts.ts';
import type {SiteKey} from '../accounts/site-key.ts';
import {DailyQuota, quotaRecords} from '../links/daily-quota.ts';
import {readConversionName, removeConversionName} from '../links/stats/conversion-names.ts';
import type {Calendar} from '../values/calendar.ts';
import {BringingLinks, type BringingLinksDependencies} from './bringing-links.ts';
import type {FoundCustomer, IdentifiedCustomer, RecordedConversion, RecordedRefund} from './conversion.ts';
import {Customers} from './customers.ts';
import {identify} from './identify.ts';
import {readCustomer} from './input.ts';
import {bringerOf, customerOf, type Person} from './person.ts';
import {record} from './record.ts';
import {refund} from './refund.ts';
import type {ConversionServices} from './services.ts';

/** How many conversions and new customers the API calls of an account may record per day. */
export const maxPerDay = 5000;

interface ConversionsDependencies
  extends Pick<ConversionServices, 'attribution' | 'currency' | 'announcer'>, BringingLinksDependencies {
  readonly calendar: Calendar;
  readonly siteKey: SiteKey;
  /** In seconds. */
  readonly customerAge: number;
}

/**
 * Counts what the visitors of links do, once for each name and id (docs/architecture.md, "A conversion"). An API call of an
 * account can only touch conversions and customers of its own links, whose names and ids are its own.
 */
export class Conversions {
  readonly #services: ConversionServices;

  constructor({customerAge: age, ...given}: ConversionsDependencies) {
    const {siteKey} = given;
    const links = new BringingLinks(given);
    const conversionQuota = new DailyQuota({
      ...given,
      quota: maxPerDay,
      idOf: (account) => siteKey.idFor(quotaRecords, 'conversions', account),
      what: 'conversions and customers by API calls',
    });
    const customers = new Customers({...given, links, age});
    this.#services = {...given, links, customers, conversionQuota, running: new Map()};
  }

  record(person: Person, input: unknown, account?: Account): Promise<RecordedConversion | undefined> {
    return record(this.#services, person, input, account);
  }

  refund(input: unknown, account?: Account): Promise<RecordedRefund | undefined> {
    return refund(this.#services, input, account);
  }

  identify(person: Person, customer: unknown, account?: Account): Promise<IdentifiedCustomer | undefined> {
    return identify(this.#services, person, customer, account);
  }

  /** The link that brought a person; undefined if none did. */
  async find(person: Person): Promise<FoundCustomer | undefined> {
    const {links} = this.#services;
    const bringer = await bringerOf(this.#services, person, customerOf(person));
    if (bringer === undefined || !(await links.isKept(bringer))) return undefined;
    return {...(await links.show(bringer)), at: new Date(bringer.at)};
  }

  /** Forgets a customer, and returns whether the customer was known. Idempotent. */
  async forget(customer: unknown, account?: Account): Promise<boolean> {
    return this.#services.customers.forget(readCustomer(customer), account?.generation);
  }

  /**
   * @returns whether it was one
   * @throws ShortUrlError `malformed_parameter` or `store_unavailable`
   */
  async forgetName(name: unknown, account?: Account): Promise<boolean> {
    return removeConversionName(this.#services.store, readConversionName(name, 'name'), account?.generation);
  }
}
