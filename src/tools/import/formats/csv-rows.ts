import {Readable} from 'node:stream';
import {pipeline} from 'node:stream/promises';
import {ToolError} from '../../tool-error.ts';
import {UnreadableValue} from './source-link.ts';
import {peek} from './texts.ts';
import {isProtection, type Protection, readProtection} from './protection.ts';
import {plain} from './values.ts';

/** A row, and its first line. */
export interface Row {
  readonly line: number;
  readonly cells: readonly string[];
}

/** The maximum number of characters of a row. In a longer one a quotation mark is not closed. */
const maxRow = 1_000_000;

const delimiters = [',', ';', '\t'] as const;

/** Long enough for a header. */
const headerLength = 4096;

/**
 * The rows of a CSV file, separated by commas, semicolons or tabs, in bounded memory.
 *
 * @throws ToolError `malformed_file` if the end of a row is not found
 */
export async function* readRows(content: AsyncGenerator<string>): AsyncGenerator<Row> {
  const {start, texts} = await peek(content, headerLength);
  const {parse} = await import('csv-parse');
  // Excel reads and writes such a line before the header.
  const [, separator] = /^"?sep=([,;\t])"?\r?\n/i.exec(start) ?? [];
  const parser = parse({
    delimiter: separator ?? delimiterOf(start),
    from_line: separator === undefined ? 1 : 2,
    info: true,
    max_record_size: maxRow,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
  });
  const feeding = pipeline(Readable.from(withLineFeeds(texts)), parser);
  feeding.catch(() => undefined);
  try {
    for await (const {record, info} of parser as AsyncIterable<{record: string[]; info: {lines: number}}>) {
      const breaks = record.reduce((sum, cell) => sum + cell.split('\n').length - 1, 0);
      yield {line: info.lines - breaks, cells: record};
    }
    await feeding;
  } catch (error) {
    const {code, lines} = error as {code?: unknown; lines?: number};
    if (typeof code !== 'string' || !code.startsWith('CSV_')) throw error;
    const message = `The rows from line ${String(lines)} on cannot be read. Look for an unclosed quotation mark`;
    throw new ToolError('malformed_file', message, {cause: error});
  }
}

/** Replaces CRLF by LF, because the parser counts a CRLF in a cell as two lines. */
async function* withLineFeeds(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const text of texts) {
    const whole = rest + text;
    rest = whole.endsWith('\r') ? '\r' : '';
    yield whole.slice(0, whole.length - rest.length).replaceAll('\r\n', '\n');
  }
  if (rest !== '') yield rest;
}

/** The most frequent separator outside quotation marks on the first line. */
function delimiterOf(start: string): string {
  const [header = ''] = start.replaceAll(/"[^"]*"/g, '').split(/\r?\n/);
  const counts = delimiters.map((delimiter) => header.split(delimiter).length);
  return delimiters[counts.indexOf(Math.max(...counts))] ?? ',';
}

/** The name of a column; one without a name is named by its number. */
export function nameOf(name = '', place = 0): string {
  return name.trim() === '' ? `column ${place + 1}` : name.trim();
}

/** Finds the columns of fields by their possible names. */
export class Columns<Field extends string> {
  readonly #places = new Map<Field, number>();
  readonly #width: number;
  readonly #protection: ReadonlyArray<readonly [place: number, name: string]>;
  readonly #unknown: Array<readonly [place: number, name: string]>;
  readonly #onIgnored: (name: string) => void;

  /**
   * @param onIgnored called once with the name of each column that no field has and that has values
   * @param names the names of each field in lower case, with letters and digits only
   */
  constructor(
    header: readonly string[],
    names: Readonly<Record<Field, readonly string[]>>,
    onIgnored: (name: string) => void = () => undefined,
  ) {
    this.#width = header.length;
    const present = header.map(plain);
    const taken = new Set<number>();
    for (const field of Object.keys(names) as Field[]) {
      // A file may have several of the names. The first one in the list is the best.
      const places = names[field].map((name) => present.indexOf(name));
      const place = places.find((found) => found >= 0 && !taken.has(found));
      if (place === undefined) continue;
      this.#places.set(field, place);
      taken.add(place);
    }
    const others = header
      .map((name, place) => [place, nameOf(name, place)] as const)
      .filter(([place]) => !taken.has(place));
    this.#protection = others.filter(([, name]) => isProtection(name));
    this.#unknown = others.filter(([, name]) => !isProtection(name));
    this.#onIgnored = onIgnored;
  }

  has(field: Field): boolean {
    return this.#places.has(field);
  }

  /** @throws UnreadableValue as `checkRow` does */
  check(row: Row): void {
    checkRow(row, this.#width);
    for (let index = this.#unknown.length - 1; index >= 0; index -= 1) {
      const [place, name] = this.#unknown[index] ?? [0, ''];
      if ((row.cells[place] ?? '').trim() === '') continue;
      this.#unknown.splice(index, 1);
      this.#onIgnored(name);
    }
  }

  /** What keeps visitors from the link. */
  protection({cells}: Row): Protection {
    return readProtection(this.#protection.map(([place, name]) => [name, cells[place]]));
  }

  /** The cell; undefined if the file has no such column or the row is too short. */
  get({cells}: Row, field: Field): string | undefined {
    const place = this.#places.get(field);
    return place === undefined ? undefined : cells[place];
  }
}

/**
 * Checks that a row is UTF-8 and has no text after its last column. A separator without quotation marks moves the rest of
 * the row into the wrong columns.
 *
 * @param width the number of columns
 * @throws UnreadableValue `not_utf8` or `unreadable_row`
 */
export function checkRow({cells}: Row, width: number): void {
  if (cells.some((cell) => cell.includes('\uFFFD'))) {
    throw new UnreadableValue('not_utf8', 'The line is not UTF-8: save the file as UTF-8 and import it again.');
  }
  if (cells.slice(width).every((cell) => cell.trim() === '')) return;
  const message = 'The line has more cells than columns. Quote cells that contain a separator.';
  throw new UnreadableValue('unreadable_row', message);
}
