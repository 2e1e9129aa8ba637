import {Columns, type Field, fieldNames, protectiveFields} from '../../tools/tables/columns.ts';
import {readList} from '../../tools/tables/lists.ts';
import {mayProtect, readProtection, readStatus, saysNothing} from '../../tools/tables/protection.ts';
import {readRows as readTable, type TableRow} from '../../tools/tables/tables.ts';
import {UnreadableTable, UnreadableValue} from '../../tools/tables/unreadable.ts';
import {isNull, readYesOrNo} from '../../tools/tables/words.ts';
import {inOneLine} from '../../values/characters.ts';
import {type InputName, inputNames, inputOf, inputs, isYesOrNo} from './inputs.ts';
import {type Entered, enteredIn, filled} from './link-fields.ts';

export const maxRows = 100;

/** The inputs that a row may fill. */
export type RowInput = 'url' | 'custom_url' | 'base_domain' | 'password' | InputName;

/** A link to create, in one line of a text. */
export interface LinkRow {
  readonly line: number;
  readonly entered: Entered;
  /** Whether the text says that the link is out of service, or has a password that the text does not have. */
  readonly isProtected: boolean;
}

/** The links of a text. */
export interface LinkTable {
  /** At most one more than the maximum. */
  readonly rows: readonly LinkRow[];
  /** The inputs that some row fills. */
  readonly filled: readonly RowInput[];
  /** The names of columns with values that nothing reads. */
  readonly ignored: readonly string[];
}

/** The columns of a text without headings. */
const usual: readonly RowInput[] = ['url', 'custom_url', 'title', 'tags'];

/** The fields of columns, where their names differ from those of the inputs. */
const columnOf: ReadonlyMap<RowInput, Field> = new Map<RowInput, Field>([
  ['url', 'url'],
  ['custom_url', 'shortPart'],
  ['base_domain', 'domain'],
  ['expiry_date', 'end'],
]);

const allInputs: ReadonlyArray<Exclude<RowInput, 'password'>> = ['url', 'custom_url', 'base_domain', ...inputNames];

/**
 * Reads lines with a link each. A first line with headings says what the columns are, in any language of the dashboard;
 * without one they are long URL, custom ending, title and tags.
 *
 * @param isFile whether commas and semicolons may separate the columns. Those in a text that was typed belong to its URLs
 * @returns undefined if a quotation mark is not closed, or a row has too many cells
 */
export async function readRows(text: string, isFile: boolean): Promise<LinkTable | undefined> {
  const table = new Table();
  try {
    for await (const row of readTable(inOnePart(text), isFile ? undefined : '\t')) {
      if (table.add(row) > maxRows) break;
    }
  } catch (error) {
    if (!(error instanceof UnreadableTable)) throw error;
    return undefined;
  }
  return table;
}

async function* inOnePart(text: string): AsyncGenerator<string> {
  yield text;
}

class Table implements LinkTable {
  readonly rows: LinkRow[] = [];
  #columns: Columns | undefined;
  #isFirst = true;
  readonly #filled = new Set<RowInput>();
  readonly #ignored = new Set<string>();

