import type {Account} from '../../accounts/accounts.ts';
import type {CreateKey} from '../../accounts/keys.ts';
import {createMany, updateMany} from './many.ts';
import type {Conversion, Link, LinkQuery} from '../../link/link.ts';
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
  const page = await links.pageActive(account, pageIn(values));
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
  const listed = await keys.list(account.id);
  return {data: {keys: listed.map(({id, label, scope, created}) => ({id, label, scope, created}))}};
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

const ofLink: ParameterNames = {required: ['short_url'], optional: []};
const conditions = ['status', 'tag', 'search', 'reference', 'order'];
const paging = ['limit', 'cursor'];

/** The operations by their name in the path. */
export const operations: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ['create', {parameters: {required: ['url'], optional: creationOptions}, scope: 'create', run: create}],
  ['disable', {parameters: ofLink, scope: 'full', run: disable}],
  ['enable', {parameters: ofLink, scope: 'full', run: enable}],
  [
    'info',
    {
      parameters: {required: [], optional: ['short_url', 'reference'], oneOf: ['short_url', 'reference']},
      scope: 'read',
      run: info,
    },
  ],
  ['list_active_urls', {parameters: {required: [], optional: paging}, scope: 'read', run: listActiveUrls}],
  [
    'update',
    {
      parameters: {required: ['short_url'], optional: updateOptions, nullable: clearable},
      scope: 'full',
      run: update,
    },
  ],
  ['remove', {parameters: ofLink, scope: 'full', run: remove}],
  ['stats', {parameters: {required: ['short_url'], optional: ['from', 'until']}, scope: 'read', run: stats}],
  ['qr', {parameters: {required: ['short_url'], optional: ['format', 'size']}, scope: 'read', run: qr}],
  ['list_urls', {parameters: {required: [], optional: [...conditions, ...paging]}, scope: 'read', run: listUrls}],
  [
    'create_many',
    {parameters: {required: ['links'], optional: []}, scope: 'create', isPostOnly: true, run: createMany},
  ],
  [
    'update_many',
    {parameters: {required: ['changes'], optional: []}, scope: 'full', isPostOnly: true, run: updateMany},
  ],
  [
    'record_conversion',
    {
      parameters: {required: ['via', 'name', 'id'], optional: ['value']},
      scope: 'full',
      isPostOnly: true,
      run: recordConversion,
    },
  ],
  ['keys', {parameters: {required: [], optional: []}, scope: 'full', isPostOnly: true, run: listKeys}],
  [
    'create_key',
    {parameters: {required: ['label', 'scope'], optional: []}, scope: 'full', isPostOnly: true, run: createKey},
  ],
  ['revoke_key', {parameters: {required: ['id'], optional: []}, scope: 'full', isPostOnly: true, run: revokeKey}],
]);

function changed({urlId, status, shortUrl}: Link): Result {
  return {data: {url_id: urlId, status, short_url: shortUrl}};
}

function shortUrlIn(values: Values): string {
  return values.get('short_url') as string;
}

function pageIn(values: Values): Pick<LinkQuery, 'limit' | 'cursor'> {
  return {limit: values.get('limit') as number | undefined, cursor: values.get('cursor') as string | undefined};
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
