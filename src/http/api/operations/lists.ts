import type {Account} from '../../../accounts/accounts.ts';
import type {Link} from '../../../link/link.ts';
import type {Links} from '../../../links/links.ts';
import {listOrder, pageLimit, usualLimit} from '../../../links/read/query.ts';
import {maxRanked} from '../../../links/rank/ranked.ts';
import {grouped} from '../../../values/describe.ts';
import {toQuery} from '../link-input.ts';
import {conditions, nextCursor, paging, reference} from '../known-parameters.ts';
import type {Item} from '../../envelope.ts';
import type {Operation} from '../operation.ts';
import {inParts} from '../parts.ts';
import {conversions, created, fullRecord, toItem} from '../records.ts';

const listedUrl = {short_url: created.short_url};

export const listActiveUrls: Operation = {
  summary: 'List the active short URLs',
  description:
    'Returns the active short URLs, the oldest first: all of them without parameters, or a page with `limit` and `cursor`. If the store fails while all are sent, the connection closes before the answer is complete.',
  parameters: paging,
  forms: [[], ['limit'], ['limit', 'cursor']],
  scope: 'read',
  answer: {
    sentence: 'Active links.',
    data: {
      urls: {sentence: 'The active links, the oldest first.', rows: [listedUrl]},
      next_cursor: nextCursor,
    },
  },
  example: {limit: 100},
  run: async ({links}, {account, values}) => {
    if (values.size === 0) {
      return {data: {urls: []}, stream: {name: 'urls', chunks: await started(chunks(links, account))}};
    }
    const page = await links.pageActive(account, Object.fromEntries(values));
    return {data: {urls: page.urls.map(toUrl), next_cursor: page.nextCursor}};
  },
};

const listed = {
  ...conditions,
  reference: {...reference, sentence: 'Only the link with this reference.'},
  order: {
    sentence: `By the time of creation: \`newest\` (the default) or \`oldest\` first. By \`visits\`, \`last_visit\` or \`conversions\` (of the first name that the site has recorded): the most first. By \`expiry_date\`: the earliest first, links without one last. Of equal ones the newest is first. These orders are for up to ${grouped(maxRanked)} links, and up to a minute old.`,
    shape: {...listOrder, schema: {...listOrder.schema, default: 'newest'}},
    example: 'oldest',
  },
};

/** Of all time. */
const listedRecord = {...fullRecord, conversions};

export const listUrls: Operation = {
  summary: 'Find short URLs',
  description: `Returns a page of short URLs with all fields and their conversions, by default the newest ${usualLimit}. Every parameter is optional.`,
  parameters: {...listed, ...paging},
  scope: 'read',
  errors: ['too_many_links'],
  answer: {
    sentence: 'A page of links.',
    data: {
      urls: {sentence: 'The links that meet the conditions.', rows: [listedRecord], max: pageLimit.max},
      next_cursor: nextCursor,
    },
  },
  example: {status: 'active', tag: 'mail', limit: 20},
  run: async ({links}, {account, values}) => {
    // The order of the values is kept, because the error of the first invalid condition is reported.
    const page = await links.page(account, toQuery(values));
    return {
      data: {urls: [], next_cursor: page.nextCursor},
      stream: {
        name: 'urls',
        chunks: inParts(page.links, (link) => toItem(listedRecord, link)),
      },
    };
  },
};

function toUrl(link: Pick<Link, 'shortUrl'>): Item {
  return toItem(listedUrl, link);
}

async function* chunks(links: Links, account: Account): AsyncGenerator<Item[]> {
  for await (const chunk of links.activeChunks(account)) yield chunk.map(toUrl);
}

/** Waits for the first chunk, so that an unavailable store is answered with 503 instead of a truncated list. */
async function started<Chunk>(generator: AsyncGenerator<Chunk>): Promise<AsyncIterable<Chunk>> {
  const first = await generator.next();
  return (async function* () {
    if (first.done) return;
    yield first.value;
    yield* generator;
  })();
}
