import {inOneLine} from '../../../values/characters.ts';
import {fromText} from '../../../values/json.ts';
import {moment} from '../../../values/shapes.ts';
import {Columns, type Field, type MoreNames} from '../../tables/columns.ts';
import {readList} from '../../tables/lists.ts';
import {readFlag, readProtection, readStatus, saysNothing} from '../../tables/protection.ts';
import {UnreadableValue} from '../../tables/unreadable.ts';
import {fields, type ShownName, shownNames} from '../../../link/fields.ts';
import {utmName, utmParts} from '../../../link/utm.ts';
import {type Note, readLine, type SourceLine, unreadable} from './source-link.ts';
import {readLastMoment, readMoment, type TimeZone} from './moments.ts';
import {readCount, readDomain, readShortUrl, readText, required, type ShortUrlParts} from './values.ts';

export interface RowSettings {
  /** The time zone of dates without one. */
  readonly zone: TimeZone;
  /** The path before the short parts of a domain, such as `/s`; undefined for a domain that the site does not have. */
  readonly pathOf: (domain: string) => string | undefined;
  /** Called with the name of a column or a member that has values and is not imported, at least once. */
  readonly onIgnored: (name: string) => void;
}

/** How a source differs from others. */
export interface RowForm {
  /** Names of its columns besides the usual ones. */
  readonly names?: MoreNames;
  /** Names of columns that say nothing about a link. */
  readonly silent?: readonly string[];
  /** The separator of tags; by default commas, semicolons and bars. */
  readonly separator?: string;
  /** Whether an expiry date is the last day or second on which the link works, as this package writes it. */
  readonly isLastMoment?: boolean;
}

/** A link in a source. */
export interface Row {
  /** Its first line in a text file, or its number in any other source. */
  readonly line: number;
  readonly header: readonly string[];
  readonly cells: readonly unknown[];
  readonly notes?: readonly Note[] | undefined;
  /** Throws an `UnreadableValue` if the row is damaged. */
  readonly check?: () => void;
}

