import type {Account} from '../accounts/accounts.ts';
import type {Bringer} from './bringing-links.ts';
import type {IdentifiedCustomer} from './conversion.ts';
import type {CustomerRecord} from './customers.ts';
import {readCustomer} from './input.ts';
import {bringerOf, customerOf, type Person} from './person.ts';
import type {ConversionServices} from './services.ts';

/**
 * Remembers which link brought a customer. The first one stays.
 *
 * @param account the account of an API call
 * @returns undefined if no link brought the customer
 * @throws ShortUrlError `malformed_parameter`, `too_many_requests` or `store_unavailable`
 */
export async function identify(
  services: ConversionServices,
  person: Person,
  given: unknown,
  account?: Account,
): Promise<IdentifiedCustomer | undefined> {
  const {customers, links} = services;
  const customer = readCustomer(given);
  const other = customerOf(person);
  const known = await customers.use(customer, account?.generation);
  if (known !== undefined) return links.show(known);
  const bringer = await bringerOf(services, person, other, account);
  const record = bringer && (await remember(services, customer, bringer, account));
  return record && links.show(record);
}

/** @returns undefined if the account of the link was removed */
export async function remember(
  {customers, conversionQuota: quota}: ConversionServices,
  customer: string,
  bringer: Bringer,
  account: Account | undefined,
): Promise<CustomerRecord | undefined> {
  const add = () => customers.add(customer, bringer, account?.generation);
  const {record} = await (account ? quota.spend(account, add, ({isNew}) => isNew) : add());
  return record;
}
