import {type CreateKey, type KeyScope, type LinkFilter, ShortUrlError} from '../../../src/index.ts';
import type {Site} from '../../support/site.ts';
import {asXmlReads} from '../../support/xml.ts';
import type {Way} from './actions.ts';
import type {Changes, LinkChange, NewLink, Outcome, Settings} from './model.ts';

type Fields = Record<string, unknown>;

export interface Caller {
  readonly account: string;
  /** The API key. The programmatic interface uses the account instead. */
  readonly key: string;
  readonly scope: KeyScope;
}

/** An interface of the service: the HTTP API in one of its forms, or the programmatic interface. */
export interface Door {
  /** Whether a create can have an idempotency key here. */
  readonly hasIdempotency: boolean;
  /** The fields of a link in the answers of these operations. */
  readonly fields: Readonly<
    Record<'create' | 'update' | 'disable' | 'enable' | 'info' | 'list' | 'find', readonly string[]>
  >;
  /** The value in this interface's form: in XML everything is text. */
  read(value: unknown): unknown;
  create(caller: Caller, input: NewLink, idempotencyKey: string | undefined): Promise<Outcome<Fields>>;
  update(caller: Caller, shortUrl: string, changes: Changes): Promise<Outcome<Fields>>;
  updateMany(caller: Caller, many: readonly LinkChange[]): Promise<Outcome<Array<Outcome<Fields>>>>;
  change(operation: 'disable' | 'enable' | 'info', caller: Caller, shortUrl: string): Promise<Outcome<Fields>>;
  discard(caller: Caller, shortUrl: string): Promise<Outcome<Fields>>;
  /** The whole list, or the active links in it; read in pages if there is a limit. */
  list(caller: Caller, limit: number | undefined): Promise<Outcome<Fields[]>>;
  /** Full records that meet the conditions; read in pages if there is a limit. */
  find(caller: Caller, filter: LinkFilter, limit: number | undefined): Promise<Outcome<Fields[]>>;
  makeKey(caller: Caller, key: CreateKey): Promise<Outcome<Fields>>;
  listKeys(caller: Caller): Promise<Outcome<Fields[]>>;
  revokeKey(caller: Caller, id: string): Promise<Outcome<Fields>>;
}

const created = ['url_id', 'short_url', 'short_url_part', 'original_url'];
const tally = ['date_created', 'last_accessed', 'total_visits', 'has_password', 'expiry_date', 'status'];
const info = [...created, ...tally];
export const whole = [...info, 'title', 'tags', 'max_visits', 'start_date', 'expired_url', 'forward_query', 'rules'];
const withBlocks = [...whole, 'is_blocked', 'is_account_blocked'];

export function doorOf(site: Site, {door}: Way): Door {
  return door === 'program' ? programmatic(site) : http(site, door);
}

function http(site: Site, door: 'json' | 'xml' | 'post'): Door {
  const changed = ['url_id', 'status', 'short_url'];
  const suffix = door === 'post' ? '' : `.${door}`;
  const read = (value: unknown): unknown => (door === 'xml' ? asXmlReads(value) : value);

  /** By GET, or by POST where there is no GET. */
  async function call(
    operation: string,
    {key}: Caller,
    parameters: Fields,
    {isPost = door === 'post', headers = {}}: {isPost?: boolean; headers?: Record<string, string>} = {},
  ): Promise<Outcome<Fields>> {
    const reply = isPost
      ? await site.post(operation, parameters, {key, suffix, headers})
      : await site.api(operation, inPath(parameters), {
          key,
          keyIn: door === 'json' ? 'header' : 'path',
          suffix,
          headers,
        });
    const {code, data} = reply.envelope;
    if (Number(code) !== reply.status) throw new Error(`${operation}: the status is not the code`);
    if (reply.status !== 200) return {error: String(data['error'])};
    const value = Object.fromEntries(Object.entries(data).filter(([name]) => name !== 'date_time'));
    return {value};
  }

  return {
    // The specification's form, with the key in the path, has none.
    hasIdempotency: door !== 'xml',
    fields: {
      ...{create: created, update: whole, disable: changed, enable: changed},
      ...{info, list: ['short_url'], find: whole},
    },
    read,
    create: (caller, {url, customUrl, baseDomain, ...settings}, idempotencyKey) =>
      call(
        'create',
        caller,
        {url, custom_url: customUrl, base_domain: baseDomain, ...toParameters(settings)},
        {headers: idempotencyKey === undefined ? {} : {'Idempotency-Key': idempotencyKey}},
      ),
    update: (caller, shortUrl, {url, ...settings}) =>
      call('update', caller, {short_url: shortUrl, url, ...toParameters(settings)}),
    async updateMany(caller, many) {
      const changes = many.map(({shortUrl, changes: {url, status, ...settings}}) => ({
        ...{short_url: shortUrl, url, status},
        ...toParameters(settings),
      }));
      const outcome = await call('update_many', caller, {changes}, {isPost: true});
      if ('error' in outcome) return outcome;
      const results = outcome.value['results'] as Array<{link?: Fields; error?: string}>;
      return {value: results.map(({link, error = ''}) => (link === undefined ? {error} : {value: link}))};
    },
    discard: (caller, shortUrl) => call('remove', caller, {short_url: shortUrl}),
    change: (operation, caller, shortUrl) => call(operation, caller, {short_url: shortUrl}),
    list: (caller, limit) => pages('list_active_urls', caller, {}, limit),
    find: (caller, filter, limit) => pages('list_urls', caller, {...filter}, limit),
    makeKey: (caller, key) => call('create_key', caller, {...key}, {isPost: true}),
    async listKeys(caller) {
      const outcome = await call('keys', caller, {}, {isPost: true});
      return 'error' in outcome ? outcome : {value: outcome.value['keys'] as Fields[]};
    },
    revokeKey: (caller, id) => call('revoke_key', caller, {id}, {isPost: true}),
  };

  async function pages(
    operation: string,
    caller: Caller,
    conditions: Fields,
    limit: number | undefined,
  ): Promise<Outcome<Fields[]>> {
    const urls: Fields[] = [];
    let cursor: string | undefined;
    do {
      const page = await call(operation, caller, {...conditions, limit, cursor});
      if ('error' in page) return page;
      const found = page.value['urls'] as Fields[];
      cursor = page.value['next_cursor'] as string | undefined;
      if (limit !== undefined && (found.length > limit || (cursor !== undefined && found.length < limit))) {
        throw new Error(`A page of ${limit} holds ${found.length}`);
      }
      urls.push(...found);
    } while (cursor !== undefined);
    return {value: urls};
  }
}

