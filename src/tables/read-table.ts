import {withFormulas} from '../values/csv.ts';
import {Columns, type Field} from './columns.ts';
import {timeZone} from './moments.ts';
import {mayClose} from './protection.ts';
import {type RowForm, RowReader, type RowSettings} from './rows.ts';
import {Sample} from './sample.ts';
import {keptText} from './spreadsheet.ts';
import type {ReadLine} from './source-link.ts';
import {readRows, type TableRow} from './tables.ts';
import {UnreadableValue} from './unreadable.ts';
import {isNull, plain} from './words.ts';

/** What a person, or a format, says about a table. */
export interface TableChoices extends RowSettings {
  readonly form?: RowForm | undefined;
  /** The separator of cells; by default the one of commas, semicolons, bars and tabs that the first line has most. */
  readonly separator?: string | undefined;
  /** Whether the first row has the names of the columns; by default whether it looks so. */
  readonly hasHeadings?: boolean | undefined;
  /** The headings that a table without them would have, such as `url`. */
  readonly usual?: readonly string[] | undefined;
  /**
   * The language of the table, such as `de` or `en-US`, which decides about dates such as 03/04/2027 if no date of the
   * table does.
   */
  readonly language?: string | undefined;
}

export interface TableColumn {
  /** As it is in the table; empty without headings. */
  readonly heading: string;
  /** What it was recognised as or chosen to be; undefined if it is not used. */
  readonly field: Field | undefined;
  /** Whether somebody should look at it: nothing reads it, and it may keep visitors from a link. */
  readonly isInDoubt: boolean;
  /** Whether some row has a value in it. */
  readonly isFilled: boolean;
}

/** A row of a table, and the link that it becomes, or several for several short URLs of one link. */
export interface TableLine extends TableRow {
  readonly links: readonly ReadLine[];
}

/** What was understood of a table. */
export interface Table {
  readonly hasHeadings: boolean;
  readonly columns: readonly TableColumn[];
  /** What was decided about dates such as 03/04/2027. Pass it on when the rows are read in portions. */
  readonly isDayFirst: boolean | null;
  /** The rows after the headings. They can be read once. */
  readonly lines: AsyncGenerator<TableLine>;
}

/** Columns by which an export of this package is recognised. */
const ofExport = ['account', 'domain', 'short_part', 'long_url', 'has_password', 'expires', 'last_visit'];

/** How many rows, and characters in them, are read before it is decided what a table is. */
const sampleRows = 10_000;
const sampleLength = 4_000_000;

/**
 * Reads a table of links: a file, or a text that was pasted. What its columns are is decided by their headings and their
 * first ten thousand rows, and can be chosen.
 *
 * To show a preview, read a table without `chosen`, and show `columns` with the first of `lines`. Then read it again with
 * what the user has chosen for each column, and make links of what `lines` has: a link without a long URL or a short
 * part is read too, and a row that cannot be read says why, and which column is wrong.
 *
 * @returns undefined for a table without rows
 * @throws UnreadableTable if its rows cannot be told apart, also while the lines are read
 * @example
 * const table = await readTable(texts, {zone: timeZone('Europe/Berlin'), chosen: ['url', null, 'end']});
 */
