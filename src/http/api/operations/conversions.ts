import {ShortUrlError} from '../../../errors.ts';
import {lifeInDays} from '../../../conversions/conversion-record.ts';
import {maxCurrencies, maxNames} from '../../../links/stats/conversion-names.ts';
import {conversionId, conversionValue} from '../../../conversions/input.ts';
import {countedName} from '../../../link/counters.ts';
import type {RecordedConversion} from '../../../conversions/conversion.ts';
import {linkStatuses} from '../../../link/record.ts';
import {choice, currencyCode, flag, text} from '../../../values/shape.ts';
import {required} from '../known-parameters.ts';
import type {Item} from '../../envelope.ts';
import type {AnswerField, AnswerFields} from '../answer-fields.ts';
import type {Operation, Parameter} from '../operation.ts';
import {created, toItem} from '../records.ts';

const shortLink: AnswerFields = {
  url_id: created.url_id,
  short_url: created.short_url,
  status: {
    sentence: 'The status of the link, or `removed`.',
    shape: choice([...linkStatuses, 'removed']),
    example: 'active',
  },
};

const via = {
  sentence:
    'What the destination got in the parameter of the option `attribution`, or the value of the cookie `short_url_via`.',
  shape: text,
  example: 'wuQn7xWhJ1NA938UyfCmtQY4hpnzRa01S6NW78MdJCh8uQ_RKMhbvBw',
} satisfies Parameter;

const customer = {
  sentence: 'Your own id of the customer. It is stored as a keyed digest.',
  shape: conversionId,
  example: 'user-7',
} satisfies Parameter;

const name = required({
  sentence: `What was done, such as \`order\`. An account has at most ${maxNames} different names.`,
  shape: countedName,
  example: 'order',
});

const id = required({
  sentence: 'What makes it one, such as the number of the order.',
  shape: conversionId,
  example: '1001',
});

const link: AnswerField = {
  sentence: 'The link that brought the customer; null if there is none.',
  isNullable: true,
  object: [shortLink],
};

function toLinkData(found: Pick<RecordedConversion, 'link'> | undefined): Item | null {
  return found === undefined ? null : toItem(shortLink, found.link);
}

export const recordConversion: Operation = {
  summary: 'Record a conversion',
  description: `Records what a customer has done, such as an order, for the link that brought this person: that of \`via\`, and otherwise that of \`customer\`, who is identified in the same call. One of both is needed. The same \`name\` and \`id\` count once in ${lifeInDays} days. Without such a link of the account, \`link\` is null.`,
  parameters: {
    via,
    customer,
    name,
    id,
    value: {
      sentence: 'In the smallest unit of the currency, for example cents. By default 0.',
      shape: conversionValue,
      example: 4900,
    },
    currency: {
      sentence: `The currency of ISO 4217. Values of two currencies are never added. An account has at most ${maxCurrencies}.`,
      shape: currencyCode,
      example: 'EUR',
    },
  },
  scope: 'full',
  isPostOnly: true,
  answer: {
    sentence: 'The conversion is recorded, now or before, or no link of the account brought the customer.',
    data: {link},
  },
  example: {via: via.example, name: 'order', id: '1001', value: 4900, currency: 'EUR'},
  run: async ({conversions}, {account, values}) => {
    const {via: token, customer: who, ...conversion} = Object.fromEntries(values);
    if (token === undefined && who === undefined) {
      throw new ShortUrlError('missing_parameter', 'A conversion needs `via` or `customer`.');
    }
    const person = {via: token, customer: who};
    return {data: {link: toLinkData(await conversions.record(person, conversion, account))}};
  },
};

export const identifyCustomer: Operation = {
  summary: 'Remember which link brought a customer',
  description:
    'Remembers the link of `via` for `customer`, so that later conversions need no `via`. The first link stays. How long it is kept after the last use, the site decides. Without such a link of the account, `link` is null.',
  parameters: {via: required(via), customer: required(customer)},
  scope: 'full',
  isPostOnly: true,
  errors: ['too_many_requests'],
  answer: {sentence: 'The link of the customer is remembered, now or before, or there is none.', data: {link}},
  example: {via: via.example, customer: 'user-7'},
  run: async ({conversions}, {account, values}) => {
    const found = await conversions.identify({via: values.get('via')}, values.get('customer'), account);
    return {data: {link: toLinkData(found)}};
  },
};

export const refundConversion: Operation = {
  summary: 'Record a refund of a conversion',
  description: `Records that a conversion which the account has recorded was refunded, in whole or in part. The same \`refund\` counts once. Without such a conversion in the last ${lifeInDays} days, \`link\` and \`value\` are null.`,
  parameters: {
    name,
    id,
    refund: required({
      sentence: 'What makes the refund one, such as its number.',
      shape: conversionId,
      example: 'refund-7',
    }),
    value: {
      sentence: 'At most what is left of the value of the conversion. By default all of it.',
      shape: conversionValue,
      example: 4900,
      errors: ['refund_too_large'],
    },
  },
  scope: 'full',
  isPostOnly: true,
  answer: {
    sentence: 'The refund is recorded, now or before, or there is no such conversion.',
    data: {
      link,
      value: {sentence: 'What was refunded.', shape: conversionValue, example: 4900, isNullable: true},
    },
  },
  example: {name: 'order', id: '1001', refund: 'refund-7', value: 4900},
  run: async ({conversions}, {account, values}) => {
    const refunded = await conversions.refund(Object.fromEntries(values), account);
    return {data: {link: toLinkData(refunded), value: refunded?.value ?? null}};
  },
};

export const forgetConversionName: Operation = {
  summary: 'Give up a name of conversions',
  description: `Gives up a name, so that another one can be among the ${maxNames} of the account. What was counted stays in the statistics of short URLs and of the account. Lists and comparisons leave it out. A conversion that is recorded with the name adds it again.`,
  parameters: {name},
  scope: 'full',
  isPostOnly: true,
  answer: {
    sentence: 'The account has no such name.',
    data: {was_known: {sentence: 'Whether it was a name of the account.', shape: flag, example: true}},
  },
  example: {name: 'oder'},
  run: async ({conversions}, {account, values}) => ({
    data: {was_known: await conversions.forgetName(values.get('name'), account)},
  }),
};

export const forgetCustomer: Operation = {
  summary: 'Forget a customer',
  description: 'Forgets which link brought a customer. What was counted stays.',
  parameters: {customer: required(customer)},
  scope: 'full',
  isPostOnly: true,
  answer: {
    sentence: 'The customer is unknown.',
    data: {was_known: {sentence: 'Whether the customer was known.', shape: flag, example: true}},
  },
  example: {customer: 'user-7'},
  run: async ({conversions}, {account, values}) => ({
    data: {was_known: await conversions.forget(values.get('customer'), account)},
  }),
};
