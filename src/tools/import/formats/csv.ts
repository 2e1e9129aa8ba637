import type {LinkStatus} from '../../../link/link.ts';
import {withFormulas} from '../../../host/csv.ts';
import {exportHeader} from '../../export/export-csv.ts';
import {ToolError} from '../../tool-error.ts';
import {Columns, readRows, type Row} from './csv-rows.ts';
import type {FormatSettings} from './format.ts';
import {readLastMoment, readMoment} from './moments.ts';
import {
  carriedFrom,
  type CarriedName,
  readLine,
  type SourceLine,
  type SourceLink,
  UnreadableValue,
} from './source-link.ts';
import {isNull, readCount, readFlag, readShortUrl, readText, required} from './values.ts';

/** The names of the columns. Case, spaces and underscores are ignored. */
const names = {
  shortPart: [
    ...[
      'shortpart',
      'shorturlpart',
      'slug',
      'customurl',
      'shortcode',
      'keyword',
      'alias',
      'backhalf',
      'address',
      'slashtag',
      'path',
    ],
    ...['code', 'key'],
  ],
  shortUrl: ['shorturl', 'shortlink', 'shortdynamiclink', 'tinyurl', 'bitlink', 'brandedlink', 'link'],
  domain: ['domain', 'basedomain'],
  url: ['longurl', 'originalurl', 'destinationurl', 'destination', 'targeturl', 'target', 'deeplink', 'url', 'link'],
  title: ['title', 'linkname', 'name', 'description'],
  tags: ['tags', 'labels'],
  created: ['created', 'datecreated', 'createdat', 'creationdate', 'timecreated', 'timestamp', 'date'],
  visits: [
    'visits',
    'totalvisits',
    'visitcount',
    'engagements',
    'clicks',
    'totalclicks',
    'hits',
    'clickcount',
    'clickscount',
    'visitorcount',
    'visitors',
  ],
  lastVisit: ['lastaccessed', 'lastvisit', 'lastclick', 'lastclicked', 'lastclickat'],
  expiry: [
    'expiry',
    'expirydate',
    'expires',
    'expiresat',
    'expirein',
    'validuntil',
    'expirationdate',
    'expirationat',
    'expiresdate',
  ],
  maxVisits: ['maxvisits', 'maxclicks', 'visitlimit', 'clicklimit', 'clickslimit'],
  secretKey: ['secretkey'],
  status: ['status'],
  start: ['startdate', 'start', 'startsat', 'validsince', 'validfrom'],
  expiredUrl: ['expiredurl', 'expirationurl', 'expiredredirect', 'expiredredirecturl'],
  forwardQuery: ['forwardquery'],
  previewTitle: ['previewtitle', 'ogtitle', 'socialtitle', 'st'],
  previewDescription: ['previewdescription', 'ogdescription', 'socialdescription', 'sd'],
  previewImage: ['previewimage', 'ogimage', 'socialimage', 'socialimagelink', 'si'],
  rules: ['rules'],
} as const satisfies Record<CarriedName, readonly string[]> & Record<string, readonly string[]>;

type Field = keyof typeof names;

/** Links of a CSV file with a header. */
export async function* readCsv(content: AsyncGenerator<string>, settings: FormatSettings): AsyncGenerator<SourceLine> {
  let columns: Columns<Field> | undefined;
  // In an export of this package tags may have semicolons and bars.
  let separator: string | undefined;
  const paths = new Map<string, string>();
  for await (const row of readRows(content)) {
    if (columns === undefined) {
      columns = readHeader(row, settings.onIgnored);
      if (row.cells.join() === exportHeader.join()) separator = ',';
    } else yield toLine(row, columns, settings, {paths, separator});
  }
  if (columns === undefined) throw new ToolError('malformed_file', 'The file is empty');
}

function readHeader({cells}: Row, onIgnored: FormatSettings['onIgnored']): Columns<Field> {
  const columns = new Columns<Field>(cells, names, onIgnored);
  if ((columns.has('shortPart') || columns.has('shortUrl')) && columns.has('url')) return columns;
  throw new ToolError(
    'malformed_file',
    'The first line must name the columns: short_part (or short_url) and long_url, optionally title, tags, ' +
      'created, visits, expiry',
  );
}