export async function readTable(content: AsyncGenerator<string>, choices: TableChoices): Promise<Table | undefined> {
  const rows = readRows(content, choices.separator);
  const begun = await start(rows);
  const [first] = begun;
  if (first === undefined) return undefined;
  const {usual = [], form = {}} = choices;
  const hasHeadings = choices.hasHeadings ?? areHeadings(first.cells, form);
  const isExport = hasHeadings && ofExport.every((name) => first.cells.includes(name));
  const width = begun.reduce((most, {cells}) => Math.max(most, cells.length), 0);
  const header = hasHeadings ? first.cells : Array.from({length: width}, (_, place) => usual[place] ?? '');
  const body = hasHeadings ? begun.slice(1) : begun;
  const sample = new Sample(header, body, form.names);
  const fits = (field: Field, place: number): boolean => isExport || sample.fits(field, place);
  const columns = new Columns(header, form.names, choices.chosen, fits);
  const isDayFirst = choices.isDayFirst === undefined ? sample.isDayFirst(choices.language) : choices.isDayFirst;
  const ofOwn = {zone: timeZone(), isExact: true};
  const reader = new RowReader(
    // In an export of this package tags may have semicolons and bars.
    isExport ? {...form, separator: ','} : form,
    {
      ...choices,
      ...(isExport && ofOwn),
      fits,
      isDayFirst,
      paths: sample.pathsIn(columns),
      hasEntities: !isExport && sample.hasEntities(columns),
    },
  );
  const fields = header.map((_, place) => columns.at(place));
  const toLine = (row: TableRow): TableLine => ({
    ...row,
    links: reader.lines({
      line: row.line,
      header,
      cells: row.cells.map((cell, place) => unescape(cell, fields[place], isExport)),
      check() {
        checkRow(row, header.length);
      },
    }),
  });
  async function* lines(): AsyncGenerator<TableLine> {
    for (const row of body) yield toLine(row);
    for await (const row of rows) yield toLine(row);
  }
  const {open = []} = choices;
  const isInDoubt = (place: number, name: string): boolean =>
    !open.some((each) => plain(each) === plain(name)) && sample.at(place).some((value) => mayClose(name, value));
  const inDoubt = columns.unknown.filter(({place, name}) => isInDoubt(place, name)).map(({place}) => place);
  return {
    hasHeadings,
    isDayFirst,
    columns: header.map((heading, place) => ({
      heading: hasHeadings ? heading : '',
      field: fields[place],
      isInDoubt: inDoubt.includes(place),
      isFilled: sample.at(place).length > 0,
    })),
    lines: lines(),
  };
}

function areHeadings(cells: readonly string[], {names}: RowForm): boolean {
  const columns = new Columns(cells, names);
  return (
    (columns.has('url') || columns.has('shortUrl')) && !cells.some((cell) => /^\s*[a-z][a-z\d+.-]*:\/\//i.test(cell))
  );
}

/** The first rows. */
async function start(rows: AsyncGenerator<TableRow>): Promise<TableRow[]> {
  const sample: TableRow[] = [];
  let length = 0;
  while (sample.length < sampleRows && length < sampleLength) {
    const next = await rows.next();
    if (next.done === true) break;
    sample.push(next.value);
    length += next.value.cells.reduce((sum, cell) => sum + cell.length, 0);
  }
  return sample;
}

/** A text without what an export or a spreadsheet adds to it; undefined for the null of a database. */
function unescape(cell: string, field: Field | undefined, isExport: boolean): string | undefined {
  if (isExport) return keptText(withFormulas(cell));
  // A short part may be the word itself.
  if (isNull(cell)) return field === 'shortPart' && /^null$/i.test(cell) ? cell : undefined;
  return field === 'password' ? cell : cell.replace(/^'(?='*[=+\-@＝＋－＠])/, '');
}

/**
 * Checks that a row is UTF-8, is whole, and has no text after its last column. A separator without quotation marks moves
 * the rest of the row into the wrong columns.
 *
 * @throws UnreadableValue `not_utf8` or `unreadable_row`
 */
function checkRow({cells, isDamaged}: TableRow, width: number): void {
  checkUtf8(cells);
  if (isDamaged === true) throw new UnreadableValue('unreadable_row', 'A quotation mark in the line is not closed.');
  if (cells.slice(width).every((cell) => cell.trim() === '')) return;
  const message = 'The line has more cells than columns. Quote cells that contain a separator.';
  throw new UnreadableValue('unreadable_row', message);
}

/** @throws UnreadableValue `not_utf8` */
export function checkUtf8(cells: readonly unknown[]): void {
  if (!cells.some((cell) => typeof cell === 'string' && cell.includes('\uFFFD'))) return;
  throw new UnreadableValue('not_utf8', 'The line is not UTF-8: save the file as UTF-8 and import it again.');
}
