import {ShortUrlError} from '../errors.ts';
import {listOf, object, optional} from '../values/objects.ts';
import {malformed} from '../values/input.ts';
import {count, currencyCode, onlyTrue, text, time} from '../values/shape.ts';
import {kind, type RecordOf} from '../store/kind.ts';
import {bringerForm} from './bringing-links.ts';

export const lifeInDays = 400;
/** In milliseconds. */
const life = lifeInDays * 24 * 60 * 60_000;

const maxRefunds = 100;

/** By a keyed digest of the name and id. */
export const conversionRecords = kind('conversion', {
  keys: ['conversion:<digest>'],
  content: 'a conversion',
  digest: 'lasting',
  key: (digest: string) => [digest],
  form: object({
    ...bringerForm,
    /** When it was made, in milliseconds since the epoch. */
    at: time,
    value: count,
    currency: optional(currencyCode),
    refunds: optional(
      listOf(
        object({
          /** Of its id. */
          digest: text,
          /** When it was made, in milliseconds since the epoch. */
          at: time,
          value: count,
          isDone: optional(onlyTrue),
        }),
      ),
    ),
    isDone: optional(onlyTrue),
  }),
  names: 'itself',
  removed: 'by expiry',
  expires: {when: `after ${lifeInDays} days`, at: ({at}) => at + life},
});

/** A conversion that was begun: its link, and what is counted. A repeat finishes it, or finds it done. */
export type ConversionRecord = RecordOf<typeof conversionRecords>;

/** A refund that was begun. A repeat finishes it, or finds it done. */
export type RefundRecord = NonNullable<ConversionRecord['refunds']>[number];

/** @throws ShortUrlError `refund_too_large`; `malformed_parameter` if there are too many refunds */
export function refundable({value, refunds = []}: ConversionRecord, asked: number | undefined): number {
  const left = refunds.reduce((rest, refund) => rest - refund.value, value);
  if ((asked ?? left) > left || (left === 0 && refunds.length > 0)) {
    throw new ShortUrlError('refund_too_large', `The refund must be at most what is left of the conversion: ${left}.`);
  }
  if (refunds.length < maxRefunds) return asked ?? left;
  throw malformed(`A conversion has at most ${maxRefunds} refunds.`);
}
