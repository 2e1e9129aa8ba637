import type {Account} from '../accounts/accounts.ts';
import type {CreateLink, Link} from '../links/link.ts';
import type {Links} from '../links/links.ts';
import type {Data, Stream} from './envelope.ts';
import type {ParameterNames, Parameters} from './parameters.ts';

/** What an operation has to say: the fields of `data` in the order of the specification, `date_time` left out. */
export interface Result {
  readonly data: Data;
  readonly stream?: Stream;
}

export interface Operation {
  readonly parameters: ParameterNames;
  /** Whether it changes anything, so that a prefetch must not run it. */
  readonly changes: boolean;
  readonly run: (links: Links, account: Account, parameters: Parameters) => Promise<Result>;
}

const creationNames = {
  url: 'url',
  custom_url: 'customUrl',
  password: 'password',
  expiry_date: 'expiryDate',
  base_domain: 'baseDomain',
} as const satisfies Record<string, keyof CreateLink>;

async function create(links: Links, account: Account, parameters: Parameters): Promise<Result> {
  // In the order of the path, because the first part that is not in order is the one to report.
  const input: {-readonly [Name in keyof CreateLink]?: CreateLink[Name]} = {};
  for (const [name, value] of parameters) input[creationNames[name as keyof typeof creationNames]] = value;
  const link = await links.create(account, {...input, url: input.url ?? ''});
  return {
    data: {
      url_id: link.urlId,
      short_url: link.shortUrl,
      short_url_part: link.shortUrlPart,
      original_url: link.originalUrl,
    },
  };
}

async function disable(links: Links, account: Account, parameters: Parameters): Promise<Result> {
  return changed(await links.disable(account, shortUrlIn(parameters)));
}

async function enable(links: Links, account: Account, parameters: Parameters): Promise<Result> {
  return changed(await links.enable(account, shortUrlIn(parameters)));
}

async function info(links: Links, account: Account, parameters: Parameters): Promise<Result> {
  const link = await links.info(account, shortUrlIn(parameters));
  return {
    data: {
      url_id: link.urlId,
      short_url: link.shortUrl,
      short_url_part: link.shortUrlPart,
      original_url: link.originalUrl,
      date_created: link.dateCreated,
      last_accessed: link.lastAccessed,
      total_visits: link.totalVisits,
      has_password: link.hasPassword,
      expiry_date: link.expiryDate,
      status: link.status,
    },
  };
}

async function listActiveUrls(links: Links, account: Account, parameters: Parameters): Promise<Result> {
  const limit = parameters.get('limit');
  const cursor = parameters.get('cursor');
  if (limit === undefined && cursor === undefined) {
    return {data: {urls: []}, stream: {name: 'urls', chunks: await started(chunks(links, account))}};
  }
  const page = await links.pageActive(account, {limit: limit === undefined ? undefined : toInteger(limit), cursor});
  return {data: {urls: page.urls.map(toItem), next_cursor: page.nextCursor}};
}

/** The operations by their name in the path. */
export const operations: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  [
    'create',
    {
      parameters: {required: ['url'], optional: Object.keys(creationNames).filter((name) => name !== 'url')},
      changes: true,
      run: create,
    },
  ],
  ['disable', {parameters: {required: ['short_url'], optional: []}, changes: true, run: disable}],
  ['enable', {parameters: {required: ['short_url'], optional: []}, changes: true, run: enable}],
  ['info', {parameters: {required: ['short_url'], optional: []}, changes: false, run: info}],
  [
    'list_active_urls',
    {parameters: {required: [], optional: ['limit', 'cursor']}, changes: false, run: listActiveUrls},
  ],
]);

function changed({urlId, status, shortUrl}: Link): Result {
  return {data: {url_id: urlId, status, short_url: shortUrl}};
}

/** There is one: the operation requires it. */
function shortUrlIn(parameters: Parameters): string {
  return parameters.get('short_url') ?? '';
}

/** NaN for anything but digits, which no limit allows. */
function toInteger(text: string): number {
  return /^\d+$/.test(text) ? Number(text) : Number.NaN;
}

function toItem({shortUrl}: Pick<Link, 'shortUrl'>): {short_url: string} {
  return {short_url: shortUrl};
}

async function* chunks(links: Links, account: Account): AsyncGenerator<Array<{short_url: string}>> {
  for await (const chunk of links.listActive(account)) yield chunk.map(toItem);
}

/** Waits for the first chunk, so that a store that is away is an error of the call and not a list that breaks off. */
async function started<Chunk>(generator: AsyncGenerator<Chunk>): Promise<AsyncIterable<Chunk>> {
  const first = await generator.next();
  return (async function* () {
    if (first.done) return;
    yield first.value;
    yield* generator;
  })();
}
