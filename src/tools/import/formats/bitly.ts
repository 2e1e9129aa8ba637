import {ToolError} from '../../tool-error.ts';
import {Columns, readRows, type Row} from './csv-rows.ts';
import {readTags} from './csv.ts';
import type {FormatSettings} from './format.ts';
import {type JsonRecord, readRecords, readStrings, tellIgnored} from './json-records.ts';
import {readMoment} from './moments.ts';
import {readProtection} from './protection.ts';
import {readLine, type SourceLine, type SourceLink, UnreadableValue} from './source-link.ts';
import {peek} from './texts.ts';
import {readCount, readShortUrl, readText, required} from './values.ts';

/** Bitly does not document the names of its columns, and has changed them. */
const columns = {
  link: ['link', 'bitlink', 'shortlink', 'shorturl', 'id'],
  custom: ['customlink', 'custombitlink', 'custombitlinks', 'customlinks', 'custombackhalf'],
  url: ['destinationurl', 'destination', 'longurl', 'longlink', 'originalurl', 'url'],
  title: ['title', 'linktitle', 'name'],
  tags: ['tags', 'tag'],
  created: ['datecreated', 'created', 'createdat', 'createddate', 'creationdate', 'date'],
  visits: ['totalengagements', 'engagements', 'totalclicks', 'clicks', 'linkclicks'],
  expiry: ['expirationat', 'expirationdate', 'expiration'],
} as const;

type Field = keyof typeof columns;

/** Links of Bitly: its CSV, or the JSON of its API. A link with custom back-halves becomes a link for each of them. */
export async function* readBitly(
  content: AsyncGenerator<string>,
  settings: FormatSettings,
): AsyncGenerator<SourceLine> {
  const {start, texts} = await peek(content, 1);
  yield* /^\s*[[{]/.test(start) ? readAnswers(texts, settings) : readTable(texts, settings);
}

async function* readTable(texts: AsyncGenerator<string>, settings: FormatSettings): AsyncGenerator<SourceLine> {
  let found: Columns<Field> | undefined;
  for await (const row of readRows(texts)) {
    if (found === undefined) {
      found = new Columns<Field>(row.cells, columns, settings.onIgnored);
      if ((found.has('link') || found.has('custom')) && found.has('url')) continue;
      throw new ToolError('malformed_file', 'The first line must name the columns Link and Destination URL');
    }
    yield* rowLines(row, found, settings);
  }
  if (found === undefined) throw new ToolError('malformed_file', 'The file is empty');
}

function rowLines(row: Row, cells: Columns<Field>, {zone}: FormatSettings): SourceLine[] {
  const cell = (field: Field): string | undefined => readText(cells.get(row, field));
  return linesOf(row.line, [cell('link'), ...(cell('custom') ?? '').split(/[\s,;|]+/)], () => {
    cells.check(row);
    return {
      url: required(cell('url'), 'destination URL'),
      title: cell('title'),
      tags: readTags(cell('tags')),
      created: readMoment(cell('created'), 'creation date', zone),
      end: readMoment(cell('expiry'), 'expiry date', zone, 'its end'),
      visits: readCount(cell('visits'), 'number of engagements'),
      ...cells.protection(row),
    };
  });
}

/** What a link of the API has besides what is imported, and what says nothing about it. */
const members = [
  ...['link', 'id', 'custom_bitlinks', 'long_url', 'title', 'tags', 'created_at', 'expiration_at', 'total_clicks'],
  ...['clicks', 'is_deleted', 'archived', 'references', 'created_by', 'client_id', 'qr_code_ids', 'launchpad_ids'],
];

async function* readAnswers(
  texts: AsyncGenerator<string>,
  {zone, onIgnored}: FormatSettings,
): AsyncGenerator<SourceLine> {
  for await (const {number, fields} of readRecords(texts, 'links')) {
    tellIgnored(fields, members, onIgnored);
    yield* recordLines(number, fields, zone);
  }
}

function recordLines(number: number, fields: JsonRecord['fields'], zone: FormatSettings['zone']): SourceLine[] {
  const links = [readText(fields['link']) ?? readText(fields['id']), ...readStrings(fields['custom_bitlinks'])];
  return linesOf(number, links, () => {
    if (fields['is_deleted'] === true) throw new UnreadableValue('not_a_link', 'The link was deleted at Bitly.');
    return {
      url: required(readText(fields['long_url']), 'long_url'),
      title: readText(fields['title']),
      tags: readStrings(fields['tags']),
      created: readMoment(fields['created_at'], 'creation date', zone),
      end: readMoment(fields['expiration_at'], 'expiry date', zone),
      // Scripts add the visits, which the API returns elsewhere.
      visits: readCount(fields['total_clicks'] ?? fields['clicks'], 'number of clicks'),
      ...readProtection(Object.entries(fields)),
    };
  });
}

/** One link for each short URL. Bitly has one count for all of them, which the first link gets. */
function linesOf(
  line: number,
  shortUrls: ReadonlyArray<string | undefined>,
  read: () => Omit<SourceLink, 'line' | 'shortPart' | 'domain'>,
): SourceLine[] {
  const shorts = shortUrls.flatMap((shortUrl) => readShortUrl(shortUrl) ?? []);
  const distinct = shorts.filter(
    ({domain, shortPart}, place) =>
      shorts.findIndex((other) => other.shortPart === shortPart && other.domain === domain) === place,
  );
  if (distinct.length === 0) {
    return [readLine(line, undefined, () => ({...read(), line, shortPart: required(undefined, 'short URL')}))];
  }
  return distinct.map(({domain, shortPart}, place) =>
    readLine(line, shortPart, () => {
      const fields = read();
      return {...fields, line, shortPart, domain, visits: place === 0 ? fields.visits : 0};
    }),
  );
}
