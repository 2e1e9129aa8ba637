/** A number as a spreadsheet of some country reads it, such as `12,40`. */
export interface Numeral {
  readonly numeral: string;
}

export type Cell = string | number | boolean | Numeral | null | undefined;

/** Begins a CSV file. Without it, Excel does not read UTF-8. */
export const byteOrderMark = '\uFEFF';

/** A line of a CSV file (RFC 4180). */
export function csvRow(cells: readonly Cell[]): string {
  return separatedRow(cells, ',');
}

/** Such a line with another separator. Spreadsheets of many countries expect semicolons. */
export function separatedRow(cells: readonly Cell[], separator: ',' | ';'): string {
  return `${cells.map(quoted).join(separator)}\r\n`;
}

/**
 * Where a spreadsheet would read a formula: at the beginning of a text, and after each character that it may take for the
 * separator of cells.
 */
const formula = /(^|[;|\t\r\n])(["' ]*)(?=[=+\-@＝＋－＠])/g;
const escapedFormula = /(^|[;|\t\r\n])(["' ]*)'(?=[=+\-@＝＋－＠])/g;

/** Restores a text that an export has escaped. */
export function withFormulas(text: string): string {
  return text.replaceAll(escapedFormula, '$1$2');
}

/**
 * Quotes a cell. A text that a spreadsheet would run as a formula gets an apostrophe, as OWASP advises, because strangers
 * choose accounts, URLs, titles and tags. A text that looks as if it had one already gets one, too, so that an import can
 * take one away from each.
 */
function quoted(cell: Cell): string {
  if (typeof cell === 'object' && cell !== null) return cell.numeral.includes(',') ? `"${cell.numeral}"` : cell.numeral;
  if (typeof cell !== 'string') return String(cell ?? '');
  const text = cell.replaceAll(formula, "$1$2'");
  return /[",\r\n;|\t]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
