import {countedName} from '../../../link/counters.ts';
import {maxSummed} from '../../../links/read/account-stats.ts';
import {grouping, rankingOf} from '../../../links/rank/comparison.ts';
import {formatCursor} from '../../../links/read/cursor.ts';
import {pageLimit} from '../../../links/read/query.ts';
import type {ComparedNumbers, Comparison} from '../../../links/read/listed-links.ts';
import {comparisonOrder} from '../../../links/stats/stats-query.ts';
import {grouped} from '../../../values/describe.ts';
import {anyText, count, currencyCode, flag} from '../../../values/shape.ts';
import type {AnswerFields} from '../answer-fields.ts';
import type {Item} from '../../envelope.ts';
import {toQuery} from '../link-input.ts';
import {conditions, nextCursor, paging, span} from '../known-parameters.ts';
import type {Operation, ParameterTable} from '../operation.ts';
import {inParts} from '../parts.ts';
import {conversionRows, fullRecord, numbers, statsFields, toFullRecord, toItem, visited} from '../records.ts';

const accountStatsFields: AnswerFields = {
  links: {sentence: 'The number of links that were added up.', shape: count, example: 12},
  broken_links: {sentence: 'How many of them are marked as broken.', shape: count, example: 1},
  is_partial: {
    sentence: `True if more links meet the conditions; absent otherwise. At most the newest ${grouped(maxSummed)} are added up.`,
    shape: flag,
    example: true,
    isOptional: true,
  },
  ...visited,
  ...statsFields,
};

export const accountStats: Operation = {
  summary: 'Read the visits of all short URLs',
  description:
    'Returns the visits of all short URLs of the account by day, their details and their conversions, with those of removed ones; or the sums of those with a status, a tag or words. `from` and `until` restrict the days and the totals.',
  parameters: {...conditions, ...span},
  scope: 'read',
  answer: {
    sentence: 'The visits and conversions of the account.',
    data: accountStatsFields,
  },
  example: {tag: 'posters', from: '2030-01-01', until: '2030-01-31'},
  run: async ({links}, {account, values}) => {
    const stats = await links.accountStats(account, toQuery(values));
    return {data: toItem(accountStatsFields, {...stats, isPartial: stats.isPartial ? true : undefined})};
  },
};

const tag = {
  tag: {
    sentence: 'The tag, in its most common spelling. Tags that differ only in case are counted together.',
    shape: anyText,
    example: 'posters',
  },
  links: {sentence: 'The number of links that have it.', shape: count, example: 12},
} as const satisfies AnswerFields;

export const tags: Operation = {
  summary: 'List the tags',
  description: 'Returns all tags of the account, the most used first.',
  parameters: {},
  scope: 'read',
  answer: {sentence: 'The tags.', data: {tag_counts: {sentence: 'The tags, the most used first.', rows: [tag]}}},
  example: {},
  run: async ({links}, {account}) => ({
    data: {tag_counts: (await links.tags(account)).map((each) => toItem(tag, each))},
  }),
};

const comparing: ParameterTable = {
  ...span,
  ...conditions,
  order: {
    sentence:
      'By `visits` (the default), by `conversions`, or by their `value` without refunds, the most first. The order is up to a minute old.',
    shape: {...comparisonOrder, schema: {...comparisonOrder.schema, default: 'visits'}},
    example: 'value',
  },
  name: {sentence: 'Only conversions with this name.', shape: countedName, example: 'order'},
  currency: {
    sentence: 'The currency that `value` orders by. By default the one with the most conversions.',
    shape: currencyCode,
    isNullable: true,
    example: 'EUR',
  },
  ...paging,
};

/** The parameters of a comparison, with the cursor of a page in the order of the other examples. */
function comparingBy(by: 'link' | 'tag', id: number | string): ParameterTable {
  const ranking = rankingOf({by, order: 'value', name: 'order', currency: 'EUR'});
  return {...comparing, cursor: {...paging.cursor, example: formatCursor(ranking, 4900, 2, 5, id)}};
}

const linksCompared = comparingBy('link', 42);
const tagsCompared: ParameterTable = {
  ...comparingBy('tag', 'mail'),
  by: {
    sentence: 'What is compared, in the field `tag` of the answer: tags (the default), or a part of `utm`.',
    shape: {...grouping, schema: {...grouping.schema, default: 'tag'}},
    example: 'tag',
  },
};

const compared = {
  links: {sentence: 'The number of links that were compared.', shape: count, example: 12},
  total_visits: {sentence: 'The visits of all these links in the span.', shape: count, example: 120},
  totals: {
    sentence: 'The conversions of all these links in the span, by name, currency and recorder, most first.',
    rows: [conversionRows],
  },
} as const satisfies AnswerFields;

const example = {from: '2030-01-01', until: '2030-01-31', tag: 'posters', order: 'value', limit: 20};

export const compare: Operation = {
  summary: 'Compare short URLs',
  description:
    'Returns a page of short URLs by what they had in a span of days: visits, conversions and their values. Every parameter is optional.',
  parameters: linksCompared,
  scope: 'read',
  errors: ['too_many_links'],
  answer: {
    sentence: 'A page of the compared links.',
    data: {
      ...compared,
      urls: {
        sentence: 'The links, the first in the order first. Those without visits and conversions come last.',
        rows: [{...fullRecord, ...numbers}],
        max: pageLimit.max,
      },
      next_cursor: nextCursor,
    },
  },
  example,
  run: async ({links}, {account, values}) => {
    const {most, ...comparison} = await links.compare(account, toQuery(values));
    const chunks = inParts(most, ({link, ...each}) => ({...toFullRecord(link), ...toNumbers(each)}));
    return {
      data: {...toCompared(comparison), urls: [], next_cursor: comparison.nextCursor},
      stream: {name: 'urls', chunks},
    };
  },
};

export const compareTags: Operation = {
  summary: 'Compare tags or campaigns',
  description:
    'Returns a page of tags, or of sources, media or campaigns, by what their short URLs had in a span of days. A short URL with several tags counts for each. Every parameter is optional.',
  parameters: tagsCompared,
  scope: 'read',
  errors: ['too_many_links'],
  answer: {
    sentence: 'A page of the compared tags.',
    data: {
      ...compared,
      tag_counts: {
        sentence: 'The tags, the first in the order first.',
        rows: [{...tag, ...numbers}],
        max: pageLimit.max,
      },
      next_cursor: nextCursor,
    },
  },
  example,
  run: async ({links}, {account, values}) => {
    const {tags: found, ...comparison} = await links.compareTags(account, toQuery(values));
    const rows = found.map((each) => ({...toItem(tag, each), ...toNumbers(each)}));
    return {data: {...toCompared(comparison), tag_counts: rows, next_cursor: comparison.nextCursor}};
  },
};

function toNumbers({conversions, ...rest}: ComparedNumbers): Item {
  return toItem(numbers, {...rest, conversionCount: conversions});
}

function toCompared({links, visits, conversions}: Comparison): Item {
  return toItem(compared, {links, totalVisits: visits, totals: conversions});
}
