import {grouped} from '../values/describe.ts';
import {linesOf, peek} from './texts.ts';
import {UnreadableTable} from './unreadable.ts';

/** A row, and its first line. */
export interface TableRow {
  readonly line: number;
  readonly cells: readonly string[];
  /** Whether a quotation mark in it is not closed, so that its cells cannot be told apart. */
  readonly isDamaged?: boolean;
}

/** The maximum number of characters of a row. In a longer one a quotation mark is not closed. */
const maxRow = 1_000_000;

/** The maximum number of cells of a row: more than any program exports. */
export const maxCells = 1000;

const delimiters = [',', ';', '\t', '|'] as const;

/** Long enough for a header. */
const headerLength = 4096;

/**
 * The rows of a table that are not blank, in bounded memory. Cells may be quoted, as in RFC 4180. A quotation mark that
 * is not closed is part of its cell, and takes no further row with it.
 *
 * @param given the separator of cells; by default the one that the first line has most
 * @throws UnreadableTable for a row of more than 1,000 cells or 1,000,000 characters
 */
export async function* readRows(content: AsyncGenerator<string>, given?: string): AsyncGenerator<TableRow> {
  const {start, texts} = await peek(content, headerLength);
  const {before, separator} = separatorIn(start);
  const splitter = new RowSplitter(before === '' ? (given ?? separator) : separator);
  let isFirst = before !== '';
  for await (const lines of linesOf(texts, maxRow)) {
    for (const line of lines) {
      yield* splitter.feed(isFirst ? '' : line);
      isFirst = false;
    }
  }
  yield* splitter.end();
}

/**
 * The length of the rows of a text that stay as they are, whatever follows it. Its lines end with line feeds.
 *
 * @throws UnreadableTable as `readRows`
 */
export function wholeLength(text: string, separator: string): number {
  const splitter = new RowSplitter(separator);
  const starts = [0];
  for (let start = 0, end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
    Array.from(splitter.feed(text.slice(start, end)));
    start = end + 1;
    starts.push(start);
  }
  return starts.at(-1 - splitter.openLines) ?? 0;
}

function unclosed(line: number): UnreadableTable {
  return new UnreadableTable(`The rows from line ${line} on cannot be read. Look for an unclosed quotation mark`);
}

class RowSplitter {
  readonly #delimiter: string;
  /** A URL at the beginning of a cell. */
  readonly #url: RegExp;
  /** The number of cells of the first row. */
  #width: number | undefined;
  #line = 0;
  /** The lines of a row whose last line ends within quotation marks. */
  #lines: string[] = [];
  #length = 0;
  #cells: string[] = [];
  /** Where the quotation mark is in the first of the lines, and what the cell has so far. */
  #mark = 0;
  #text = '';
  /** How many separators the cell has, and whether it has what looks like the URL of another row. */
  #separators = 0;
  #hasUrl = false;
  /** No quotation mark that is open is closed before this line. Kept so that each line is searched once. */
  #openUntil = 0;

  constructor(delimiter: string) {
    this.#delimiter = delimiter;
    this.#url = new RegExp(`(?:^|[${delimiter}])"?[a-z][a-z\\d+.-]*://`, 'i');
  }

  /** How many of the lines so far are of a row that is not complete. */
  get openLines(): number {
    return this.#lines.length;
  }

