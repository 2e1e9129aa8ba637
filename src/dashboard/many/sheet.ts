import type {Fields} from '../../http/koa/form-body.ts';
import {timeZone} from '../../tables/moments.ts';
import {readTable, type Table, type TableLine} from '../../tables/read-table.ts';
import {separatorIn} from '../../tables/tables.ts';
import {UnreadableTable} from '../../tables/unreadable.ts';
import type {DashboardRequest} from '../request.ts';
import {type Choice, choosable, headingNames, isChoice} from './columns.ts';

/** The separators of columns, by their names in a form. */
export const separators = {comma: ',', semicolon: ';', tab: '\t', bar: '|'} as const;

export type SeparatorName = keyof typeof separators;

/** More columns than the form has fields for. */
const maxColumns = 200;

/** A table of links, and how its columns are used. */
export interface Sheet {
  /** The text of the rows up to the headings of the columns; empty if the table has none. */
  readonly heading: string;
  /** The headings of the columns; empty without them. */
  readonly headings: readonly string[];
  readonly separator: SeparatorName;
  /** By the places of the columns. */
  readonly choices: readonly Choice[];
  /** Whether 03/04/2027 is in April, as was decided with all rows; null if nothing says so. */
  readonly isDayFirst: boolean | null;
  /** The text of the rows that nothing was made of yet. Its lines end with line feeds. */
  readonly text: string;
  /** The number of its first line in what the user has given. */
  readonly line: number;
}

/** What the user says about a table, which otherwise follows from its beginning. */
interface Said {
  readonly separator?: SeparatorName | undefined;
  readonly hasHeading?: boolean | undefined;
}

/**
 * Reads the columns of a table.
 *
 * @param isFile whether commas and semicolons may separate the columns of rows without headings for them. Those in a text
 *   that was typed belong to its URLs
 * @returns undefined for a table without rows
 * @throws UnreadableTable
 */
export async function openSheet(
  request: DashboardRequest,
  given: string,
  isFile: boolean,
  {separator: said, hasHeading: hasHeadings}: Said = {},
): Promise<Sheet | undefined> {
  const whole = given.replaceAll(/\r\n?/g, '\n');
  const {before, separator: found} = separatorIn(whole.slice(0, 20_000));
  const text = whole.slice(before.length);
  const open = (separator: string): Promise<Table | undefined> =>
    readTable(inOnePart(text), {
      ...settingsOf(request),
      language: request.language,
      usual,
      separator,
      hasHeadings,
    });
  const name = (Object.keys(separators) as SeparatorName[]).find((each) => separators[each] === found) ?? 'comma';
  let separator = said ?? name;
  let table = await open(separators[separator]);
  if (!isFile && said === undefined && before === '' && table && !(table.hasHeadings && table.columns.length > 1)) {
    separator = 'tab';
    table = await open(separators.tab);
  }
  if (table === undefined) return undefined;
  const {columns, isDayFirst, lines} = table;
  if (columns.length > maxColumns) throw new UnreadableTable('The table has too many columns');
  const first = await lines.next();
  await lines.return(undefined);
  const rest = table.hasHeadings ? textFrom(text, first.done === true ? undefined : first.value.line) : text;
  const heading = text.slice(0, text.length - rest.length);
  const known = choosable(request);
  return {
    heading,
    headings: table.hasHeadings ? columns.map((column) => column.heading) : [],
    separator,
    choices: columns.map(({field, isInDoubt}) => {
      if (isInDoubt) return 'undecided';
      return field !== undefined && known.has(field) ? field : '';
    }),
    isDayFirst,
    text: rest,
    line: linesIn(before) + linesIn(heading) + 1,
  };
}

/** The headings of a table without them. */
const usual = ['url', 'custom_url', 'title', 'tags'];

function settingsOf({shortener}: DashboardRequest) {
  return {zone: timeZone(shortener.timeZone), form: {names: headingNames}};
}

