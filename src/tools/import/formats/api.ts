import {fields as linkFields, shownNames} from '../../../link/fields.ts';
import {ToolError} from '../../tool-error.ts';
import {readStatus} from './csv.ts';
import type {FormatSettings} from './format.ts';
import {isObject, tellIgnored} from './json-records.ts';
import {readLastMoment, readMoment} from './moments.ts';
import {type Fields, itemsOf} from './remote-answer.ts';
import {readProtection} from './protection.ts';
import {RemoteRefusal, RemoteSite, type RemoteSiteOptions} from './remote-site.ts';
import {carriedFrom, readLine, type SourceLine} from './source-link.ts';
import {readCount, readShortUrl, readText, required} from './values.ts';

/** Links per page, and links whose details are requested at once. */
const pageSize = 500;
const atOnce = 4;

type ApiSettings = Pick<FormatSettings, 'zone' | 'onIgnored'>;

/** What a link of the API has besides its fields. The number of a link is of that site, and `date_time` is now. */
const members = [
  ...['url_id', 'date_time', 'short_url', 'short_url_part', 'original_url', 'date_created', 'last_accessed'],
  ...['total_visits', 'expiry_date', 'status'],
  ...shownNames.map((name) => linkFields[name].parameter),
];

/**
 * Reads the links of an account on another site with this API. A site with the operation `list_urls` returns all links.
 * Other sites list only active links, and their details are requested one by one.
 *
 * @throws ToolError `source_refused` or `source_unavailable`
 */
export async function* readSite(options: RemoteSiteOptions, settings: ApiSettings): AsyncGenerator<SourceLine> {
  const remote = new RemoteSite(options);
  try {
    const first = await firstPage(remote);
    yield* first === undefined ? readActive(remote, settings) : readAll(remote, first, settings);
  } catch (error) {
    if (!(error instanceof RemoteRefusal)) throw error;
    const isKey = error.status === 401 || error.status === 403;
    const message = isKey ? 'The other site refused the API key' : error.message;
    throw new ToolError('source_refused', message);
  }
}

async function firstPage(remote: RemoteSite): Promise<Fields | undefined> {
  try {
    const page = await remote.ask(`list_urls/order/oldest/limit/${pageSize}`);
    return itemsOf(page['urls'], 'url') === undefined ? undefined : page;
  } catch (error) {
    // The site has only the six operations.
    if (error instanceof RemoteRefusal) return undefined;
    throw error;
  }
}

async function* readAll(remote: RemoteSite, first: Fields, settings: ApiSettings): AsyncGenerator<SourceLine> {
  let number = 0;
  const cursors = new Set<string>();
  for (let page = first; ;) {
    for (const item of itemsOf(page['urls'], 'url') ?? []) {
      number += 1;
      yield toLine(number, isObject(item) ? item : {}, settings);
    }
    const cursor = readText(page['next_cursor']);
    if (cursor === undefined) return;
    if (cursors.has(cursor)) {
      throw new ToolError(
        'source_unavailable',
        'The other site returned the same `next_cursor` twice, so its list never ends',
      );
    }
    cursors.add(cursor);
    page = await remote.ask(`list_urls/order/oldest/limit/${pageSize}/cursor/${encodeURIComponent(cursor)}`);
  }
}

async function* readActive(remote: RemoteSite, settings: ApiSettings): AsyncGenerator<SourceLine> {
  const list = await remote.ask('list_active_urls');
  const items = itemsOf(list['urls'], 'url');
  if (items === undefined)
    throw new ToolError('source_unavailable', 'The answer of the other site has no list of links');
  for (let start = 0; start < items.length; start += atOnce) {
    const some = items.slice(start, start + atOnce);
    yield* await Promise.all(some.map((item, index) => readInfo(remote, start + index + 1, item, settings)));
  }
}

async function readInfo(remote: RemoteSite, number: number, item: unknown, settings: ApiSettings): Promise<SourceLine> {
  const shortUrl = readText(isObject(item) ? item['short_url'] : item);
  const shortPart = readShortUrl(shortUrl)?.shortPart;
  if (shortUrl === undefined) return toLine(number, {}, settings);
  try {
    const encoded = Buffer.from(shortUrl).toString('base64url');
    return toLine(number, await remote.ask(`info/short_url/${encoded}`), settings);
  } catch (error) {
    if (!(error instanceof RemoteRefusal) || error.status === 401) throw error;
    const message = `The other site lists the link but returns no details (${error.status}).`;
    return {line: number, shortPart, code: 'unknown_short_url', message};
  }
}

function toLine(number: number, fields: Fields, {zone, onIgnored}: ApiSettings): SourceLine {
  tellIgnored(fields, members, onIgnored);
  const short = readShortUrl(fields['short_url']);
  const shortPart = readText(fields['short_url_part']) ?? short?.shortPart;
  return readLine(number, shortPart, () => {
    const end = readLastMoment(fields['expiry_date'], zone);
    const maxVisits = readCount(fields['max_visits'], 'visit limit') || undefined;
    const protection = readProtection(Object.entries(fields));
    const status = readStatus(readText(fields['status']));
    return {
      line: number,
      shortPart: required(shortPart, 'short part'),
      url: required(readText(fields['original_url']), 'long URL'),
      domain: short?.domain,
      title: readText(fields['title']),
      tags: (itemsOf(fields['tags'], 'tag') ?? []).flatMap((tag) => readText(tag) ?? []),
      created: readMoment(fields['date_created'], 'creation date', zone),
      end,
      visits: readCount(fields['total_visits'], 'number of visits'),
      lastVisit: readMoment(fields['last_accessed'], 'date of the last visit', zone),
      maxVisits,
      start: readMoment(fields['start_date'], 'first day', zone),
      carried: carriedFrom((name, parameter) =>
        name === 'rules' ? rulesOf(fields[parameter]) : (readText(fields[parameter]) ?? fields[parameter]),
      ),
      ...protection,
      isDisabled:
        protection.isDisabled ||
        status === 'disabled' ||
        (status === 'expired' && end === undefined && maxVisits === undefined),
    };
  });
}

function rulesOf(value: unknown): unknown {
  const rules = itemsOf(value, 'rule');
  return rules === undefined || rules.length === 0 ? undefined : rules;
}
