import {planted} from '../planted.ts';
import type {Account} from '../accounts/accounts.ts';
import {conversionCounter} from '../link/counters.ts';
import {addConversionName, conversionNameRecords} from '../links/stats/conversion-names.ts';
import {malformed} from '../values/input.ts';
import type {Bringer} from './bringing-links.ts';
import type {RecordedConversion} from './conversion.ts';
import {type ConversionRecord, conversionRecords} from './conversion-record.ts';
import {complete, type Named, nameOf, once} from './count.ts';
import {remember} from './identify.ts';
import {type GivenConversion, readConversion} from './input.ts';
import {customerOf, type Person, visitedBy} from './person.ts';
import type {ConversionServices} from './services.ts';

/**
 * The largest sum of the values of a name, for a link and for its account. Twice as much is still an exact number, so calls
 * at the same time, and the two sums of one name, cannot exceed that.
 */
const maxSum = 4_000_000_000_000_000;

/**
 * Records a conversion for the link that brought a person.
 *
 * @param input a `Conversion`, which is checked
 * @param account the account of an API call
 * @returns undefined if no link brought the person
 * @throws ShortUrlError `missing_parameter`, `malformed_parameter`, `unknown_parameter`, `too_many_requests` or
 *   `store_unavailable`
 */
export async function record(
  services: ConversionServices,
  person: Person,
  input: unknown,
  account?: Account,
): Promise<RecordedConversion | undefined> {
  const {store, links, customers} = services;
  const given = readConversion(input, services.currency);
  const customer = customerOf(person, given.customer);
  const visited = await visitedBy(services, person, account);
  const known = customer === undefined ? undefined : await customers.use(customer, account?.generation);
  const bringer = visited ?? known;
  if (bringer === undefined) return undefined;
  await addConversionName(store, given, account?.generation);
  const named = await nameOf(services, given, account);
  // A customer who was known, and is forgotten meanwhile, stays forgotten.
  const unknown = known === undefined || planted('forgotten-remembered') ? customer : undefined;
  const conversion = await once(services, named.digest, () =>
    finish(services, bringer, given, named, account, unknown),
  );
  // The account was removed. If this is a call of the API, it has the name, which this call may have added since.
  if (conversion === undefined) await conversionNameRecords.in(store).remove(bringer.generation);
  return {link: (await links.show(conversion ?? bringer)).link};
}

/**
 * Returns the conversion, or undefined if the account of the link was removed.
 *
 * @param customer who is identified first: the repeat of a job does not know that the customer was forgotten since
 */
async function finish(
  services: ConversionServices,
  bringer: Bringer,
  given: GivenConversion,
  named: Named,
  account: Account | undefined,
  customer: string | undefined,
): Promise<ConversionRecord | undefined> {
  const {store, links, conversionQuota: quota} = services;
  const found = (await links.kept(conversionRecords.in(store), named.digest))?.value;
  if (found === undefined && customer !== undefined) await remember(services, customer, bringer, account);
  const start = () => begin(services, bringer, given, named);
  const begun = found
    ? {conversion: found, isNew: false}
    : await (account ? quota.spend(account, start, ({isNew}) => isNew) : start());
  const {conversion, isNew} = begun;
  if (conversion !== undefined) await complete(services, conversion, named, isNew);
  return conversion;
}

/**
 * Stores that a conversion has begun, or finds it. The first call decides which link brought the customer.
 *
 * @returns no conversion if the account of the link was removed
 */
async function begin(
  services: ConversionServices,
  {domain, slug, id, generation, variant}: Bringer,
  {value, currency}: GivenConversion,
  named: Named,
): Promise<{readonly conversion: ConversionRecord | undefined; readonly isNew: boolean}> {
  const {store, now, links} = services;
  const conversions = conversionRecords.in(store);
  const conversion: ConversionRecord = {
    ...{domain, slug, id, generation, at: now(), value},
    ...(currency && {currency}),
    ...(variant !== undefined && {variant}),
  };
  await checkSum(services, conversion, conversionCounter('value', {...named, currency}));
  for (;;) {
    if (!(await links.isKept(conversion))) break;
    const stored = planted('conversion-done-early') ? ({...conversion, isDone: true} as const) : conversion;
    const isInserted = await conversions.insert(named.digest, stored);
    if (isInserted || planted('conversion-begun-twice')) return {conversion: stored, isNew: true};
    const found = await links.kept(conversions, named.digest);
    // Otherwise it has expired in between, or its account was removed.
    if (found !== undefined) return {conversion: found.value, isNew: false};
  }
  return {conversion: undefined, isNew: false};
}

/** @throws ShortUrlError `malformed_parameter` if the sum of the values would be too large */
async function checkSum(
  {store, links}: ConversionServices,
  conversion: ConversionRecord,
  counter: string,
): Promise<void> {
  if (conversion.value === 0) return;
  const sums = await store.getCounters(await links.countersOf(conversion), [counter]);
  if (sums.every(({counts}) => (counts.get(counter) ?? 0) + conversion.value <= maxSum)) return;
  throw malformed(
    `The sum of the values of conversions with one name must be at most ${maxSum}, for a link and for its account.`,
  );
}