/** The row of an object. */
export function rowOf(line: number, members: Readonly<Record<string, unknown>>, notes?: readonly Note[]): Row {
  const given = Object.entries(members).filter(([, value]) => value !== undefined && value !== null);
  return {line, header: given.map(([name]) => name), cells: given.map(([, value]) => value), notes};
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
      this.#columns = new Columns(header, this.#form.names, this.#form.silent);
    }
    return this.#columns;
  }

  /** A line for each short URL of a row. There is one count of visits for all of them, which the first link gets. */
  lines(row: Row): SourceLine[] {
    const columns = this.columnsOf(row.header);
    for (const [place, name] of columns.unknown) if (!isEmpty(row.cells[place])) this.#settings.onIgnored(name);
    const cell = (field: Field): unknown => columns.get(row.cells, field);
    let shorts: readonly Short[];
    try {
      shorts = this.#shortsOf(cell);
    } catch (error) {
      return [unreadable(row.line, undefined, error)];
    }
    return shorts.map(({shortPart, domain}, place) =>
      readLine(row.line, shortPart, () => {
        row.check?.();
        const given = readText(cell('shortUrl'));
        const link = this.#read(row, columns);
        return {
          line: row.line,
          shortPart: required(shortPart, 'short part', given),
          domain,
          ...link,
          visits: place === 0 ? link.visits : 0,
        };
      }),
    );
  }

  #shortsOf(cell: (field: Field) => unknown): readonly Short[] {
    const whole = readText(cell('shortUrl'));
    const short = readShortUrl(whole);
    // Polr has only the ending there. Its secret links have a key behind it.
    const ending = whole !== undefined && /^[^/?#]+$/.test(whole) ? whole : undefined;
    const named = readText(cell('shortPart'));
    const secretKey = readText(cell('secretKey'));
    const first = this.#isUnderPath(short) ? short?.shortPart : (named ?? ending ?? (short && this.#partOf(short)));
    const custom = cell('custom');
    const others = Array.isArray(custom) ? (custom as unknown[]) : (readText(custom)?.split(/[\s,;|]+/) ?? []);
    const shorts = [
      {
        shortPart:
          first !== undefined && secretKey !== undefined && !saysNothing(secretKey) ? `${first}/${secretKey}` : first,
        domain: readDomain(cell('domain')) ?? short?.domain,
      },
      ...others.flatMap((other) => {
        const found = readShortUrl(other);
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

  /** If a shortener is installed under a path, some exports have the path before each short part. */
  #isUnderPath(short: ShortUrlParts | undefined): boolean {
    return short !== undefined && short.path !== '' && short.path === this.#settings.pathOf(short.domain);
  }

  /**
   * The short part with the path before it, unless that is the path of the domain on this site, or of its first short URL
   * in the file.
   */
  #partOf({domain, path, shortPart}: ShortUrlParts): string {
    const name = domain.toLowerCase();
    const usual = this.#settings.pathOf(domain) ?? this.#paths.get(name) ?? path;
    this.#paths.set(name, usual);
    return path === usual ? shortPart : `${path.slice(1)}/${shortPart}`;
  }

  #read({cells, notes}: Row, columns: Columns) {
    const {zone} = this.#settings;
    const {isLastMoment = false} = this.#form;
    const cell = (field: Field): unknown => columns.get(cells, field);
    if (readFlag('is_deleted', cell('isDeleted')) === true) {
      throw new UnreadableValue('not_a_link', 'The link was deleted in the source.');
    }
    const url = required(readText(cell('url')), 'long URL');
    const visits = readCount(cell('visits'), 'number of visits');
    const ends = columns
      .each(cells, 'end')
      .flatMap(
        (end) => (isLastMoment ? readLastMoment(end, zone) : readMoment(end, 'expiry date', zone, 'its end')) ?? [],
      );
    const status = readStatus(cell('status'));
    const protection = readProtection(columns.protection.map(([place, name]) => [name, cells[place]]));
    const doubt = columns.doubtful.find(([place]) => !saysNothing(cells[place]))?.[1];
    return {
      url,
      created: readMoment(cell('created'), 'creation date', zone),
      end: ends.length === 0 ? undefined : Math.min(...ends),
      visits,
      lastVisit: readMoment(cell('lastVisit'), 'date of the last visit', zone),
      fields: Object.fromEntries(
        shownNames.flatMap((name) => {
          const given = name === 'utm' ? readUtmOf(cell) : cell(name);
          const value = name === 'maxVisits' ? lowest(columns.each(cells, name)) : this.#valueOf(name, given);
          return isEmpty(value) && value !== false ? [] : [[name, value] as const];
        }),
      ),
      ...protection,
      isBlocked: readFlag('banned', cell('isBlocked')) === true,
      isDisabled: status === 'disabled' || protection.isDisabled || doubt !== undefined,
      isExpired: status === 'expired',
      ...((notes !== undefined || doubt !== undefined) && {
        notes: [...(notes ?? []), ...(doubt === undefined ? [] : [inDoubt(doubt)])],
      }),
    };
  }

  /** The value of a field for a create, which checks it. */
  #valueOf(name: ShownName, value: unknown): unknown {
    const {shape, parameter} = fields[name];
    if (name === 'tags') return readTags(value, this.#form.separator);
    if (shape === moment) {
      const time = readMoment(value, parameter, this.#settings.zone);
      return time === undefined ? undefined : new Date(time);
    }
    if (typeof value === 'object') return value;
    const text = readText(value);
    return text === undefined ? value : fromText(shape, text);
  }
}

interface Short {
  readonly shortPart: string | undefined;
  readonly domain: string | undefined;
}

function isEmpty(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() === '';
  return value === undefined || value === null || value === false || (Array.isArray(value) && value.length === 0);
}

/** The lowest of several visit limits; undefined without one. */
function lowest(values: readonly unknown[]): number | undefined {
  const limits = values.map((value) => readCount(value, 'max_visits')).filter((limit) => limit > 0);
  return limits.length === 0 ? undefined : Math.min(...limits);
}

/** What a link gets if nothing reads a column that may protect it. */
function inDoubt(name: string): Note {
  const shown = inOneLine(name).slice(0, 60);
  const message = `“${shown}” may protect the link, and cannot be imported, so the link is disabled. Enable it if it may work.`;
  return {code: 'protection_unknown', message};
}

/** A campaign as one value, or from the columns of its parts. */
function readUtmOf(cell: (field: Field) => unknown): unknown {
  const parts = utmParts.flatMap((part) => {
    const value = readText(cell(utmName(part)));
    return value === undefined ? [] : [[part, value] as const];
  });
  return parts.length === 0 ? cell('utm') : Object.fromEntries(parts);
}

function readTags(value: unknown, separator?: string): string[] {
  if (Array.isArray(value)) return value.flatMap((tag: unknown) => readText(tag) ?? []);
  return readList(readText(value) ?? '', separator);
}
