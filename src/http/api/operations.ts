import type {Account} from '../../accounts/accounts.ts';
import type {CreateKey, KeyScope} from '../../accounts/keys.ts';
import {createMany, updateMany} from './many.ts';
import type {Conversion, Link} from '../../link/link.ts';
import type {Links} from '../../links/links.ts';
import {clearable, creationOptions, toCreateLink, toUpdateLink, updateOptions} from './link-input.ts';
import type {Operation, Result} from './operation.ts';
import type {ParameterNames, Values} from './parameters.ts';
import {inParts} from './parts.ts';
import {toCreated, toFullRecord, toInfo, toRemoved, toStatsData} from './records.ts';

type Run = Operation['run'];

const create: Run = async ({links}, {account, values, idempotencyKey}) => {
  const link = await links.create(account, toCreateLink(values), {idempotencyKey});
  return {data: toCreated(link), dateTime: idempotencyKey === undefined ? undefined : link.dateCreated};
};

const disable: Run = async ({links}, {account, values}) => changed(await links.disable(account, shortUrlIn(values)));

const enable: Run = async ({links}, {account, values}) => changed(await links.enable(account, shortUrlIn(values)));

const info: Run = async ({links}, {account, values}) => {
  const reference = values.get('reference') as string | undefined;
  return {data: toInfo(await links.info(account, reference === undefined ? shortUrlIn(values) : {reference}))};
};

const listActiveUrls: Run = async ({links}, {account, values}) => {
  if (values.size === 0) {
    return {data: {urls: []}, stream: {name: 'urls', chunks: await started(chunks(links, account))}};
  }
  const page = await links.pageActive(account, Object.fromEntries(values));
  return {data: {urls: page.urls.map(toItem), next_cursor: page.nextCursor}};
};

const update: Run = async ({links}, {account, values}) => ({
  data: toFullRecord(await links.update(account, shortUrlIn(values), toUpdateLink(values))),
});

const remove: Run = async ({links}, {account, values}) => ({
  data: toRemoved(await links.remove(account, shortUrlIn(values))),
});

const stats: Run = async ({links}, {account, values}) => {
  const {short_url, ...query} = Object.fromEntries(values);
  const {link, stats: visits} = await links.linkAndStats(account, short_url as string, query);
  return {data: {...toFullRecord(link), ...toStatsData(visits)}};
};

const qr: Run = async ({links}, {account, values}) => {
  const {short_url, ...options} = Object.fromEntries(values);
  const content = await links.qr(account, short_url as string, options);
  return {data: {}, picture: {type: typeof content === 'string' ? 'image/svg+xml' : 'image/png', content}};
};

const listUrls: Run = async ({links}, {account, values}) => {
  // The order of the values is kept, because the error of the first invalid condition is reported.
  const page = await links.page(account, Object.fromEntries(values));
  return {
    data: {urls: [], next_cursor: page.nextCursor},
    stream: {name: 'urls', chunks: inParts(page.links, toFullRecord)},
  };
};

const listKeys: Run = async ({keys}, {account}) => ({
  data: {keys: (await keys.list(account.id)).map((key) => ({...key}))},
});

const createKey: Run = async ({keys}, {account, values}) => {
  const input = Object.fromEntries(values) as unknown as CreateKey;
  const {id, apiKey, label, scope, created} = await keys.create(account.id, input);
  return {data: {id, api_key: apiKey, label, scope, created}};
};

const revokeKey: Run = async ({keys}, {account, values}) => {
  const id = values.get('id') as string;
  await keys.revoke(account.id, id);
  return {data: {id, status: 'revoked'}};
};

const recordConversion: Run = async ({conversions}, {account, values}) => {
  const {via, ...conversion} = Object.fromEntries(values);
  const recorded = await conversions.record(via, conversion as unknown as Conversion, account);
  if (recorded === undefined) return {data: {link: null}};
  const {urlId, shortUrl, status} = recorded.link;
  return {data: {link: {url_id: urlId, short_url: shortUrl, status}}};
};

const ofLink = ['short_url'];
const paging = ['limit', 'cursor'];

function operation(
  scope: KeyScope,
  run: Run,
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