  get filled(): readonly RowInput[] {
    return [...allInputs, 'password' as const].filter((name) => this.#filled.has(name));
  }

  get ignored(): readonly string[] {
    return [...this.#ignored];
  }

  /** @returns the number of links so far */
  add({line, cells}: TableRow): number {
    const headings = this.#isFirst ? new Columns(cells) : undefined;
    this.#isFirst = false;
    if (headings?.has('url') === true) {
      this.#columns = headings;
      return 0;
    }
    const columns = this.#columns;
    const given = columns === undefined ? byPlace(cells) : byName(cells, columns);
    for (const [name, value] of given) if (value !== '') this.#filled.add(name);
    const {password, isProtected} = protectionOf(cells, columns);
    if (password !== undefined) this.#filled.add('password');
    for (const name of ignoredIn(cells, columns)) this.#ignored.add(name);
    const entered = enteredIn(
      new Map([...given, ...(password === undefined ? [] : [['password', password] as const])]),
    );
    return this.rows.push({line, entered, isProtected});
  }
}

type Given = ReadonlyMap<RowInput, string>;

function byPlace(cells: readonly string[]): Given {
  return new Map(usual.map((name, place) => [name, textFor(name, cells[place] ?? '')]));
}

/** The field of the columns for an input. */
function fieldOf(name: Exclude<RowInput, 'password'>): Field {
  return columnOf.get(name) ?? (inputOf(name as InputName).field as Field);
}

/** The fields that the rows of a table may have. */
const known: ReadonlySet<Field> = new Set<Field>([...allInputs.map(fieldOf), 'status', ...protectiveFields]);

function cellIn(cells: readonly string[], columns: Columns, field: Field): string {
  return cells[columns.each(field)[0]?.place ?? -1] ?? '';
}

function byName(cells: readonly string[], columns: Columns): Given {
  return new Map(allInputs.map((name) => [name, textFor(name, cellIn(cells, columns, fieldOf(name)))]));
}

/** What the user would enter for a cell. */
function textFor(name: RowInput, cell: string): string {
  if (isNull(cell)) return '';
  const text = name === 'url' ? cell.trim() : inOneLine(cell);
  if (name === 'tags') return readList(text).join(', ');
  if (!(name in inputs) || !isYesOrNo(name as InputName)) return text;
  const flag = readYesOrNo(text);
  return flag === undefined ? '' : flag === 'unknown' ? text : flag ? 'yes' : 'no';
}

function protectionOf(
  cells: readonly string[],
  columns: Columns | undefined,
): {readonly password?: string | undefined; readonly isProtected: boolean} {
  if (columns === undefined) return {isProtected: false};
  try {
    const {password, isDisabled, isLocked} = readProtection(
      protectiveFields.flatMap((field) =>
        columns.each(field).map(({place, name}) => ({field, name, value: cells[place]})),
      ),
    );
    const isOff = readStatus(cellIn(cells, columns, 'status')) !== 'active';
    const isInDoubt = columns.unknown.some(({place, name}) => mayProtect(name) && !saysNothing(cells[place]));
    return {password: filled(password), isProtected: isDisabled || isLocked || isOff || isInDoubt};
  } catch (error) {
    if (!(error instanceof UnreadableValue)) throw error;
    return {isProtected: true};
  }
}

function ignoredIn(cells: readonly string[], columns: Columns | undefined): string[] {
  if (columns === undefined) {
    return cells
      .slice(usual.length)
      .flatMap((cell, index) => (cell.trim() === '' ? [] : [String(index + 1 + usual.length)]));
  }
  const others = fieldNames.filter((field) => !known.has(field)).flatMap((field) => columns.each(field));
  return [...others, ...columns.unknown].flatMap(({place, name}) =>
    (cells[place] ?? '').trim() === '' ? [] : [inOneLine(name).slice(0, 60)],
  );
}

/** The rows as a text that `readRows` reads, with a column for those that the user has to decide about. */
export function textOfRows(rows: readonly LinkRow[]): string {
  const names = [...allInputs, 'password' as const].filter((name) => rows.some(({entered}) => filled(entered[name])));
  const areProtected = rows.some(({isProtected}) => isProtected);
  const isUsual = !areProtected && names.every((name) => usual.includes(name));
  const shown = isUsual ? usual : names;
  const lines = rows.map(({entered, isProtected}) =>
    [...(areProtected ? [isProtected ? 'yes' : ''] : []), ...shown.map((name) => cellOf(entered[name] ?? ''))]
      .join('\t')
      .trimEnd(),
  );
  const headings = [...(areProtected ? ['disabled'] : []), ...shown].join('\t');
  return [...(isUsual ? [] : [headings]), ...lines].join('\n');
}

/** Only a quotation mark at the beginning, or a separator, needs quotation marks. */
function cellOf(text: string): string {
  return /^"|[\t\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
