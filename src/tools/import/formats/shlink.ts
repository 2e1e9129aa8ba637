import {ToolError} from '../../tool-error.ts';
import {Columns, readRows} from './csv-rows.ts';
import type {FormatSettings} from './format.ts';
import {isObject, type JsonRecord, readRecords, readStrings} from './json-records.ts';
import {readMoment} from './moments.ts';
import {type Note, readLine, type SourceLine} from './source-link.ts';
import {peek} from './texts.ts';
import {readCount, readShortUrl, readText, required} from './values.ts';

const columns = {
  created: ['createdat', 'datecreated'],
  domain: ['domain'],
  shortPart: ['shortcode'],
  shortUrl: ['shorturl'],
  url: ['longurl'],
  title: ['title'],
  tags: ['tags'],
  visits: ['visits'],
} as const;

/** Links of Shlink: the CSV of its web client, or the JSON of its API. */
export async function* readShlink(
  content: AsyncGenerator<string>,
  settings: FormatSettings,
): AsyncGenerator<SourceLine> {
  const {start, texts} = await peek(content, 1);
  yield* /^\s*[[{]/.test(start) ? readAnswers(texts, settings) : readTable(texts, settings);
}

async function* readTable(texts: AsyncGenerator<string>, {zone, pathOf}: FormatSettings): AsyncGenerator<SourceLine> {
  let found: Columns<keyof typeof columns> | undefined;
  for await (const row of readRows(texts)) {
    if (found === undefined) {
      found = new Columns(row.cells, columns);
      if (found.has('shortPart') && found.has('url')) continue;
      throw new ToolError('malformed_file', 'The first line must name the columns shortCode and longUrl');
    }
    const cells = found;
    const cell = (field: keyof typeof columns): string | undefined => readText(cells.get(row, field));
    const short = readShortUrl(cell('shortUrl'));
    // If Shlink was installed under a path, the web client writes the path before each shortCode.
    const isUnderPath = short !== undefined && short.path !== '' && short.path === pathOf(short.domain);
    const shortPart = isUnderPath ? short.shortPart : cell('shortPart');
    yield readLine(row.line, shortPart, () => {
      cells.check(row);
      return {
        line: row.line,
        shortPart: required(shortPart, 'shortCode'),
        url: required(cell('url'), 'longUrl'),
        domain: cell('domain') ?? short?.domain,
        title: cell('title'),
        tags: (cell('tags') ?? '').split('|').filter(Boolean),
        created: readMoment(cell('created'), 'creation date', zone),
        visits: readCount(cell('visits'), 'number of visits'),
      };
    });
  }
  if (found === undefined) throw new ToolError('malformed_file', 'The file is empty');
}

async function* readAnswers(texts: AsyncGenerator<string>, settings: FormatSettings): AsyncGenerator<SourceLine> {
  for await (const record of readRecords(texts, 'shortUrls.data')) yield toLine(record, settings);
}

function toLine({number, fields}: JsonRecord, {zone, now}: FormatSettings): SourceLine {
  const meta = isObject(fields['meta']) ? fields['meta'] : {};
  const summary = isObject(fields['visitsSummary']) ? fields['visitsSummary'] : {};
  const shortPart = readText(fields['shortCode']);
  return readLine(number, shortPart, () => {
    const begin = readMoment(meta['validSince'], 'beginning of its validity', zone) ?? 0;
    const notes: Note[] = [];
    if (begin > now) {
      const message = 'The link was not valid yet, so it is disabled: enable it when its time has come.';
      notes.push({code: 'not_valid_yet', message});
    }
    // Shlink 3.5 to 3.7 had a long URL for each kind of device instead of rules.
    const ofDevices = isObject(fields['deviceLongUrls']) ? Object.values(fields['deviceLongUrls']) : [];
    if (fields['hasRedirectRules'] === true || ofDevices.some((url) => readText(url) !== undefined)) {
      const message = 'The rules for redirects are left out: every visitor goes to the long URL.';
      notes.push({code: 'rules_dropped', message});
    }
    return {
      line: number,
      shortPart: required(shortPart, 'shortCode'),
      url: required(readText(fields['longUrl']), 'longUrl'),
      domain: readText(fields['domain']) ?? readShortUrl(fields['shortUrl'])?.domain,
      title: readText(fields['title']),
      tags: readStrings(fields['tags']),
      created: readMoment(fields['dateCreated'], 'creation date', zone),
      end: readMoment(meta['validUntil'], 'end of its validity', zone),
      // Older versions have the number in another field.
      visits: readCount(summary['total'] ?? fields['visitsCount'], 'number of visits'),
      maxVisits: readCount(meta['maxVisits'], 'limit of visits') || undefined,
      isDisabled: begin > now,
      notes,
    };
  });
}