  /** The rows that a line completes. */
  *feed(line: string): Generator<TableRow> {
    this.#line += 1;
    const isFirst = this.#lines.length === 0;
    if (isFirst) this.#cells = [];
    const mark = isFirst ? this.#split(line, 0) : this.#continue(line);
    if (mark === undefined && isFirst) yield* this.#row(this.#line, this.#cells);
    else {
      if (isFirst) this.#begin(line, mark ?? 0);
      else {
        this.#lines.push(line);
        // Another cell is open.
        if (mark !== undefined && mark > 0) this.#noteAll();
      }
      this.#length += line.length;
      if (this.#isDoubtful(mark !== undefined)) yield* this.#takeBack();
      else if (mark === undefined) {
        const first = this.#line - this.#lines.length + 1;
        this.#lines = [];
        yield* this.#row(first, this.#cells);
      } else if (this.#length > maxRow) throw unclosed(this.#line - this.#lines.length + 1);
    }
  }

  *end(): Generator<TableRow> {
    while (this.#lines.length > 0) yield* this.#takeBack();
  }

  *#row(line: number, cells: readonly string[], isDamaged = false): Generator<TableRow> {
    if (cells.length > maxCells) throw new UnreadableTable(`Line ${line} has more than ${grouped(maxCells)} cells`);
    if (cells.every((cell) => cell.trim() === '')) return;
    this.#width ??= cells.length;
    yield {line, cells, ...(isDamaged && {isDamaged})};
  }

  /**
   * Adds the cells of a line from a place on, where a cell begins.
   *
   * @param literal the place of a quotation mark that is part of its cell
   * @returns the place of a quotation mark that the line does not close
   */
  #split(line: string, from: number, literal = -1): number | undefined {
    for (let at = from; ; at += 1) {
      if (line.charAt(at) === '"' && at !== literal) {
        const {text, end} = this.#quoted(line, at + 1);
        this.#text = text;
        if (end === undefined) return at;
        this.#cells.push(text);
        at = end;
      } else {
        const end = line.indexOf(this.#delimiter, at);
        this.#cells.push(line.slice(at, end === -1 ? undefined : end));
        at = end === -1 ? line.length : end;
      }
      if (at >= line.length) return undefined;
    }
  }

  /** Adds what a further line has of a quoted cell, and the cells behind it. */
  #continue(line: string): number | undefined {
    const before = this.#text;
    const {text, end} = this.#quoted(line, 0);
    this.#note(text);
    this.#text = `${before}\n${text}`;
    if (end === undefined) return 0;
    this.#cells.push(this.#text);
    return end === line.length ? undefined : this.#split(line, end + 1);
  }

  /** The text up to the quotation mark at the end of its cell. Two of them are one that is part of the text. */
  #quoted(line: string, from: number): {readonly text: string; readonly end: number | undefined} {
    let text = '';
    let start = from;
    for (let at = line.indexOf('"', from); at !== -1; at = line.indexOf('"', at)) {
      const next = line.charAt(at + 1);
      if (next === '' || next === this.#delimiter) return {text: text + line.slice(start, at), end: at + 1};
      // Any other quotation mark is part of the text, too.
      text += line.slice(start, at + 1);
      at += next === '"' ? 2 : 1;
      start = at;
    }
    return {text: text + line.slice(start), end: undefined};
  }

  #begin(line: string, mark: number): void {
    this.#lines = [line];
    this.#length = 0;
    this.#mark = mark;
    this.#noteAll();
  }

  #noteAll(): void {
    this.#separators = 0;
    this.#hasUrl = false;
    this.#note(this.#text);
  }

  #note(text: string): void {
    this.#separators += text.split(this.#delimiter).length - 1;
    this.#hasUrl ||= this.#url.test(text);
  }

  /** Whether a cell has swallowed the rows below it: it has as many separators as a row, and the URL of one. */
  #isDoubtful(isOpen: boolean): boolean {
    if (isOpen && this.#line < this.#openUntil) return true;
    const {length} = this.#lines;
    const width = this.#width ?? this.#lines[0]?.split(this.#delimiter).length ?? 0;
    if (length === 1) return false;
    return this.#hasUrl && (this.#separators >= width - 1 || (!isOpen && this.#cells.length > width));
  }

  /** Reads the first line again, with its quotation mark as a part of the cell, and then the lines below it. */
  *#takeBack(): Generator<TableRow> {
    const [first = '', ...others] = this.#lines;
    const line = this.#line - others.length;
    this.#openUntil = Math.max(this.#openUntil, this.#line);
    this.#lines = [];
    this.#cells = [];
    const isDamaged =
      this.#split(first, 0, this.#mark) !== undefined || this.#cells.length !== (this.#width ?? this.#cells.length);
    yield* this.#row(line, this.#cells, isDamaged);
    this.#line = line;
    for (const other of others) yield* this.feed(other);
  }
}

/**
 * The separator of cells in a table, by its beginning.
 *
 * @returns `before`: the line before the header, or nothing. Excel reads and writes the separator there, and a PowerShell 5
 *   a type.
 */
export function separatorIn(start: string): {readonly before: string; readonly separator: string} {
  const [before = '', separator] = /^(?:"?sep=([,;|\t])"?|#TYPE [^\n]*)\r?\n/i.exec(start) ?? [];
  return {before, separator: separator ?? delimiterOf(start.slice(before.length))};
}

/** The most frequent separator outside quotation marks on the first line. */
function delimiterOf(start: string): string {
  const [header = ''] = start.replaceAll(/"[^"]*"/g, '').split(/\r\n|[\r\n]/);
  const counts = delimiters.map((delimiter) => header.split(delimiter).length);
  return delimiters[counts.indexOf(Math.max(...counts))] ?? ',';
}
