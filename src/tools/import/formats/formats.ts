import {words} from '../../tables/columns.ts';
import {readRows} from '../../tables/tables.ts';
import {type Content, peek, readTexts} from '../../tables/texts.ts';
import {UnreadableTable, UnreadableValue} from '../../tables/unreadable.ts';
import {isNull, plain} from '../../tables/words.ts';
import {withFormulas} from '../../../values/csv.ts';
import {exportHeader} from '../../export/export-csv.ts';
import {ToolError} from '../../tool-error.ts';
import type {ImportFormat} from '../import-options.ts';
import {type Fields, readRecords} from './json-records.ts';
import {type Row, type RowForm, rowOf, RowReader, type RowSettings} from './rows.ts';
import {shlinkMembers} from './shlink.ts';
import type {Note, SourceLine} from './source-link.ts';
import {SqlRows} from './sql-rows.ts';

export interface FormatSettings extends RowSettings {
  /** The table of a dump; by default `url` with any prefix. */
  readonly table: string | undefined;
}

/** A format of files. */
interface Format extends RowForm {
  /** The path of the links in an answer of the API, for formats that may be JSON. */
  readonly list?: string;
  /** Whether a file must be JSON. */
  readonly isOnlyJson?: boolean;
  /** The links of the API as the rows have them. */
  readonly prepare?: (fields: Fields) => {readonly members: Fields; readonly notes?: readonly Note[]};
  /** The columns of a dump or a table that does not name them, for formats that may be either. */
  readonly ownColumns?: readonly string[];
  /** Whether an apostrophe before a formula is not part of a text. */
  readonly hasFormulas?: boolean;
}

const formats: Readonly<Record<Exclude<ImportFormat, 'api'>, Format>> = {
  csv: {isLastMoment: true, hasFormulas: true},
  // The address of whoever made the link is nobody's business here.
  yourls: {ownColumns: ['keyword', 'url', 'title', 'timestamp', 'ip', 'clicks'], silent: ['ip']},
  kutt: {
    list: 'data',
    isOnlyJson: true,
    names: {isBlocked: ['banned']},
    silent: words('id uuid domainid updatedat'),
  },
  shlink: {list: 'shortUrls.data', prepare: shlinkMembers, separator: '|', silent: ['crawlable']},
  bitly: {
    list: 'links',
    names: {shortUrl: words('link bitlink shortlink shorturl id'), isDeleted: ['isdeleted']},
    silent: words('id archived references createdby clientid deeplinks qrcodeids launchpadids'),
  },
};

/** How many characters are read to tell a dump, which may begin with comments, from a table. */
const startLength = 2048;

/**
 * Reads the links of a file, in bounded memory.
 *
 * @throws ToolError `malformed_file` if the file is not in the format
 */
export async function* readFile(
  name: keyof typeof formats,
  content: Content,
  settings: FormatSettings,
): AsyncGenerator<SourceLine> {
  try {
    yield* linesIn(name, readTexts(content), settings);
  } catch (error) {
    if (!(error instanceof UnreadableTable)) throw error;
    throw new ToolError('malformed_file', error.message, {cause: error.cause});
  }
}

