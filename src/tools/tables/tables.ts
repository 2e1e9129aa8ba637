import {Readable} from 'node:stream';
import {pipeline} from 'node:stream/promises';
import {setImmediate} from 'node:timers/promises';
import {grouped} from '../../values/describe.ts';
import {peek} from './texts.ts';
import {UnreadableTable} from './unreadable.ts';

/** A row, and its first line. */
export interface TableRow {
  readonly line: number;
  readonly cells: readonly string[];
}

/** The maximum number of characters of a row. In a longer one a quotation mark is not closed. */
const maxRow = 1_000_000;

/** The maximum number of cells of a row: more than any program exports. */
export const maxCells = 1000;

/** The number of characters that are parsed before the event loop gets a turn. They may be half as many cells. */
const parsedAtOnce = 16_384;

const delimiters = [',', ';', '\t'] as const;

/** Long enough for a header. */
const headerLength = 4096;

/**
 * The rows of a table that are not blank, in bounded memory.
 *
 * @param given the separator of cells; by default the one of commas, semicolons and tabs that the first line has most
 * @throws UnreadableTable if the end of a row is not found, or for a row of more than 1,000 cells
 */
export async function* readRows(content: AsyncGenerator<string>, given?: string): AsyncGenerator<TableRow> {
  const {start, texts} = await peek(content, headerLength);
  const {parse} = await import('csv-parse');
  const {before, separator} = separatorIn(start);
  const parser = parse({
    delimiter: before === '' ? (given ?? separator) : separator,
    from_line: before === '' ? 1 : 2,
    info: true,
    max_record_size: maxRow,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
  });
  const feeding = pipeline(Readable.from(withLineFeeds(texts)), parser);
  feeding.catch(() => undefined);
  try {
    for await (const {record, info} of parser as AsyncIterable<{record: string[]; info: {lines: number}}>) {
      if (record.length > maxCells)
        throw new UnreadableTable(`Line ${info.lines} has more than ${grouped(maxCells)} cells`);
      const breaks = record.reduce((sum, cell) => sum + cell.split('\n').length - 1, 0);
      yield {line: info.lines - breaks, cells: record};
    }
    await feeding;
  } catch (error) {
    const {code, lines} = error as {code?: unknown; lines?: number};
    if (typeof code !== 'string' || !code.startsWith('CSV_')) throw error;
    const message = `The rows from line ${String(lines)} on cannot be read. Look for an unclosed quotation mark`;
    throw new UnreadableTable(message, {cause: error});
  }
}

/** Replaces CRLF by LF, because the parser counts a CRLF in a cell as two lines. */
async function* withLineFeeds(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const text of texts) {
    const whole = rest + text;
    rest = whole.endsWith('\r') ? '\r' : '';
    const lines = whole.slice(0, whole.length - rest.length).replaceAll('\r\n', '\n');
    for (let start = 0; start < lines.length; start += parsedAtOnce) {
      yield lines.slice(start, start + parsedAtOnce);
      await setImmediate();
    }
  }
  if (rest !== '') yield rest;
}

/**
 * The separator of cells in a table, by its beginning.
 *
 * @returns `before`: the line before the header, or nothing. Excel reads and writes the separator there, and a PowerShell 5
 *   a type.
 */
export function separatorIn(start: string): {readonly before: string; readonly separator: string} {
  const [before = '', separator] = /^(?:"?sep=([,;\t])"?|#TYPE [^\n]*)\r?\n/i.exec(start) ?? [];
  return {before, separator: separator ?? delimiterOf(start.slice(before.length))};
}

/** The most frequent separator outside quotation marks on the first line. */
function delimiterOf(start: string): string {
  const [header = ''] = start.replaceAll(/"[^"]*"/g, '').split(/\r?\n/);
  const counts = delimiters.map((delimiter) => header.split(delimiter).length);
  return delimiters[counts.indexOf(Math.max(...counts))] ?? ',';
}
