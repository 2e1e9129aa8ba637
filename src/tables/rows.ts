import {inOneLine} from '../values/characters.ts';
import {fromText} from '../values/json.ts';
import {flag, moment} from '../values/shape.ts';
import {fields, type ShownName, shownNames} from '../link/fields.ts';
import {utmName, utmParts} from '../link/utm.ts';
import {partIn, readCount, readDomain, readShortUrl, readText, type ShortUrlParts, withoutEntities} from './cells.ts';
import {Columns, type Field, type FieldPlace, type MoreNames, protectiveFields} from './columns.ts';
import {readList} from './lists.ts';
import {type DateSettings, readEnd, readMoment} from './moments.ts';
import {mayClose, readFlag, readProtection, readStatus, saysNothing} from './protection.ts';
import {type Note, readLine, type ReadLine, type ReadLink, unreadable} from './source-link.ts';
import {readTargets} from './targets.ts';
import {UnreadableValue} from './unreadable.ts';
import {isNone, plain} from './words.ts';

/** How rows are read. */
export interface RowSettings extends DateSettings {
  /** The path before the short parts of a domain, such as `/s`; undefined for a domain that the site does not have. */
  readonly pathOf?: ((domain: string) => string | undefined) | undefined;
  /** The path that the short URLs of a domain have in the source, by its name in lower case. */
  readonly paths?: ReadonlyMap<string, string> | undefined;
  /** Called with the name of a column or a member that has values and is not imported, at least once. */
  readonly onIgnored?: ((name: string) => void) | undefined;
  /** The field of each column by its place: null leaves it out, undefined takes what its name says. */
  readonly chosen?: ReadonlyArray<Field | null | undefined> | undefined;
  /** Names of columns that nothing reads, and that close no link. */
  readonly open?: readonly string[] | undefined;
  /** Whether a column can be of the field that its name says, by what it has. */
  readonly fits?: ((field: Field, place: number) => boolean) | undefined;
  /** Whether `&amp;` in each URL of the source means `&`. */
  readonly hasEntities?: boolean | undefined;
}

/** How a source differs from others. */
export interface RowForm {
  /** Names of its columns besides the usual ones. */
  readonly names?: MoreNames;
  /** Names of columns that say nothing about a link. */
  readonly silent?: readonly string[];
  /** The separator of tags; by default commas, semicolons and bars. */
  readonly separator?: string;
}

/** A link in a source. */
export interface Row {
  /** Its first line in a text file, or its number in any other source. */
  readonly line: number;
  readonly header: readonly string[];
  readonly cells: readonly unknown[];
  /** Throws an `UnreadableValue` if the row is damaged. */
  readonly check?: () => void;
}

/** The row of an object. */
export function rowOf(line: number, members: Readonly<Record<string, unknown>>): Row {
  const given = Object.entries(members).filter(([, value]) => value !== undefined);
  return {line, header: given.map(([name]) => name), cells: given.map(([, value]) => value)};
}

/** Reads rows of a source as links, by the names of their columns. */
export class RowReader {
  readonly #form: RowForm;
  readonly #settings: RowSettings;
  /** The paths before the short parts, by domain. */
  readonly #paths = new Map<string, string>();
  #header: readonly string[] = [];
  #columns = new Columns([]);

  constructor(form: RowForm, settings: RowSettings) {
    this.#form = form;
    this.#settings = settings;
  }

  /** The columns of a header. */
  columnsOf(header: readonly string[]): Columns {
    const isSame = header.length === this.#header.length && header.every((name, place) => name === this.#header[place]);
    if (!isSame) {
      this.#header = header;
      const {chosen, fits} = this.#settings;
      this.#columns = new Columns(header, this.#form.names, chosen, fits);
    }
    return this.#columns;
  }

  /** A line for each short URL of a row. There is one count of visits for all of them, which the first link gets. */
  lines(row: Row): ReadLine[] {
    const columns = this.columnsOf(row.header);
    const {silent = []} = this.#form;
    for (const {place, name} of [...columns.unknown, ...columns.each('nothing')]) {
      if (!isEmpty(row.cells[place]) && !silent.includes(plain(name))) this.#settings.onIgnored?.(name);
    }
    const cells = new Cells(row.cells, columns);
    let shorts: readonly Short[];
    try {
      shorts = this.#shortsOf(cells);
    } catch (error) {
      return [unreadable(row.line, undefined, error)];
    }
    return shorts.map(({shortPart, domain}, place) =>
      readLine(row.line, shortPart, () => {
        row.check?.();
        const link = this.#read(cells, columns);
        return {line: row.line, shortPart, domain, ...link, visits: place === 0 ? link.visits : 0};
      }),
    );
  }