function toParameters(settings: Settings): Fields {
  const {expiryDate, maxVisits, startDate, expiredUrl, forwardQuery, ...others} = settings;
  return {
    ...others,
    ...{expiry_date: expiryDate, max_visits: maxVisits, start_date: startDate},
    ...{expired_url: expiredUrl, forward_query: forwardQuery},
  };
}

/** The values of a path, which names in `clear` what a JSON object sets to null. */
function inPath(parameters: Fields): Record<string, string> {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== null);
  const cleared = Object.entries(parameters).flatMap(([name, value]) => (value === null ? [name] : []));
  const texts = given.map(([name, value]) => [name, name === 'rules' ? JSON.stringify(value) : String(value)]);
  return {
    ...(Object.fromEntries(texts) as Record<string, string>),
    ...(cleared.length > 0 && {clear: cleared.join()}),
  };
}

function programmatic({shortener: {links, keys}}: Site): Door {
  return {
    hasIdempotency: true,
    fields: {
      ...{create: withBlocks, update: withBlocks, disable: withBlocks, enable: withBlocks},
      ...{info: withBlocks, list: ['short_url'], find: withBlocks},
    },
    read: (value) => value,
    create: ({account}, input, idempotencyKey) =>
      outcomeOf(async () => toWire(await links.create(account, input, {idempotencyKey}))),
    update: ({account}, shortUrl, changes) =>
      outcomeOf(async () => toWire(await links.update(account, shortUrl, changes))),
    updateMany: ({account}, many) =>
      outcomeOf(async () => {
        const results: Array<Outcome<Fields>> = [];
        for await (const {link, error} of links.updateMany(account, many)) {
          results.push(error === undefined ? {value: toWire(link)} : {error: error.code});
        }
        return results;
      }),
    discard: ({account}, shortUrl) => outcomeOf(async () => toWire(await links.remove(account, shortUrl))),
    find: ({account}, filter, limit) =>
      outcomeOf(async () => {
        const found: Fields[] = [];
        let cursor: string | undefined;
        do {
          const page = await links.page(account, {...filter, limit, cursor});
          found.push(...page.links.map(toWire));
          cursor = page.nextCursor;
        } while (cursor !== undefined);
        return found;
      }),
    change: (operation, {account}, shortUrl) =>
      outcomeOf(async () => toWire(await links[operation](account, shortUrl))),
    list: ({account}) =>
      outcomeOf(async () => {
        const urls: Fields[] = [];
        for await (const {shortUrl} of links.listActive(account)) urls.push({short_url: shortUrl});
        return urls;
      }),
    makeKey: ({account}, key) => outcomeOf(async () => toWire(await keys.create(account, key))),
    listKeys: ({account}) => outcomeOf(async () => (await keys.list(account)).map(toWire)),
    revokeKey: ({account}, id) =>
      outcomeOf(async () => {
        await keys.revoke(account, id);
        return {id, status: 'revoked'};
      }),
  };
}

/** The outcome of a call of the programmatic interface. An error other than a `ShortUrlError` is thrown. */
export async function outcomeOf<Value>(ask: () => Promise<Value>): Promise<Outcome<Value>> {
  try {
    return {value: await ask()};
  } catch (error) {
    if (error instanceof ShortUrlError) return {error: error.code};
    throw error;
  }
}

/** Renames the fields of the programmatic interface to those of the HTTP API. */
export function toWire(given: object): Fields {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );
}
