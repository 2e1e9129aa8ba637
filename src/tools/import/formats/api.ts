import {ToolError} from '../../tool-error.ts';
import {isMembers} from '../../../values/objects.ts';
import type {Fields} from './json-records.ts';
import {itemsOf} from './remote-answer.ts';
import {RemoteRefusal, RemoteSite, type RemoteSiteOptions} from './remote-site.ts';
import {type RowForm, rowOf, RowReader, type RowSettings} from '../../../tables/rows.ts';
import {type SourceLine, toSource} from '../../../tables/source-link.ts';
import {readShortUrl, readText} from '../../../tables/cells.ts';

/** Links per page, and links whose details are requested at once. */
const pageSize = 500;
const atOnce = 4;

/**
 * Reads the links of an account on another site with this API. A site with the operation `list_urls` returns all links.
 * Other sites list only active links, and their details are requested one by one.
 *
 * @throws ToolError `source_refused` or `source_unavailable`
 */
export async function* readSite(options: RemoteSiteOptions, settings: RowSettings): AsyncGenerator<SourceLine> {
  const remote = new RemoteSite(options);
  const reader = new RowReader(form, settings);
  try {
    const first = await firstPage(remote);
    yield* first === undefined ? readActive(remote, reader) : readAll(remote, first, reader);
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

async function* readAll(remote: RemoteSite, first: Fields, reader: RowReader): AsyncGenerator<SourceLine> {
  let number = 0;
  const cursors = new Set<string>();
  for (let page = first; ;) {
    for (const item of itemsOf(page['urls'], 'url') ?? []) {
      number += 1;
      yield* toLines(number, isMembers(item) ? item : {}, reader);
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

async function* readActive(remote: RemoteSite, reader: RowReader): AsyncGenerator<SourceLine> {
  const list = await remote.ask('list_active_urls');
  const items = itemsOf(list['urls'], 'url');
  if (items === undefined)
    throw new ToolError('source_unavailable', 'The answer of the other site has no list of links');
  for (let start = 0; start < items.length; start += atOnce) {
    const some = items.slice(start, start + atOnce);
    const lines = await Promise.all(some.map((item, index) => readInfo(remote, start + index + 1, item, reader)));
    yield* lines.flat();
  }
}

async function readInfo(remote: RemoteSite, number: number, item: unknown, reader: RowReader): Promise<SourceLine[]> {
  const shortUrl = readText(isMembers(item) ? item['short_url'] : item);
  const shortPart = readShortUrl(shortUrl)?.shortPart;
  if (shortUrl === undefined) return toLines(number, {}, reader);
  try {
    const encoded = Buffer.from(shortUrl).toString('base64url');
    return toLines(number, await remote.ask(`info/short_url/${encoded}`), reader);
  } catch (error) {
    if (!(error instanceof RemoteRefusal) || error.status === 401) throw error;
    const message = `The other site lists the link but returns no details (${error.status}).`;
    return [{line: number, shortPart, code: 'unknown_short_url', message}];
  }
}

/** How the API of this package writes a link. */
const form: RowForm = {silent: ['urlid', 'datetime']};

function toLines(number: number, fields: Fields, reader: RowReader): SourceLine[] {
  const tags = itemsOf(fields['tags'], 'tag') ?? [];
  return reader.lines(rowOf(number, {...fields, tags, rules: rulesOf(fields['rules'])})).map(toSource);
}

function rulesOf(value: unknown): unknown {
  const rules = itemsOf(value, 'rule');
  return rules === undefined || rules.length === 0 ? undefined : rules;
}
