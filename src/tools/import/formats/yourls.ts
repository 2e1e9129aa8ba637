import {ToolError} from '../../tool-error.ts';
import {checkRow, nameOf, readRows} from './csv-rows.ts';
import {tellIgnored} from './json-records.ts';
import type {FormatSettings} from './format.ts';
import {readMoment} from './moments.ts';
import {isProtection, readProtection} from './protection.ts';
import {readLine, type SourceLine, type UnreadableCode, UnreadableValue} from './source-link.ts';
import {SqlRows} from './sql-rows.ts';
import {peek} from './texts.ts';
import {readCount, readText, required} from './values.ts';

/** The columns in the order in which YOURLS creates them. */
const ownColumns = ['keyword', 'url', 'title', 'timestamp', 'ip', 'clicks'] as const;

/** How many characters are read to tell a dump, which may begin with comments, from a CSV file. */
const startLength = 2048;

/** The values of a row by the names of its columns. */
type Values = ReadonlyMap<string, string | null | undefined>;

/** Links of a YOURLS database: a dump of its `url` table, or of everything, or that table as CSV. */
export async function* readYourls(
  content: AsyncGenerator<string>,
  settings: FormatSettings,
): AsyncGenerator<SourceLine> {
  const {start, texts} = await peek(content, startLength);
  yield* isDump(start) ? readDump(texts, settings) : readTable(texts, settings);
}

/** The first short part of a table without a header may be a word of SQL. */
function isDump(start: string): boolean {
  if (/^\s*"?[\w.~-]+"?[,;\t] *"?[a-z][a-z\d+.-]*:/i.test(start)) return false;
  return /^\s*(?:--|\/\*|#|(?:set|create|insert|replace|drop|lock|use|start|begin|delete|truncate|alter|commit)\b(?![,\t.~-]))/i.test(
    start,
  );
}

async function* readDump(texts: AsyncGenerator<string>, settings: FormatSettings): AsyncGenerator<SourceLine> {
  const {table} = settings;
  const rows = new SqlRows((name) => (table === undefined ? /^(?:.*_)?url$/i.test(name) : name === table));
  const toLines = ({line, columns, values}: ReturnType<SqlRows['feed']>[number]): SourceLine => {
    const names = (columns ?? ownColumns).map((name) => name.toLowerCase());
    const byName = new Map(names.map((name, place) => [name, values[place]]));
    return toLine(line, byName, settings, () => {
      if (names.length === values.length) return;
      if (values.some((value) => value?.includes('\uFFFD'))) {
        throw new UnreadableValue('not_utf8', 'The line is not UTF-8: export it as UTF-8.');
      }
      throw tooFew();
    });
  };
  for await (const text of texts) for (const row of rows.feed(text)) yield toLines(row);
  for (const row of rows.end()) yield toLines(row);
  if (rows.table !== undefined) return;
  const what = table === undefined ? 'no table whose name is `url` or ends with `_url`' : 'no table of that name';
  throw new ToolError('malformed_file', `The dump has ${what}`);
}

async function* readTable(texts: AsyncGenerator<string>, settings: FormatSettings): AsyncGenerator<SourceLine> {
  let names: readonly string[] | undefined;
  let width = 0;
  for await (const row of readRows(texts)) {
    const isFirst = names === undefined;
    const cells = row.cells.map((cell) => cell.trim().toLowerCase());
    names ??= cells.includes('keyword') ? cells.map(nameOf) : ownColumns;
    // Plug-ins add columns, also to a table without a header.
    if (isFirst) width = Math.max(cells.length, names.length);
    if (isFirst && names !== ownColumns) {
      if (names.includes('url')) continue;
      throw new ToolError('malformed_file', 'The first line has a column `keyword` but no column `url`');
    }
    if (isFirst && !/^[a-z][a-z0-9+.-]*:/i.test(row.cells[1] ?? '')) {
      const message = `Expected an SQL dump, or CSV with the columns ${ownColumns.join(', ')}`;
      throw new ToolError('malformed_file', message);
    }
    const needed = names.length;
    const ownNames = names;
    const byName = new Map(
      Array.from({length: width}, (_, place) => [nameOf(ownNames[place], place), row.cells[place] ?? ''] as const),
    );
    yield toLine(row.line, byName, settings, () => {
      checkRow(row, width);
      if (row.cells.length < needed) throw tooFew();
    });
  }
  if (names === undefined) throw new ToolError('malformed_file', 'The file is empty');
}

function tooFew(): UnreadableValue {
  return new UnreadableValue('not_a_link', 'The row and the table have different numbers of columns.');
}

/** @param check throws an `UnreadableValue` if the row is damaged */
function toLine(line: number, values: Values, {zone, onIgnored}: FormatSettings, check: () => void): SourceLine {
  // The address of whoever made the link is nobody's business here.
  tellIgnored(Object.fromEntries(values), ownColumns, onIgnored);
  const shortPart = readText(values.get('keyword'));
  return readLine(line, shortPart, () => {
    check();
    const value = (name: string, code: UnreadableCode): string | null | undefined => {
      const found = values.get(name);
      if (found !== undefined || !values.has(name)) return found;
      throw new UnreadableValue(code, `The value of \`${name}\` is an expression that only a database can read.`);
    };
    for (const name of values.keys()) if (isProtection(name)) value(name, 'unreadable_row');
    const keyword = readText(value('keyword', 'unreadable_row'));
    const url = readText(value('url', 'unreadable_row'));
    const title = readText(value('title', 'unreadable_row'));
    return {
      line,
      shortPart: required(keyword, 'keyword'),
      url: required(url, 'URL'),
      title: title === 'NULL' ? undefined : title,
      created: readMoment(value('timestamp', 'unreadable_date'), 'timestamp', zone),
      visits: readCount(value('clicks', 'unreadable_number'), 'number of clicks'),
      ...readProtection(values),
    };
  });
}
