import {isAllEntities, partIn, readShortUrl} from './cells.ts';
import {Columns, type Field, type MoreNames} from './columns.ts';
import {isDayFirstBy, isDayFirstIn} from './moments.ts';
import {isDate, stateOf} from './protection.ts';
import type {TableRow} from './tables.ts';
import {plain} from './words.ts';

/** Headings that mean the short part in some tables, and in others a date, a status or the status of an answer. */
const ofSeveralMeanings: ReadonlySet<string> = new Set('fin final ende ending endung code key path'.split(' '));

/** Headings of our own, which mean nothing else. */
const ofOwn: ReadonlySet<string> = new Set(['shortpart', 'customurl']);

/** What the first rows of a table say about its columns. */
export class Sample {
  readonly #header: readonly string[];
  readonly #rows: readonly TableRow[];
  readonly #byName: Columns;

  constructor(header: readonly string[], rows: readonly TableRow[], names?: MoreNames) {
    this.#header = header;
    this.#rows = rows;
    this.#byName = new Columns(header, names);
  }

  /** The values of a column. */
  at(place: number): string[] {
    return this.#rows.map(({cells}) => cells[place] ?? '').filter((cell) => cell.trim() !== '');
  }

  /** Whether the values of a column can be those of the field that its heading says. */
  fits(field: Field, place: number): boolean {
    const heading = plain(this.#header[place] ?? '');
    const isOfSeveral = ofSeveralMeanings.has(heading);
    if (field === 'end') return !isOfSeveral || this.at(place).every(isDate);
    if (field !== 'shortPart') return true;
    return ofOwn.has(heading) || !((isOfSeveral && this.#isClosed(place)) || this.#isOther(place));
  }

  /** Whether a column has dates only, or a few words or numbers again and again. */
  #isClosed(place: number): boolean {
    const values = this.at(place);
    if (values.length === 0) return false;
    const isAnswer = (value: string): boolean => /^\s*[1-5]\d\d\s*$/.test(value);
    if (plain(this.#header[place] ?? '') === 'code' && values.every(isAnswer)) return true;
    const isStatus = (value: string): boolean => stateOf(value) !== undefined || isAnswer(value);
    return values.every(isDate) || (values.every(isStatus) && new Set(values).size < values.length);
  }

  /** Whether most of its values are not the end of the short URL in their row. */
  #isOther(place: number): boolean {
    const [column] = this.#byName.each('shortUrl');
    if (column === undefined) return false;
    const compared = this.#rows.flatMap(({cells}) => {
      const named = (cells[place] ?? '').trim();
      const short = readShortUrl(cells[column.place]);
      return named === '' || short === undefined ? [] : [partIn(short, named) !== undefined];
    });
    return compared.filter(Boolean).length * 2 < compared.length;
  }

  /** Whether 03/04/2027 is in April, as other dates of the table say, or its language if none does; null if nothing does. */
  isDayFirst(language: string | undefined): boolean | null {
    const said = new Set(this.#rows.flatMap(({cells}) => cells.map(isDayFirstIn)));
    if (said.has(true) && said.has(false)) return null;
    return said.has(true) || (said.has(false) ? false : (isDayFirstBy(language) ?? null));
  }

  /** The path that all short URLs of a domain have before their short parts, such as `/s`, by its name in lower case. */
  pathsIn(columns: Columns): ReadonlyMap<string, string> {
    const paths = new Map<string, string>();
    for (const cell of columns.each('shortUrl').flatMap(({place}) => this.at(place))) {
      const {domain = '', path = ''} = readShortUrl(cell) ?? {};
      const name = domain.toLowerCase();
      paths.set(name, commonPath(paths.get(name) ?? path, path));
    }
    return paths;
  }

  /** Whether each `&` of the URLs in these columns is written as in HTML. */
  hasEntities(columns: Columns): boolean {
    const urls = columns.each('url').flatMap(({place}) => this.at(place));
    const withSign = urls.filter((url) => url.includes('&'));
    return withSign.length > 0 && withSign.every(isAllEntities);
  }
}

function commonPath(one: string, other: string): string {
  let common = one;
  while (!`${other}/`.startsWith(`${common}/`)) common = common.slice(0, common.lastIndexOf('/'));
  return common;
}