/** The rows that are left. @throws UnreadableTable */
export async function* rowsOf(request: DashboardRequest, sheet: Sheet): AsyncGenerator<TableLine> {
  const {heading, text, line, separator, choices, isDayFirst} = sheet;
  const table = await readTable(inOnePart(heading + text), {
    ...settingsOf(request),
    separator: separators[separator],
    hasHeadings: heading !== '',
    isDayFirst,
    chosen: choices.map((choice) => (choice === '' || choice === 'undecided' ? null : choice)),
  });
  if (table === undefined) return;
  const before = line - linesIn(heading) - 1;
  for await (const row of table.lines) yield {...row, line: row.line + before};
}

/** The sheet without the rows before a line; without any, if there is no such line. */
export function sheetFrom(sheet: Sheet, line: number | undefined): Sheet {
  if (line === undefined) return {...sheet, text: ''};
  return {...sheet, line, text: textFrom(sheet.text, line - sheet.line + 1)};
}

/** @param line from 1 */
function textFrom(text: string, line: number | undefined): string {
  if (line === undefined) return '';
  let start = 0;
  for (let number = 1; number < line; number += 1) start = text.indexOf('\n', start) + 1;
  return text.slice(start);
}

function linesIn(text: string): number {
  return text.split('\n').length - 1;
}

async function* inOnePart(text: string): AsyncGenerator<string> {
  yield text;
}

/** The fields of a form by which `sheetIn` finds the sheet again, without the menus of the columns. */
export function hiddenOf({heading, headings, separator, text, line, isDayFirst}: Sheet): Record<string, string> {
  const readAs = `${separator} ${heading === '' ? 'rows' : 'headings'}`;
  return {
    ...{heading, headings: JSON.stringify(headings), lines: text, line: String(line), read_as: readAs},
    ...(isDayFirst !== null && {day_first: isDayFirst ? 'yes' : 'no'}),
  };
}

/** The menus of the columns, as they are chosen. */
export function chosenOf({choices}: Sheet): Record<string, string> {
  return Object.fromEntries(choices.map((choice, place) => [`column_${place}`, choice]));
}

/** Whether a form is of a sheet, and not yet of a text or a file. */
export function hasSheet(form: Fields): boolean {
  return form.has('read_as');
}

/**
 * The sheet of a form.
 *
 * @param again whether the user may have changed the separator, or whether the first row has the headings
 * @throws UnreadableTable
 */
export async function sheetIn(request: DashboardRequest, again = false): Promise<Sheet | undefined> {
  const {form} = request;
  const textOf = (name: string): string => form.get(name)?.replaceAll(/\r\n?/g, '\n') ?? '';
  const [heading, text] = [textOf('heading'), textOf('lines')];
  const [was, what] = textOf('read_as').split(' ');
  const separator = (Object.keys(separators) as SeparatorName[]).find(
    (name) => name === (again ? form.get('separator') : was),
  );
  const hadHeading = what === 'headings';
  const hasHeading = again ? form.get('has_heading') === 'yes' : hadHeading;
  const isSame = separator === was && hasHeading === hadHeading;
  if (separator === undefined || !isSame) return openSheet(request, heading + text, true, {separator, hasHeading});
  const chosen = Array.from({length: maxColumns}, (_, place) => form.get(`column_${place}`));
  const width = chosen.findLastIndex((choice) => choice !== undefined) + 1;
  const line = Math.trunc(Number(form.get('line')));
  return {
    heading,
    headings: headingsIn(textOf('headings')),
    separator,
    choices: chosen.slice(0, width).map((choice = '') => (isChoice(request, choice) ? choice : '')),
    isDayFirst: form.has('day_first') ? form.get('day_first') === 'yes' : null,
    text,
    line: line > 0 ? line : 1,
  };
}

/** They are only shown. */
function headingsIn(text: string): string[] {
  try {
    const headings: unknown = JSON.parse(text);
    return Array.isArray(headings) ? headings.slice(0, maxColumns).map(String) : [];
  } catch {
    return [];
  }
}