async function* linesIn(
  name: keyof typeof formats,
  content: AsyncGenerator<string>,
  settings: FormatSettings,
): AsyncGenerator<SourceLine> {
  const format = formats[name];
  const {start, texts} = await peek(content, startLength);
  const reader = new RowReader(format, settings);
  if (format.list !== undefined && (format.isOnlyJson === true || /^\s*[[{]/.test(start))) {
    for await (const {number, fields} of readRecords(texts, format.list)) {
      const {members, notes} = format.prepare?.(fields) ?? {members: fields};
      yield* reader.lines(rowOf(number, members, notes));
    }
  } else if (format.ownColumns !== undefined && isDump(start)) {
    for await (const row of dumpRows(texts, format.ownColumns, settings.table)) yield* reader.lines(row);
  } else yield* readTable(texts, format, settings);
}

/** The first short part of a table without a header may be a word of SQL. */
function isDump(start: string): boolean {
  if (/^\s*"?[\w.~-]+"?[,;\t] *"?[a-z][a-z\d+.-]*:/i.test(start)) return false;
  return /^\s*(?:--|\/\*|#|(?:set|create|insert|replace|drop|lock|use|start|begin|delete|truncate|alter|commit)\b(?![,\t.~-]))/i.test(
    start,
  );
}

async function* dumpRows(
  texts: AsyncGenerator<string>,
  ownColumns: readonly string[],
  table: string | undefined,
): AsyncGenerator<Row> {
  const rows = new SqlRows((name) => (table === undefined ? /^(?:.*_)?url$/i.test(name) : name === table));
  const toRow = ({line, columns: header = ownColumns, values: cells}: ReturnType<SqlRows['feed']>[number]): Row => ({
    line,
    header,
    cells,
    check() {
      if (header.length === cells.length) return;
      checkUtf8(cells);
      throw new UnreadableValue('not_a_link', 'The row and the table have different numbers of columns.');
    },
  });
  for await (const text of texts) for (const row of rows.feed(text)) yield toRow(row);
  for (const row of rows.end()) yield toRow(row);
  if (rows.table !== undefined) return;
  const what = table === undefined ? 'no table whose name is `url` or ends with `_url`' : 'no table of that name';
  throw new ToolError('malformed_file', `The dump has ${what}`);
}

async function* readTable(
  texts: AsyncGenerator<string>,
  format: Format,
  settings: FormatSettings,
): AsyncGenerator<SourceLine> {
  let table: Table | undefined;
  for await (const {line, cells} of readRows(texts)) {
    if (table === undefined) {
      table = tableOf(cells, format, settings);
      if (table.isNamed) continue;
    }
    yield* table.reader.lines(table.toRow(line, cells));
  }
  if (table === undefined) throw new ToolError('malformed_file', 'The file is empty');
}

interface Table {
  /** Whether the first row has the names of the columns. */
  readonly isNamed: boolean;
  readonly reader: RowReader;
  toRow(line: number, cells: readonly string[]): Row;
}

/** What the first row says. */
function tableOf(cells: readonly string[], format: Format, settings: FormatSettings): Table {
  const {ownColumns, hasFormulas = false} = format;
  const isNamed = ownColumns === undefined || cells.some((cell) => plain(cell) === 'keyword');
  // Plug-ins add columns, also to a table without a header.
  const more = Array.from({length: Math.max(0, cells.length - (ownColumns?.length ?? 0))}, () => '');
  const header = isNamed ? cells : [...ownColumns, ...more];
  // In an export of this package tags may have semicolons and bars.
  const isExport = cells.slice(0, exportHeader.length).join() === exportHeader.join();
  const reader = new RowReader(isExport ? {...format, separator: ','} : format, settings);
  const columns = reader.columnsOf(header);
  const hasShort = (['shortPart', 'shortUrl', 'custom'] as const).some((field) => columns.has(field));
  if (!hasShort || !columns.has('url') || (!isNamed && !/^[a-z][a-z0-9+.-]*:/i.test(cells[1] ?? ''))) {
    const message =
      'The first line must name the columns: short_part (or short_url) and long_url, optionally title, tags, created, ' +
      `visits, expiry${ownColumns === undefined ? '' : `; or expected an SQL dump, or rows of ${ownColumns.join(', ')}`}`;
    throw new ToolError('malformed_file', message);
  }
  const unescape = (cell: string, place: number): string | undefined => {
    if (isExport) return withFormulas(cell);
    const name = plain(header[place] ?? '');
    if (isNull(cell)) return name.startsWith('short') || name === 'keyword' ? cell : undefined;
    return hasFormulas && name !== 'password' ? cell.replace(/^'(?='*[=+\-@＝＋－＠])/, '') : cell;
  };
  const toRow = (line: number, row: readonly string[]): Row => {
    const check = checkRow.bind(undefined, row, header.length);
    return {line, header, cells: row.map(unescape), check};
  };
  return {isNamed, reader, toRow};
}

/**
 * Checks that a row is UTF-8 and has no text after its last column. A separator without quotation marks moves the rest of
 * the row into the wrong columns.
 *
 * @throws UnreadableValue `not_utf8` or `unreadable_row`
 */
function checkRow(cells: readonly string[], width: number): void {
  checkUtf8(cells);
  if (cells.slice(width).every((cell) => cell.trim() === '')) return;
  const message = 'The line has more cells than columns. Quote cells that contain a separator.';
  throw new UnreadableValue('unreadable_row', message);
}

function checkUtf8(cells: readonly unknown[]): void {
  if (!cells.some((cell) => typeof cell === 'string' && cell.includes('\uFFFD'))) return;
  throw new UnreadableValue('not_utf8', 'The line is not UTF-8: save the file as UTF-8 and import it again.');
}
