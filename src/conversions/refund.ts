import {planted} from '../planted.ts';
import type {Account} from '../accounts/accounts.ts';
import type {RecordedRefund} from './conversion.ts';
import {conversionRecords, refundable, type RefundRecord} from './conversion-record.ts';
import {complete, addOnce, idOf, increments, nameOf, once} from './count.ts';
import {readRefund} from './input.ts';
import type {ConversionServices} from './services.ts';

/**
 * Records a refund of a conversion.
 *
 * @param account the account of an API call
 * @returns undefined if there is no such conversion
 * @throws ShortUrlError `refund_too_large`, or as `record`
 */
export async function refund(
  services: ConversionServices,
  input: unknown,
  account?: Account,
): Promise<RecordedRefund | undefined> {
  const {store, links, now, siteKey} = services;
  const given = readRefund(input);
  const named = await nameOf(services, given, account);
  // Without its id, which may name a person.
  const digest = (await siteKey.lasting(JSON.stringify(['refund', named.digest, given.refund]))).slice(0, 32);
  const conversions = conversionRecords.in(store);
  const conversion = (await links.kept(conversions, named.digest))?.value;
  if (conversion === undefined) return undefined;
  await once(services, named.digest, async () => {
    await complete(services, conversion, named, false);
    // A call of `record` may join this one.
    return conversion;
  });
  const begun: {refund?: RefundRecord; isNew: boolean} = {isNew: false};
  const record = await conversions.update(named.digest, (before) => {
    const {refunds = []} = before;
    const found = refunds.find((each) => each.digest === digest);
    begun.isNew = found === undefined;
    const latest = planted('refunds-unseen') ? conversion : before;
    begun.refund = found ?? {digest, at: now(), value: refundable(latest, given.value)};
    if (planted('refund-done-early')) begun.refund = {...begun.refund, isDone: true};
    return found ? undefined : {...before, refunds: [...refunds, begun.refund]};
  });
  const {refund: reserved, isNew} = begun;
  // The record has expired, or the account of the link was removed.
  if (record === undefined || reserved === undefined) return undefined;
  const paid = planted('refund-in-todays-currency') ? {currency: services.currency ?? '', ...record} : record;
  const add = increments(
    services,
    {...(planted('refund-without-variant') ? {...paid, variant: undefined} : paid), ...reserved},
    named,
    ['refunds', 'refunded'],
  );
  await once(services, `${named.digest} ${digest}`, () =>
    addOnce(services, record, {id: `${idOf(named, record)}-${digest}`, add, isNew}, reserved.isDone, async () => {
      await conversions.update(named.digest, (before) => {
        const refunds = (before.refunds ?? []).map((each) =>
          each.digest === digest ? ({...each, isDone: true} as const) : each,
        );
        return {...before, refunds};
      });
    }),
  );
  return {link: (await links.show(record)).link, value: reserved.value};
}
