import {inOneLine} from '../../host/characters.ts';
import {withScheme} from './long-url.ts';

export const maxRows = 100;

/** A link to create, in one line of a text. */
export interface LinkRow {
  readonly line: number;
  readonly url: string;
  readonly customUrl: string;
  readonly title: string;
}

/**
 * Reads lines with a long URL and perhaps a custom ending and a title, without a line of headings.
 *
 * @param isFile whether commas and semicolons may separate the columns. Those in a text that was typed belong to its URLs
 * @returns at most one row more than the maximum; undefined if a quotation mark is not closed
 */
export async function readRows(text: string, isFile: boolean): Promise<LinkRow[] | undefined> {
  const {parse} = await import('csv-parse/sync');
  const lines = text.replaceAll('\r\n', '\n');
  const delimiter = ['\t', ';', ','].find((each) => isFile && firstLineOf(lines).includes(each)) ?? '\t';
  try {
    const rows = parse(lines, {
      delimiter,
      info: true,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      to: maxRows + 2,
    }) as unknown as Array<{readonly record: readonly string[]; readonly info: {readonly lines: number}}>;
    return rows
      .filter(({record}, index) => record.join('').trim() !== '' && !(index === 0 && isHeading(record[0] ?? '')))
      .slice(0, maxRows + 1)
      .map(({record: [url = '', customUrl = '', title = ''], info: {lines: line}}) => ({
        line,
        url: withScheme(url),
        customUrl: customUrl.trim(),
        title: inOneLine(title),
      }));
  } catch (error) {
    if (!String((error as {code?: unknown} | undefined)?.code).startsWith('CSV_')) throw error;
    return undefined;
  }
}

/** The rows as a text that `readRows` reads. */
export function textOfRows(rows: readonly LinkRow[]): string {
  return rows.map(({url, customUrl, title}) => [url, customUrl, title].join('\t').trimEnd()).join('\n');
}

function firstLineOf(text: string): string {
  const [line = ''] = text.split('\n', 1);
  return line;
}

/** Whether a first cell names a column: it has the word, and cannot be a URL with or without a scheme. */
function isHeading(text: string): boolean {
  return /^[^.:/]*(?:url|link|网址|網址)[^.:/]*$/i.test(text.slice(0, 100));
}
