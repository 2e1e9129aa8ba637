import type {Counters} from '../../store/port.ts';
import type {RecordValue} from '../copy/content.ts';

/** Changes with the form of the lines, and with the stored form of records. */
export const exportVersion = 2;

/** The first line. */
export interface HeadLine {
  readonly format: 'koa-short-url';
  readonly version: typeof exportVersion;
  /** The name of the site. Copies and imports of a site keep it. */
  readonly site: string;
  /** The account to which the export was restricted. */
  readonly account?: string;
}

/** The last line. Its counts show whether lines were lost. */
export interface EndLine {
  readonly end: true;
  readonly records: number;
  readonly counters: number;
}

export interface RecordLine extends RecordValue {
  readonly key: string;
}

export interface CountersLine {
  readonly key: string;
  /** The counters, sorted by name. */
  readonly counts: Readonly<Record<string, number>>;
  /** In milliseconds since the epoch; absent if there is no time. */
  readonly at?: number;
}

export function headLine(site: string, account: string | undefined): string {
  return lineOf({format: 'koa-short-url', version: exportVersion, site, ...(account === undefined ? {} : {account})});
}

export function endLine(records: number, counters: number): string {
  return lineOf({end: true, records, counters});
}

export function recordLine(key: string, {value, expires}: RecordValue): string {
  return lineOf({key, value, expires});
}

export function countersLine(key: string, {counts, at}: Counters): string {
  const sorted = Array.from(counts).sort(([one], [other]) => (one < other ? -1 : 1));
  return lineOf({key, counts: Object.fromEntries(sorted), ...(at === undefined ? {} : {at})});
}

function lineOf(line: HeadLine | EndLine | RecordLine | CountersLine): string {
  return `${JSON.stringify(line)}\n`;
}
