import type {Rule} from '../../../link/link.ts';
import {ToolError} from '../../tool-error.ts';
import {Columns, readRows} from './csv-rows.ts';
import type {FormatSettings} from './format.ts';
import {isObject, type JsonRecord, readRecords, readStrings, tellIgnored} from './json-records.ts';
import {readMoment} from './moments.ts';
import {readProtection} from './protection.ts';
import {type Note, readLine, type SourceLine} from './source-link.ts';
import {peek} from './texts.ts';
import {readCount, readShortUrl, readText, required} from './values.ts';

/** The maximum number of rules of a link. */
const maxRules = 10;

const columns = {
  created: ['createdat', 'datecreated'],
  domain: ['domain'],
  shortPart: ['shortcode'],
  shortUrl: ['shorturl'],
  url: ['longurl'],
  title: ['title'],
  tags: ['tags'],
  visits: ['visits', 'visitscount', 'visitcount'],
  maxVisits: ['maxvisits'],
  start: ['validsince'],
  end: ['validuntil'],
} as const;

/** Links of Shlink: the CSV of its web client, or the JSON of its API. */
export async function* readShlink(
  content: AsyncGenerator<string>,
  settings: FormatSettings,
): AsyncGenerator<SourceLine> {
  const {start, texts} = await peek(content, 1);
  yield* /^\s*[[{]/.test(start) ? readAnswers(texts, settings) : readTable(texts, settings);
}

async function* readTable(
  texts: AsyncGenerator<string>,
  {zone, pathOf, onIgnored}: FormatSettings,
): AsyncGenerator<SourceLine> {
  let found: Columns<keyof typeof columns> | undefined;
  for await (const row of readRows(texts)) {
    if (found === undefined) {
      found = new Columns<keyof typeof columns>(row.cells, columns, onIgnored);
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
        maxVisits: readCount(cell('maxVisits'), 'visit limit') || undefined,
        start: readMoment(cell('start'), 'beginning of its validity', zone),
        end: readMoment(cell('end'), 'end of its validity', zone),
        ...cells.protection(row),
      };
    });
  }
  if (found === undefined) throw new ToolError('malformed_file', 'The file is empty');
}

async function* readAnswers(texts: AsyncGenerator<string>, settings: FormatSettings): AsyncGenerator<SourceLine> {
  for await (const record of readRecords(texts, 'shortUrls.data')) {
    const {meta} = record.fields;
    tellIgnored(record.fields, members, settings.onIgnored);
    if (isObject(meta)) tellIgnored(meta, ['validSince', 'validUntil', 'maxVisits'], settings.onIgnored);
    yield toLine(record, settings);
  }
}

/** What a link of the API has. `crawlable` and the summaries say nothing that this site keeps. */
const members = [
  ...['shortCode', 'shortUrl', 'longUrl', 'domain', 'title', 'tags', 'dateCreated', 'meta', 'visitsSummary'],
  ...['visitsCount', 'deviceLongUrls', 'redirectRules', 'hasRedirectRules', 'forwardQuery', 'crawlable'],
];

const devices: Readonly<Record<string, Rule['device']>> = {ios: 'ios', android: 'android', desktop: 'desktop'};

/**
 * The rules of a link that this site supports, in their order. The API lists them by `redirectRules` if they were added
 * to the file. Shlink 3.5 to 3.7 had a long URL for each kind of device instead.
 */
function readRules(fields: JsonRecord['fields'], notes: Note[]): Rule[] {
  const ofDevices = isObject(fields['deviceLongUrls']) ? Object.entries(fields['deviceLongUrls']) : [];
  const listed = Array.isArray(fields['redirectRules']) ? (fields['redirectRules'] as unknown[]) : [];
  const rules = [
    ...ofDevices.flatMap(([device, url]): Array<Rule | undefined> => {
      const long = readText(url);
      return long === undefined ? [] : [{device: devices[device], url: long}];
    }),
    ...listed.map(toRule),
  ];
  const fitting = rules.filter((rule) => rule !== undefined).slice(0, maxRules);
  const isMissing = fields['hasRedirectRules'] === true && listed.length === 0;
  if (isMissing || fitting.length < rules.length) {
    const message =
      'Some redirect rules are not supported. Their visitors go to the destination of another rule or to the long URL.';
    notes.push({code: 'rules_dropped', message});
  }
  return fitting;
}

/** A rule whose conditions are all supported. Without one of them it would match more visitors. */
function toRule(value: unknown): Rule | undefined {
  if (!isObject(value) || !Array.isArray(value['conditions'])) return undefined;
  const url = readText(value['longUrl']);
  const conditions = (value['conditions'] as unknown[]).map(toCondition);
  if (url === undefined || conditions.length === 0) return undefined;
  const rule: Record<string, string> = {};
  for (const condition of conditions) {
    if (condition === undefined || condition[0] in rule) return undefined;
    rule[condition[0]] = condition[1];
  }
  return {...rule, url};
}

function toCondition(value: unknown): readonly [name: string, value: string] | undefined {
  if (!isObject(value)) return undefined;
  const match = readText(value['matchValue']);
  if (match === undefined) return undefined;
  switch (value['type']) {
    case 'device':
      return devices[match] && ['device', match];
    case 'language':
      return ['language', match];
    case 'geolocation-country-code':
      return ['country', match];
    default:
      return undefined;
  }
}

function toLine({number, fields}: JsonRecord, {zone}: FormatSettings): SourceLine {
  const meta = isObject(fields['meta']) ? fields['meta'] : {};
  const summary = isObject(fields['visitsSummary']) ? fields['visitsSummary'] : {};
  const shortPart = readText(fields['shortCode']);
  return readLine(number, shortPart, () => {
    const notes: Note[] = [];
    const rules = readRules(fields, notes);
    const forwarded = fields['forwardQuery'] === true ? {forwardQuery: true} : undefined;
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
      maxVisits: readCount(meta['maxVisits'], 'visit limit') || undefined,
      start: readMoment(meta['validSince'], 'beginning of its validity', zone),
      ...readProtection(Object.entries(fields)),
      carried: rules.length > 0 ? {...forwarded, rules} : forwarded,
      notes,
    };
  });
}
