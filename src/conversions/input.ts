import {ShortUrlError} from '../errors.ts';
import {readConversionName, readCurrency} from '../links/stats/conversion-names.ts';
import {malformed, type Reader, reader, readFields} from '../values/input.ts';
import {integer, textUpTo} from '../values/shape.ts';

/** In characters. */
const maxId = 128;

export const conversionId = textUpTo(maxId, `1 to ${maxId} characters`);
/** A day of the largest values still fits into the integers of every engine. */
export const conversionValue = integer(0, 1_000_000_000_000);

export type GivenConversion = ReturnType<typeof readConversion>;

function anId(what: string): Reader<string> {
  return (given) => {
    const text = Number.isSafeInteger(given) ? String(given) : given;
    if (conversionId.holds(text)) return text;
    throw malformed(`The ${what} must be a text of 1 to ${maxId} characters, or an integer.`);
  };
}

const readId = anId('id of a conversion');
const readOwnId = anId('id of a customer');
const readValue = reader(conversionValue, 'value of a conversion');

const readers = {name: readConversionName, id: readId};

/** @throws ShortUrlError `malformed_parameter` */
export function readCustomer(customer: unknown): string {
  return readOwnId(customer, 'customer');
}

/**
 * @param currency that of a conversion without one
 * @throws ShortUrlError `missing_parameter`, `malformed_parameter` or `unknown_parameter`
 */
export function readConversion(input: unknown, currency: string | undefined) {
  const given = readFields(input, 'A conversion is recorded with', {
    ...readers,
    value: readValue,
    currency: readCurrency,
    customer: readOwnId,
  });
  const {name, id, value = 0, customer} = given;
  if (name === undefined || id === undefined) {
    throw new ShortUrlError('missing_parameter', 'A conversion needs `name` and `id`.');
  }
  return {name, id, value, currency: given.currency ?? currency, customer};
}

/** @throws ShortUrlError `missing_parameter`, `malformed_parameter` or `unknown_parameter` */
export function readRefund(input: unknown) {
  const given = readFields(input, 'A refund is recorded with', {
    ...readers,
    refund: anId('id of a refund'),
    value: reader(conversionValue, 'value of a refund'),
  });
  const {name, id, refund, value} = given;
  if (name === undefined || id === undefined || refund === undefined) {
    throw new ShortUrlError('missing_parameter', 'A refund needs `name`, `id` and `refund`.');
  }
  return {name, id, refund, value};
}
