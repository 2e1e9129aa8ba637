import {setImmediate} from 'node:timers/promises';
import type {Account} from '../../accounts/accounts.ts';
import type {Link, LinkQuery} from '../../links/link.ts';
import type {Links} from '../../links/links.ts';
import type {Data, Item, Stream} from './envelope.ts';
import {creationOptions, toCreateLink, toInteger, toUpdateLink, updateOptions} from './link-input.ts';
import type {ParameterNames, Parameters} from './parameters.ts';
import {toCreated, toFullRecord, toInfo, toStatsData} from './records.ts';

/** The result of an operation: the fields of `data` in their order, without `date_time`. */
export interface Result {
  readonly data: Data;
  readonly stream?: Stream;
}

export interface Operation {
  readonly parameters: ParameterNames;
  /** Whether the operation changes something. A prefetch must not run such an operation. */
  readonly changes: boolean;
  readonly run: (links: Links, account: Account, parameters: Parameters) => Promise<Result>;
}

async function create(links: Links, account: Account, parameters: Parameters): Promise<Result> {
  return {data: toCreated(await links.create(account, toCreateLink(parameters)))};
}

async function disable(links: Links, account: Account, parameters: Parameters): Promise<Result> {
  return changed(await links.disable(account, shortUrlIn(parameters)));
}

async function enable(links: Links, account: Account, parameters: Parameters): Promise<Result> {
  return changed(await links.enable(account, shortUrlIn(parameters)));
}

async function info(links: Links, account: Account, parameters: Parameters): Promise<Result> {
  return {data: toInfo(await links.info(account, shortUrlIn(parameters)))};
}

async function listActiveUrls(links: Links, account: Account, parameters: Parameters): Promise<Result> {
  if (parameters.size === 0) {
    return {data: {urls: []}, stream: {name: 'urls', chunks: await started(chunks(links, account))}};
  }
  const page = await links.pageActive(account, pageIn(parameters));
  return {data: {urls: page.urls.map(toItem), next_cursor: page.nextCursor}};
}

async function update(links: Links, account: Account, parameters: Parameters): Promise<Result> {
  return {data: toFullRecord(await links.update(account, shortUrlIn(parameters), toUpdateLink(parameters)))};
}

async function remove(links: Links, account: Account, parameters: Parameters): Promise<Result> {
  const {urlId, shortUrl, status} = await links.remove(account, shortUrlIn(parameters));
  return {data: {url_id: urlId, short_url: shortUrl, status}};
}

async function stats(links: Links, account: Account, parameters: Parameters): Promise<Result> {
  const {link, stats: visits} = await links.stats(account, shortUrlIn(parameters));
  return {data: {...toFullRecord(link), ...toStatsData(visits)}};
}

async function listUrls(links: Links, account: Account, parameters: Parameters): Promise<Result> {
  // The order of the path is kept, because the error of the first invalid condition is reported.
  const query = {...Object.fromEntries(parameters), ...pageIn(parameters)} as LinkQuery;
  const page = await links.page(account, query);
  return {data: {urls: [], next_cursor: page.nextCursor}, stream: {name: 'urls', chunks: records(page.links)}};
}

/** How many links are written at once: a long URL may have 8,192 characters, and each may take five in XML. */
const recordsInChunk = 10;

/** Waits between the chunks, so that writing a large page does not block other requests. */
async function* records(links: readonly Link[]): AsyncGenerator<Item[]> {
  for (let start = 0; start < links.length; start += recordsInChunk) {
    if (start > 0) await setImmediate();
    yield links.slice(start, start + recordsInChunk).map(toFullRecord);
  }
}

const ofLink: ParameterNames = {required: ['short_url'], optional: []};
const conditions = ['status', 'tag', 'search', 'order'];
const paging = ['limit', 'cursor'];

/** The operations by their name in the path. */
export const operations: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ['create', {parameters: {required: ['url'], optional: creationOptions}, changes: true, run: create}],
  ['disable', {parameters: ofLink, changes: true, run: disable}],
  ['enable', {parameters: ofLink, changes: true, run: enable}],
  ['info', {parameters: ofLink, changes: false, run: info}],
  ['list_active_urls', {parameters: {required: [], optional: paging}, changes: false, run: listActiveUrls}],
  ['update', {parameters: {required: ['short_url'], optional: updateOptions}, changes: true, run: update}],
  ['remove', {parameters: ofLink, changes: true, run: remove}],
  ['stats', {parameters: ofLink, changes: false, run: stats}],
  ['list_urls', {parameters: {required: [], optional: [...conditions, ...paging]}, changes: false, run: listUrls}],
]);

function changed({urlId, status, shortUrl}: Link): Result {
  return {data: {url_id: urlId, status, short_url: shortUrl}};
}

/** Never empty, because the operation requires the parameter. */
function shortUrlIn(parameters: Parameters): string {
  return parameters.get('short_url') ?? '';
}

function pageIn(parameters: Parameters): Pick<LinkQuery, 'limit' | 'cursor'> {
  const limit = parameters.get('limit');
  return {limit: limit === undefined ? undefined : toInteger(limit), cursor: parameters.get('cursor')};
}

function toItem({shortUrl}: Pick<Link, 'shortUrl'>): {short_url: string} {
  return {short_url: shortUrl};
}

async function* chunks(links: Links, account: Account): AsyncGenerator<Array<{short_url: string}>> {
  for await (const chunk of links.listActive(account)) yield chunk.map(toItem);
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
