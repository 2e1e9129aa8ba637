import type {Account} from '../../accounts/accounts.ts';
import type {CreateKey, KeyScope} from '../../accounts/keys.ts';
import {createMany, updateMany} from './many.ts';
import type {Conversion, Link, LinkQuery, Page} from '../../link/link.ts';
import type {Links} from '../../links/links.ts';
import {clearable, creationOptions, toCreateLink, toUpdateLink, updateOptions} from './link-input.ts';
import type {Operation, OperationRequest, OperationServices, Result} from './operation.ts';
import type {ParameterNames, Values} from './parameters.ts';
import {inParts} from './parts.ts';
import {toCreated, toFullRecord, toInfo, toRemoved, toStatsData} from './records.ts';

async function create(
  {links}: OperationServices,
  {account, values, idempotencyKey}: OperationRequest,
): Promise<Result> {
  const link = await links.create(account, toCreateLink(values), {idempotencyKey});
  return {data: toCreated(link), dateTime: idempotencyKey === undefined ? undefined : link.dateCreated};
}

async function disable({links}: OperationServices, {account, values}: OperationRequest): Promise<Result> {
  return changed(await links.disable(account, shortUrlIn(values)));
}

async function enable({links}: OperationServices, {account, values}: OperationRequest): Promise<Result> {
  return changed(await links.enable(account, shortUrlIn(values)));
}

async function info({links}: OperationServices, {account, values}: OperationRequest): Promise<Result> {
  const reference = values.get('reference') as string | undefined;
  return {data: toInfo(await links.info(account, reference === undefined ? shortUrlIn(values) : {reference}))};
}

async function listActiveUrls({links}: OperationServices, {account, values}: OperationRequest): Promise<Result> {
  if (values.size === 0) {
    return {data: {urls: []}, stream: {name: 'urls', chunks: await started(chunks(links, account))}};
  }
  const page = await links.pageActive(account, Object.fromEntries(values) as Page);
  return {data: {urls: page.urls.map(toItem), next_cursor: page.nextCursor}};
}

async function update({links}: OperationServices, {account, values}: OperationRequest): Promise<Result> {
  return {data: toFullRecord(await links.update(account, shortUrlIn(values), toUpdateLink(values)))};
}

async function remove({links}: OperationServices, {account, values}: OperationRequest): Promise<Result> {
  return {data: toRemoved(await links.remove(account, shortUrlIn(values)))};
}

async function stats({links}: OperationServices, {account, values}: OperationRequest): Promise<Result> {
  const {short_url, ...query} = Object.fromEntries(values);
  const {link, stats: visits} = await links.linkAndStats(account, short_url as string, query);
  return {data: {...toFullRecord(link), ...toStatsData(visits)}};
}

async function qr({links}: OperationServices, {account, values}: OperationRequest): Promise<Result> {
  const options = Array.from(values).filter(([name]) => name !== 'short_url');
  const content = await links.qr(account, shortUrlIn(values), Object.fromEntries(options));
  const type = typeof content === 'string' ? 'image/svg+xml' : 'image/png';
  return {data: {}, picture: {type, content}};
}

async function listUrls({links}: OperationServices, {account, values}: OperationRequest): Promise<Result> {
  // The order of the values is kept, because the error of the first invalid condition is reported.
  const query = Object.fromEntries(values) as LinkQuery;
  const page = await links.page(account, query);
  return {
    data: {urls: [], next_cursor: page.nextCursor},
    stream: {name: 'urls', chunks: inParts(page.links, toFullRecord)},
  };
}

async function listKeys({keys}: OperationServices, {account}: OperationRequest): Promise<Result> {
  return {data: {keys: (await keys.list(account.id)).map((key) => ({...key}))}};
}

async function createKey({keys}: OperationServices, {account, values}: OperationRequest): Promise<Result> {
  const {id, apiKey, label, scope, created} = await keys.create(
    account.id,
    Object.fromEntries(values) as unknown as CreateKey,
  );
  return {data: {id, api_key: apiKey, label, scope, created}};
}

async function revokeKey({keys}: OperationServices, {account, values}: OperationRequest): Promise<Result> {
  const id = values.get('id') as string;
  await keys.revoke(account.id, id);
  return {data: {id, status: 'revoked'}};
}

async function recordConversion(
  {conversions}: OperationServices,
  {account, values}: OperationRequest,
): Promise<Result> {
  const {via, ...conversion} = Object.fromEntries(values);
  const recorded = await conversions.record(via, conversion as unknown as Conversion, account);
  if (recorded === undefined) return {data: {link: null}};
  const {urlId, shortUrl, status} = recorded.link;
  return {data: {link: {url_id: urlId, short_url: shortUrl, status}}};
}

const ofLink = ['short_url'];
const paging = ['limit', 'cursor'];

function operation(
  scope: KeyScope,
  run: Operation['run'],
  {required = [], optional = [], ...names}: Partial<ParameterNames> = {},
): Operation {
  return {parameters: {required, optional, ...names}, scope, run};
}

function postOnly(...given: Parameters<typeof operation>): Operation {
  return {...operation(...given), isPostOnly: true};
}

/** The operations by their name in the path. */
export const operations: ReadonlyMap<string, Operation> = new Map([
  ['create', operation('create', create, {required: ['url'], optional: creationOptions})],
  ['disable', operation('full', disable, {required: ofLink})],
  ['enable', operation('full', enable, {required: ofLink})],
  ['info', operation('read', info, {optional: ['short_url', 'reference'], oneOf: ['short_url', 'reference']})],
  ['list_active_urls', operation('read', listActiveUrls, {optional: paging})],
  ['update', operation('full', update, {required: ofLink, optional: updateOptions, nullable: clearable})],
  ['remove', operation('full', remove, {required: ofLink})],
  ['stats', operation('read', stats, {required: ofLink, optional: ['from', 'until']})],
  ['qr', operation('read', qr, {required: ofLink, optional: ['format', 'size']})],
  ['list_urls', operation('read', listUrls, {optional: ['status', 'tag', 'search', 'reference', 'order', ...paging]})],
  ['create_many', postOnly('create', createMany, {required: ['links']})],
  ['update_many', postOnly('full', updateMany, {required: ['changes']})],
  ['record_conversion', postOnly('full', recordConversion, {required: ['via', 'name', 'id'], optional: ['value']})],
  ['keys', postOnly('full', listKeys)],
  ['create_key', postOnly('full', createKey, {required: ['label', 'scope']})],
  ['revoke_key', postOnly('full', revokeKey, {required: ['id']})],
]);

function changed({urlId, status, shortUrl}: Link): Result {
  return {data: {url_id: urlId, status, short_url: shortUrl}};
}

function shortUrlIn(values: Values): string {
  return values.get('short_url') as string;
}

function toItem({shortUrl}: Pick<Link, 'shortUrl'>): {short_url: string} {
  return {short_url: shortUrl};
}

async function* chunks(links: Links, account: Account): AsyncGenerator<Array<{short_url: string}>> {
  for await (const chunk of links.activeChunks(account)) yield chunk.map(toItem);
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
