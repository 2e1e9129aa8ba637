import {type Link, type LinkFilter, type RemovedLink, ShortUrlError} from '../../../src/index.ts';
import type {Site} from '../../support/site.ts';
import {asXmlReads} from '../../support/xml.ts';
import type {Way} from './actions.ts';
import type {Changes, NewLink, Outcome, Settings} from './model.ts';

type Fields = Record<string, unknown>;

export interface Caller {
  readonly account: string;
  /** The API key. The programmatic interface uses the account instead. */
  readonly key: string;
}

/** An interface of the service: the HTTP API in one of its formats, or the programmatic interface. */
export interface Door {
  /** The fields of a link in the answers of these operations. */
  readonly fields: Readonly<Record<'create' | 'update' | 'disable' | 'enable' | 'info' | 'list', readonly string[]>>;
  /** The value in this interface's form: in XML everything is text. */
  read(value: unknown): unknown;
  create(caller: Caller, input: NewLink): Promise<Outcome<Fields>>;
  update(caller: Caller, shortUrl: string, changes: Changes): Promise<Outcome<Fields>>;
  change(operation: 'disable' | 'enable' | 'info', caller: Caller, shortUrl: string): Promise<Outcome<Fields>>;
  discard(caller: Caller, shortUrl: string): Promise<Outcome<Fields>>;
  /** The whole list, or the active links in it; read in pages if there is a limit. */
  list(caller: Caller, limit: number | undefined): Promise<Outcome<Fields[]>>;
  /** Full records that meet the conditions; read in pages if there is a limit. */
  find(caller: Caller, filter: LinkFilter, limit: number | undefined): Promise<Outcome<Fields[]>>;
}

const created = ['url_id', 'short_url', 'short_url_part', 'original_url'];
const tally = ['date_created', 'last_accessed', 'total_visits', 'has_password', 'expiry_date', 'status'];
const info = [...created, ...tally];
const whole = [...info, 'title', 'tags', 'max_visits', 'start_date', 'expired_url', 'forward_query', 'rules'];

export function doorOf(site: Site, {door}: Way): Door {
  return door === 'program' ? programmatic(site) : http(site, door);
}

function http(site: Site, format: 'json' | 'xml'): Door {
  const changed = ['url_id', 'status', 'short_url'];
  const read = (value: unknown): unknown => (format === 'xml' ? asXmlReads(value) : value);

  async function call(
    operation: string,
    {key}: Caller,
    parameters: Record<string, string | undefined>,
  ): Promise<Outcome<Fields>> {
    const given = Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== undefined);
    const keyIn = format === 'json' ? 'header' : 'path';
    const reply = await site.api(operation, Object.fromEntries(given), {key, keyIn, suffix: `.${format}`});
    const {code, data} = reply.envelope;
    if (Number(code) !== reply.status) throw new Error(`${operation}: the status is not the code`);
    if (reply.status !== 200) return {error: String(data['error'])};
    const value = Object.fromEntries(Object.entries(data).filter(([name]) => name !== 'date_time'));
    return {value};
  }

  return {
    fields: {create: created, update: whole, disable: changed, enable: changed, info, list: ['short_url']},
    read,
    create: (caller, {url, customUrl, baseDomain, ...settings}) =>
      call('create', caller, {url, custom_url: customUrl, base_domain: baseDomain, ...toParameters(settings)}),
    update: (caller, shortUrl, {url, ...settings}) =>
      call('update', caller, {short_url: shortUrl, url, ...toParameters(settings)}),
    discard: (caller, shortUrl) => call('remove', caller, {short_url: shortUrl}),
    change: (operation, caller, shortUrl) => call(operation, caller, {short_url: shortUrl}),
    list: (caller, limit) => pages('list_active_urls', caller, {}, limit),
    find: (caller, filter, limit) => pages('list_urls', caller, {...filter}, limit),
  };

  async function pages(
    operation: string,
    caller: Caller,
    conditions: Record<string, string | undefined>,
    limit: number | undefined,
  ): Promise<Outcome<Fields[]>> {
    const urls: Fields[] = [];
    let cursor: string | undefined;
    do {
      const page = await call(operation, caller, {...conditions, limit: limit?.toString(), cursor});
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

function toParameters(settings: Settings): Record<string, string | undefined> {
  const {password, expiryDate, title, tags, maxVisits, startDate, expiredUrl, forwardQuery, rules} = settings;
  const named = {
    ...{password, expiry_date: expiryDate, title, tags, max_visits: maxVisits},
    ...{start_date: startDate, expired_url: expiredUrl, forward_query: forwardQuery, rules},
  };
  const cleared = Object.entries(named).flatMap(([name, value]) => (value === null ? [name] : []));
  return {
    password: password ?? undefined,
    expiry_date: expiryDate ?? undefined,
    title: title ?? undefined,
    tags: tags?.join(),
    max_visits: maxVisits?.toString(),
    start_date: startDate ?? undefined,
    expired_url: expiredUrl ?? undefined,
    forward_query: forwardQuery?.toString(),
    rules: rules ? JSON.stringify(rules) : undefined,
    clear: cleared.length === 0 ? undefined : cleared.join(),
  };
}

function programmatic({shortener: {links}}: Site): Door {
  return {
    fields: {create: whole, update: whole, disable: whole, enable: whole, info: whole, list: ['short_url']},
    read: (value) => value,
    create: ({account}, input) => outcomeOf(async () => toWire(await links.create(account, input))),
    update: ({account}, shortUrl, changes) =>
      outcomeOf(async () => toWire(await links.update(account, shortUrl, changes))),
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
export function toWire(link: Partial<Link> | RemovedLink): Fields {
  return Object.fromEntries(
    Object.entries(link).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );
}
