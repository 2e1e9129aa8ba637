import {conversionId, conversionName, conversionValue} from '../../../conversions/conversions.ts';
import type {Conversion} from '../../../link/link.ts';
import {linkStatuses} from '../../../link/record.ts';
import {choice, someText} from '../../../link/shapes.ts';
import {required} from '../known-parameters.ts';
import type {Operation} from '../operation.ts';
import {created} from '../records.ts';

const shortLink = {url_id: created.url_id, short_url: created.short_url};
const status = {
  sentence: 'The status of the link, or `removed`.',
  shape: choice([...linkStatuses, 'removed']),
  example: 'active',
};

export const recordConversion: Operation = {
  summary: 'Record a conversion',
  description:
    'Records what a customer has done, such as an order, for the link that brought this person. The same `name` and `id` count once in 400 days. Without such a link of the account, `link` is null.',
  parameters: {
    via: required({
      sentence:
        'What the destination got in the parameter of the option `attribution`, or the value of the cookie `short_url_via`.',
      shape: someText(),
      example: 'wuQn7xWhJ1NA938UyfCmtQY4hpnzRa01S6NW78MdJCh8uQ_RKMhbvBw',
    }),
    name: required({
      sentence: 'What was done, such as `order`. An account has at most 8 different names.',
      shape: conversionName,
      example: 'order',
    }),
    id: required({
      sentence: 'What makes it one, such as the number of the order.',
      shape: conversionId,
      example: '1001',
    }),
    value: {sentence: 'For example cents. By default 0.', shape: conversionValue, example: 4900},
  },
  scope: 'full',
  isPostOnly: true,
  answer: {
    sentence: 'The conversion is recorded, now or before, or no link of the account brought the customer.',
    data: {
      link: {
        sentence: 'The link that brought the customer; null if there is none.',
        isNullable: true,
        object: [{...shortLink, status}],
      },
    },
  },
  example: {via: 'wuQn7xWhJ1NA938UyfCmtQY4hpnzRa01S6NW78MdJCh8uQ_RKMhbvBw', name: 'order', id: '1001', value: 4900},
  run: async ({conversions}, {account, values}) => {
    const {via, ...conversion} = Object.fromEntries(values);
    const recorded = await conversions.record(via, conversion as unknown as Conversion, account);
    if (recorded === undefined) return {data: {link: null}};
    const {urlId, shortUrl, status} = recorded.link;
    return {data: {link: {url_id: urlId, short_url: shortUrl, status}}};
  },
};
