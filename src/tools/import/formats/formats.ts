import {type Field, words} from '../../../tables/columns.ts';
import {isDayFirstBy} from '../../../tables/moments.ts';
import {checkUtf8, readTable} from '../../../tables/read-table.ts';
import {type Row, type RowForm, rowOf, RowReader, type RowSettings} from '../../../tables/rows.ts';
import {type ReadLine, type SourceLine, toSource} from '../../../tables/source-link.ts';
import {type Content, peek, readTexts} from '../../../tables/texts.ts';
import {UnreadableTable, UnreadableValue} from '../../../tables/unreadable.ts';
import {ToolError} from '../../tool-error.ts';
import type {ImportFormat} from '../import-options.ts';
import {type Fields, readRecords} from './json-records.ts';
import {shlinkMembers} from './shlink.ts';
import {SqlRows} from './sql-rows.ts';

export interface FormatSettings extends RowSettings {
  /** The table of a dump; by default `url` with any prefix. */
  readonly table: string | undefined;
  readonly language?: string | undefined;
}

/** A format of files. */
interface Format extends RowForm {
  /** The path of the links in an answer of the API, for formats that may be JSON. */
  readonly list?: string;
  /** Whether a file must be JSON. */
  readonly isOnlyJson?: boolean;
  /** The links of the API as the rows have them. */
  readonly prepare?: (fields: Fields) => Fields;
  /** The columns of a dump or a table that does not name them, for formats that may be either. */
  readonly ownColumns?: readonly string[];
}

const formats: Readonly<Record<Exclude<ImportFormat, 'api'>, Format>> = {
  csv: {},
  // The address of whoever made the link is nobody's business here.
  yourls: {ownColumns: ['keyword', 'url', 'title', 'timestamp', 'ip', 'clicks'], silent: ['ip']},
  kutt: {
    list: 'data',
    isOnlyJson: true,
    names: {blocked: ['banned']},
    silent: words('id uuid domainid updatedat'),
  },
  shlink: {list: 'shortUrls.data', prepare: shlinkMembers, separator: '|', silent: ['crawlable']},
  bitly: {
    list: 'links',
    names: {shortUrl: words('link bitlink shortlink shorturl id')},
    silent: words('id archived references createdby clientid qrcodeids launchpadids'),
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
    for await (const line of linesIn(name, readTexts(content), settings)) yield toSource(line);
  } catch (error) {
    if (!(error instanceof UnreadableTable)) throw error;
    throw new ToolError('malformed_file', error.message, {cause: error.cause});
  }
}

async function* linesIn(
  name: keyof typeof formats,
  content: AsyncGenerator<string>,
  settings: FormatSettings,
): AsyncGenerator<ReadLine> {
  const format = formats[name];
  const {start, texts} = await peek(content, startLength);
  const reader = new RowReader(format, {...settings, isDayFirst: isDayFirstBy(settings.language)});
  if (format.list !== undefined && (format.isOnlyJson === true || /^\s*[[{]/.test(start))) {
    for await (const {number, fields} of readRecords(texts, format.list)) {
      yield* reader.lines(rowOf(number, format.prepare?.(fields) ?? fields));
    }
  } else if (format.ownColumns !== undefined && isDump(start)) {
    for await (const row of dumpRows(texts, format.ownColumns, settings.table)) yield* reader.lines(row);
  } else yield* tableLines(texts, format, settings);
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
      checkUtf8(cells);
      if (header.length === cells.length) return;
      throw new UnreadableValue('not_a_link', 'The row and the table have different numbers of columns.');
    },
  });
  for await (const text of texts) for (const row of rows.feed(text)) yield toRow(row);
  for (const row of rows.feed('', true)) yield toRow(row);
  if (rows.table !== undefined) return;
  const what = table === undefined ? 'no table whose name is `url` or ends with `_url`' : 'no table of that name';
  throw new ToolError('malformed_file', `The dump has ${what}`);
}

async function* tableLines(
  texts: AsyncGenerator<string>,
  format: Format,
  settings: FormatSettings,
): AsyncGenerator<ReadLine> {
  const {ownColumns} = format;
  const table = await readTable(texts, {...settings, form: format, usual: ownColumns});
  if (table === undefined) throw new ToolError('malformed_file', 'The file is empty');
  const {columns, hasHeadings, lines} = table;
  const has = (...wanted: Field[]): boolean => columns.some(({field}) => field !== undefined && wanted.includes(field));
  const message =
    'The first line must name the columns: short_part (or short_url) and long_url, optionally title, tags, created, ' +
    `visits, expiry${ownColumns === undefined ? '' : `; or expected an SQL dump, or rows of ${ownColumns.join(', ')}`}`;
  let isTable = has('url') && has('shortPart', 'shortUrl', 'custom') && (hasHeadings || ownColumns !== undefined);
  let isBegun = false;
  for await (const {links, cells} of lines) {
    if (!isBegun) isTable &&= hasHeadings || cells.some((cell) => /^[a-z][a-z\d+.-]*:/i.test(cell));
    if (!isTable) break;
    isBegun = true;
    yield* links;
  }
  if (!isTable) throw new ToolError('malformed_file', message);
}
