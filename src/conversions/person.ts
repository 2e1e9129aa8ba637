import type {Account} from '../accounts/accounts.ts';
import {malformed} from '../values/input.ts';
import type {Bringer} from './bringing-links.ts';
import {readCustomer} from './input.ts';
import type {ConversionServices} from './services.ts';

/** Who a call is about: a token, a customer, or both. What is undefined is not given. */
export interface Person {
  readonly via?: unknown;
  readonly customer?: unknown;
}

/** A link that brought a person, and the time of the visit. */
type BringerAt = Bringer & {readonly at: number};

/** @throws ShortUrlError `malformed_parameter` if two customers are given */
export function customerOf(person: Person, own?: string): string | undefined {
  const customer = person.customer === undefined ? own : readCustomer(person.customer);
  if (own === undefined || own === customer) return customer;
  throw malformed('A conversion has one customer, and two were given.');
}

/** The link of the token, or else of the customer. */
export async function bringerOf(
  services: ConversionServices,
  person: Person,
  customer: string | undefined,
  account?: Account,
): Promise<BringerAt | undefined> {
  const visited = await visitedBy(services, person, account);
  if (visited !== undefined || customer === undefined) return visited;
  return services.customers.find(customer, account?.generation);
}

export async function visitedBy(
  {attribution, links}: ConversionServices,
  {via}: Person,
  account: Account | undefined,
): Promise<BringerAt | undefined> {
  const visit = await attribution.open(via);
  const bringer = visit && (await links.ofToken(visit));
  if (!visit || !bringer || (account && bringer.generation !== account.generation)) return undefined;
  return {...bringer, at: visit.at};
}
