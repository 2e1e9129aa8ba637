import {wholeLength} from '../../tables/tables.ts';
import type {DashboardRequest} from '../request.ts';
import {linkRow, type LinkRow} from './rows.ts';
import {rowsOf, separators, type Sheet, sheetFrom} from './sheet.ts';

/** How many rows one request creates or changes. */
const portionLength = 500;

/** What became of a row. */
export interface RowResult {
  readonly row: LinkRow;
  shortUrl?: string | undefined;
  /** Whether a link was created or changed. */
  isDone: boolean;
  error?: string | undefined;
}

/** Some rows, and the sheet of those that come after them. */
export interface Portion {
  readonly rows: readonly LinkRow[];
  readonly rest: Sheet;
}

/**
 * The next rows of a sheet. If more text follows, the last of its rows may be cut off, and is left for the next portion.
 *
 * @throws UnreadableTable
 */
export async function nextPortion(request: DashboardRequest, sheet: Sheet): Promise<Portion> {
  const whole = wholeRows(request, sheet);
  const rows: LinkRow[] = [];
  for await (const row of rowsOf(request, whole)) {
    if (rows.length === portionLength) return {rows, rest: sheetFrom(sheet, row.line)};
    rows.push(linkRow(request, sheet, row));
  }
  const line = sheet.line + whole.text.split('\n').length - 1;
  return {rows, rest: {...sheet, line, text: sheet.text.slice(whole.text.length)}};
}

/** Whether the browser has more of a table than the form. */
export function hasMore({form}: DashboardRequest): boolean {
  return form.get('more') === 'yes';
}

/** The rows of a sheet without one that may be cut off. */
export function wholeRows(request: DashboardRequest, sheet: Sheet): Sheet {
  return hasMore(request) ? {...sheet, text: sheet.text.slice(0, lengthOfRows(sheet))} : sheet;
}

/** The length of the rows that are whole, or that of the whole text if none is. */
function lengthOfRows({heading, text, separator}: Sheet): number {
  const length = wholeLength(heading + text, separators[separator]) - heading.length;
  return length > 0 ? length : text.length;
}