  #shortsOf(cells: Cells): readonly Short[] {
    const whole = cells.first('shortUrl', readText);
    const short = this.#shortUrlOf(whole);
    // Polr has only the ending there. Its secret links have a key behind it.
    const isPath = short === undefined && (/^[^/?#]+$/.test(whole ?? '') || readShortUrl(whole) !== undefined);
    const ending = isPath ? whole : undefined;
    const given = cells.first('shortPart', readText);
    if (given === undefined && whole !== undefined && short === undefined && ending === undefined) throw noShortUrl();
    const named = given === undefined || short === undefined ? given : partIn(short, given);
    if (named === undefined && given !== undefined) throw otherShortUrl();
    const secretKey = cells.first('secretKey', readText);
    const first = this.#isUnderPath(short) ? short?.shortPart : (named ?? ending ?? (short && this.#partOf(short)));
    const others = cells.first('custom', (value) =>
      Array.isArray(value) ? (value as unknown[]) : readText(value)?.split(/[\s,;|]+/),
    );
    const shorts = [
      {
        shortPart:
          first !== undefined && secretKey !== undefined && !saysNothing(secretKey) ? `${first}/${secretKey}` : first,
        domain: cells.first('domain', readDomain) ?? short?.domain,
      },
      ...(others ?? []).flatMap((other) => {
        const found = this.#shortUrlOf(other);
        return found === undefined ? [] : [{shortPart: this.#partOf(found), domain: found.domain}];
      }),
    ];
    const known = shorts.filter(({shortPart}) => shortPart !== undefined);
    const distinct = known.filter(
      (one, place) =>
        known.findIndex(({shortPart, domain}) => shortPart === one.shortPart && domain === one.domain) === place,
    );
    return distinct.length === 0 ? shorts.slice(0, 1) : distinct;
  }

  /** A host without a dot, as in `go/boots`, is one only if it is a domain of the site. */
  #shortUrlOf(value: unknown): ShortUrlParts | undefined {
    const short = readShortUrl(value);
    if (short === undefined || /[.:]/.test(short.domain) || /^\s*(?:https?:)?\/\//i.test(String(value))) return short;
    return this.#settings.pathOf?.(short.domain) === undefined ? undefined : short;
  }

  /** If a shortener is installed under a path, some exports have the path before each short part. */
  #isUnderPath(short: ShortUrlParts | undefined): boolean {
    return short !== undefined && short.path !== '' && short.path === this.#settings.pathOf?.(short.domain);
  }

  /**
   * The short part with what is before it, without the path of the domain on this site, or that of its short URLs in the
   * source.
   */
  #partOf({domain, path, shortPart}: ShortUrlParts): string {
    const name = domain.toLowerCase();
    const usual = this.#settings.pathOf?.(domain) ?? this.#settings.paths?.get(name) ?? this.#paths.get(name) ?? path;
    this.#paths.set(name, usual);
    const whole = `${path}/${shortPart}`;
    return whole.slice(whole.startsWith(`${usual}/`) ? usual.length + 1 : 1);
  }

  #read(cells: Cells, columns: Columns): Omit<ReadLink, 'line'> {
    const dates = this.#settings;
    const visits = cells.first('visits', (value) => readCount(value, 'number of visits')) ?? 0;
    const ends = cells.each('end', (end) => readEnd(end, 'expiry date', dates));
    const status = cells.first('status', readStatus);
    const protection = readProtection(
      protectiveFields.flatMap((field) => cells.each(field, (value, name) => ({field, name, value}))),
    );
    const doubt = columns.unknown.find((column) => this.#isDoubtful(column, cells.at(column.place)))?.name;
    const url = cells.first('url', readPresent);
    // An export of this package has each long URL as it was given.
    const hasEntities = this.#settings.isExact !== true && url !== undefined && withoutEntities(url) !== url;
    const notes = [
      ...(doubt === undefined ? [] : [inDoubt(doubt)]),
      ...(hasEntities ? [aboutEntities(this.#settings.hasEntities === true)] : []),
    ];
    return {
      url: hasEntities && this.#settings.hasEntities === true ? withoutEntities(url) : url,
      created: cells.first('created', (value) => readMoment(value, 'creation date', dates)),
      end: ends.length === 0 ? undefined : Math.min(...ends),
      visits,
      lastVisit: cells.first('lastVisit', (value) => readMoment(value, 'date of the last visit', dates)),
      fields: Object.fromEntries(
        shownNames.flatMap((name) => {
          const value = this.#valueOf(name, cells);
          return isEmpty(value) && value !== false ? [] : [[name, value] as const];
        }),
      ),
      ...protection,
      isBlocked: cells.first('blocked', (value, name) => readFlag(name, value)) === true,
      isDisabled: status === 'disabled' || protection.isDisabled || doubt !== undefined,
      isExpired: status === 'expired',
      ...(notes.length > 0 && {notes}),
    };
  }

  /** Whether nothing reads a column that may close the link. */
  #isDoubtful({name}: FieldPlace, value: unknown): boolean {
    const {open = []} = this.#settings;
    const {silent = []} = this.#form;
    return mayClose(name, value) && ![...open.map(plain), ...silent].includes(plain(name));
  }

  /** The value of a field for a create, which checks it. */
  #valueOf(name: ShownName, cells: Cells): unknown {
    const {shape, parameter} = fields[name];
    if (name === 'tags') return cells.first(name, (value) => readTags(value, this.#form.separator));
    if (name === 'utm') {
      const campaign = campaignIn(cells);
      if (campaign !== undefined) return campaign;
    }
    if (name === 'maxVisits') return lowest(cells.each(name, (value) => readCount(value, parameter)));
    if (shape === moment) {
      const time = cells.first(name, (value) => readMoment(value, parameter, this.#settings));
      return time === undefined ? undefined : new Date(time);
    }
    if (name === 'rules') return rulesIn(cells);
    if (shape === flag) return cells.first(name, (value, heading) => readFlag(heading, value));
    return cells.first(name, (value) => {
      if (typeof value === 'object') return value;
      const isText = this.#settings.isExact === true || isForPeople.has(name);
      const text = isText ? readText(value) : readPresent(value);
      return text === undefined ? undefined : fromText(shape, text);
    });
  }
}

/** The cells of a row by their fields. An error says which column is wrong. */
class Cells {
  readonly #cells: readonly unknown[];
  readonly #columns: Columns;

  constructor(cells: readonly unknown[], columns: Columns) {
    this.#cells = cells;
    this.#columns = columns;
  }

  at(place: number): unknown {
    return this.#cells[place];
  }

  /** What is read in the columns of a field, without those that say nothing. */
  each<Value>(field: Field, read: (value: unknown, name: string) => Value | undefined): Value[] {
    return this.#columns.each(field).flatMap((column) => this.#read(column, read) ?? []);
  }

  first<Value>(field: Field, read: (value: unknown, name: string) => Value | undefined): Value | undefined {
    const [column] = this.#columns.each(field);
    return column && this.#read(column, read);
  }

  #read<Value>({place, name}: FieldPlace, read: (value: unknown, name: string) => Value): Value {
    try {
      return read(this.#cells[place], name);
    } catch (error) {
      if (error instanceof UnreadableValue) error.column = place;
      throw error;
    }
  }
}

interface Short {
  readonly shortPart: string | undefined;
  readonly domain: string | undefined;
}

/** Texts for people, of which `none` or a dash may be one. */
const isForPeople: ReadonlySet<ShownName> = new Set(['title', 'previewTitle', 'previewDescription', 'utm']);

/** A text that does not say that there is none. */
function readPresent(value: unknown): string | undefined {
  const text = readText(value);
  return text === undefined || isNone(text) ? undefined : text;
}

function aboutEntities(areRead: boolean): Note {
  const message = areRead
    ? 'Each & of the long URL was written as &amp; or &#038;, and is read as &.'
    : 'The long URL has &amp; or &#038;, and is imported as it is. Change it if & is meant.';
  return {code: 'url_entities', message};
}

function otherShortUrl(): UnreadableValue {
  return new UnreadableValue(
    'other_short_url',
    'The short part is not that of the short URL. A spreadsheet may have changed it.',
  );
}

function noShortUrl(): UnreadableValue {
  return new UnreadableValue('not_a_link', 'The short URL cannot be read: a short URL has no query and no fragment.');
}

function isEmpty(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() === '';
  return value === undefined || value === null || value === false || (Array.isArray(value) && value.length === 0);
}

/** The lowest of several visit limits; undefined without one. */
function lowest(values: readonly number[]): number | undefined {
  const limits = values.filter((limit) => limit > 0);
  return limits.length === 0 ? undefined : Math.min(...limits);
}

/** What a link gets if nothing reads a column that may protect it. */
function inDoubt(name: string): Note {
  const shown = inOneLine(name).slice(0, 60);
  const message =
    `“${shown}” may protect the link, and is not imported, so the link is disabled. Enable it if it may work, or name the column in ` +
    '`open`, or --open, before an import.';
  return {code: 'protection_unknown', message};
}

/** The rules of a link, then those that the columns of devices and countries mean. */
function rulesIn(cells: Cells): unknown {
  const given = cells.first('rules', (value) => {
    const text = readPresent(value);
    return typeof value === 'object' || text === undefined ? value : fromText(fields.rules.shape, text);
  });
  const targets = [
    ...devices.flatMap((device) => {
      const url = cells.first(device, readPresent);
      return url === undefined ? [] : [{device, url}];
    }),
    ...cells.each('targets', (value) => (isEmpty(value) || value === '[]' ? undefined : [readTargets(value)])).flat(),
  ];
  return targets.length === 0
    ? given
    : [...(Array.isArray(given) ? (given as unknown[]) : isEmpty(given) ? [] : [given]), ...targets];
}

const devices = ['ios', 'android', 'desktop'] as const;

/** A campaign in the columns of its parts. */
function campaignIn(cells: Cells): Readonly<Record<string, string>> | undefined {
  const parts = utmParts.flatMap((part) => {
    const value = cells.first(utmName(part), readText);
    return value === undefined ? [] : [[part, value] as const];
  });
  return parts.length === 0 ? undefined : Object.fromEntries(parts);
}

function readTags(value: unknown, separator?: string): string[] {
  if (Array.isArray(value)) return value.flatMap((tag: unknown) => readText(tag) ?? []);
  return readList(readText(value) ?? '', separator);
}
