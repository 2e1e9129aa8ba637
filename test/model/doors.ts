import {ShortUrlError, type Link} from '../../src/index.ts';
import type {Site} from '../support/site.ts';
import {asXmlReads} from '../support/xml.ts';
import type {Way} from './actions.ts';
import type {NewLink, Outcome} from './model.ts';

type Fields = Record<string, unknown>;

export interface Caller {
  readonly account: string;
  /** The key to call with; the programmatic interface goes by the account. */
  readonly key: string;
}

/** A way to the service: the HTTP API in one of its formats, or the programmatic interface. */
export interface Door {
  /** What of a link the answers to these operations say. */
  readonly fields: Readonly<Record<'create' | 'disable' | 'enable' | 'info' | 'list', readonly string[]>>;
  /** How a value reads here: in XML everything is text. */
  read(value: unknown): unknown;
  create(caller: Caller, input: NewLink): Promise<Outcome<Fields>>;
  change(operation: 'disable' | 'enable' | 'info', caller: Caller, shortUrl: string): Promise<Outcome<Fields>>;
  /** The whole list, and only what is active; read in pages if there is a limit. */
  list(caller: Caller, limit: number | undefined): Promise<Outcome<Fields[]>>;
}

const created = ['url_id', 'short_url', 'short_url_part', 'original_url'];
const tally = ['date_created', 'last_accessed', 'total_visits', 'has_password', 'expiry_date', 'status'];
const whole = [...created, ...tally];

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
    const reply = await site.api(operation, Object.fromEntries(given), {key, suffix: `.${format}`});
    const {code, data} = reply.envelope;
    if (Number(code) !== reply.status) throw new Error(`${operation}: the status is not the code`);
    if (reply.status !== 200) return {error: String(data['error'])};
    const value = Object.fromEntries(Object.entries(data).filter(([name]) => name !== 'date_time'));
    return {value};
  }

  return {
    fields: {create: created, disable: changed, enable: changed, info: whole, list: ['short_url']},
    read,
    create: (caller, {url, customUrl, password, expiryDate, baseDomain}) =>
      call('create', caller, {
        url,
        custom_url: customUrl,
        password,
        expiry_date: expiryDate,
        base_domain: baseDomain,
      }),
    change: (operation, caller, shortUrl) => call(operation, caller, {short_url: shortUrl}),
    async list(caller, limit) {
      const urls: Fields[] = [];
      let cursor: string | undefined;
      do {
        const page = await call('list_active_urls', caller, {limit: limit?.toString(), cursor});
        if ('error' in page) return page;
        const found = page.value['urls'] as Fields[];
        cursor = page.value['next_cursor'] as string | undefined;
        if (limit !== undefined && (found.length > limit || (cursor !== undefined && found.length < limit))) {
          throw new Error(`A page of ${limit} holds ${found.length}`);
        }
        urls.push(...found);
      } while (cursor !== undefined);
      return {value: urls};
    },
  };
}

function programmatic({shortener: {links}}: Site): Door {
  return {
    fields: {create: whole, disable: whole, enable: whole, info: whole, list: ['short_url']},
    read: (value) => value,
    create: ({account}, input) => outcomeOf(async () => toWire(await links.create(account, input))),
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

/** What a promise of the programmatic interface comes to. Whatever is no `ShortUrlError` is nobody's outcome. */
export async function outcomeOf<Value>(ask: () => Promise<Value>): Promise<Outcome<Value>> {
  try {
    return {value: await ask()};
  } catch (error) {
    if (error instanceof ShortUrlError) return {error: error.code};
    throw error;
  }
}

/** The names of the programmatic interface, as the HTTP API writes them. */
export function toWire(link: Link): Fields {
  return Object.fromEntries(
    Object.entries(link).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );
}