/** What is known of a file. */
interface FileState {
  /** The paths before the short parts, by domain. */
  readonly paths: Map<string, string>;
  /** The separator of tags; undefined for any. */
  readonly separator: string | undefined;
}

function toLine(
  row: Row,
  columns: Columns<Field>,
  {zone, pathOf}: FormatSettings,
  {paths, separator}: FileState,
): SourceLine {
  // An export puts an apostrophe before a text that a spreadsheet would run as a formula.
  const cell = (field: Field): string | undefined => {
    const text = columns.get(row, field);
    if (separator === undefined && !field.startsWith('short') && isNull(text ?? '')) return undefined;
    return separator === undefined ? text?.replace(/^'(?='*[=+\-@＝＋－＠])/, '') : text && withFormulas(text);
  };
  const whole = readText(cell('shortUrl'));
  const short = readShortUrl(whole);
  // Polr has only the ending there. Its secret links have a key behind it.
  const ending = whole !== undefined && /^[^/?#]+$/.test(whole) ? whole : undefined;
  const named = readText(cell('shortPart')) ?? ending ?? (short && wholeShortPart(short, pathOf, paths));
  const secretKey = readText(cell('secretKey'));
  const hasKey = named !== undefined && secretKey !== undefined && readFlag(secretKey) === true;
  const shortPart = hasKey ? `${named}/${secretKey}` : named;
  return readLine(row.line, shortPart, () => {
    columns.check(row);
    const protection = columns.protection(row);
    const end = readLastMoment(cell('expiry'), zone);
    const maxVisits = readCount(cell('maxVisits'), 'visit limit') || undefined;
    const status = readStatus(cell('status'));
    return {
      line: row.line,
      shortPart: required(shortPart, 'short part', whole),
      url: required(readText(cell('url')), 'long URL'),
      domain: readText(cell('domain')) ?? short?.domain,
      title: readText(cell('title')),
      tags: readTags(cell('tags'), separator),
      created: readMoment(cell('created'), 'creation date', zone),
      end,
      visits: readCount(cell('visits'), 'number of visits'),
      lastVisit: readMoment(cell('lastVisit'), 'date of the last visit', zone),
      maxVisits,
      start: readMoment(cell('start'), 'first day', zone),
      carried: carriedFrom((name) => cell(name)?.trim()),
      ...protection,
      // An expired link without an expiry date or limit must not work again.
      isDisabled:
        status === 'disabled' ||
        protection.isDisabled ||
        (status === 'expired' && end === undefined && maxVisits === undefined),
    } satisfies SourceLink;
  });
}

/**
 * The short part with the path before it, unless that is the path of the domain on this site, or of its first short URL in
 * the file. No link can have such a short part, so it is reported.
 */
function wholeShortPart(
  {domain, path, shortPart}: {domain: string; path: string; shortPart: string},
  pathOf: FormatSettings['pathOf'],
  paths: Map<string, string>,
): string {
  const name = domain.toLowerCase();
  const usual = pathOf(domain) ?? paths.get(name) ?? path;
  paths.set(name, usual);
  return path === usual ? shortPart : `${path.slice(1)}/${shortPart}`;
}

/** Tags are separated by commas, semicolons or bars, unless the file says otherwise. */
export function readTags(text: string | undefined, separator: string | RegExp = /[,;|]/): string[] {
  return (text ?? '')
    .split(separator)
    .map((tag) => tag.trim())
    .filter(Boolean);
}

/** @throws UnreadableValue `unreadable_status` */
export function readStatus(text: string | undefined): LinkStatus {
  const status = (text ?? '').trim().toLowerCase();
  if (['', 'active', 'enabled'].includes(status)) return 'active';
  if (['disabled', 'inactive', 'banned', 'blocked'].includes(status)) return 'disabled';
  if (status === 'expired' || status === 'scheduled') return status;
  throw new UnreadableValue('unreadable_status', 'The status must be active, disabled, expired or scheduled.');
}
