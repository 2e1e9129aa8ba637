import {planted} from '../planted.ts';
import {grouped} from '../values/describe.ts';
import {malformed} from '../values/input.ts';
import {fieldNames, fields, type NamedUrl} from './fields.ts';
import {type LongUrl, targetOfUrl} from './long-url.ts';
import {type LinkRecord, targetOf} from './record.ts';

/** In bytes of JSON: a record must fit into the tables of every store. */
const maxUrlBytes = 60_000;

export interface Destination extends LongUrl {
  readonly what: string;
}

const urlNames = fieldNames.filter(
  (name) => fields[name].urls !== undefined && !(planted('urls-of-rules-forgotten') && name === 'rules'),
);

/** The URLs in the fields of a link, in their order, as they were given, are stored or were read. */
export function urlsIn(link: object): NamedUrl[] {
  const values = link as Readonly<Record<string, unknown>>;
  return urlNames.flatMap((name) => (values[name] == null ? [] : (fields[name].urls?.(values[name]) ?? [])));
}

/** The URLs of a link whose fields were read. Each of them passes the checks of a destination. */
export function destinationsOf(link: object): Destination[] {
  return urlsIn(link).map(([url, what]) => ({url: String(url), target: targetOfUrl(String(url)), what}));
}

/** Where a link may lead, as it goes into `Location`. */
export function targetsOf(record: LinkRecord): string[] {
  const others = urlsIn({...record, url: undefined});
  return [targetOf(record), ...others.map(([url]) => targetOfUrl(String(url)))];
}

/** @throws ShortUrlError `malformed_parameter` if the fields with URLs take too much space */
export function checkSize(record: LinkRecord): LinkRecord {
  const values = [record.target, ...urlNames.map((name) => record[name as keyof LinkRecord])];
  // One URL is never too long.
  if (values.slice(2).every((value) => value === undefined)) return record;
  if (Buffer.byteLength(JSON.stringify(values)) <= maxUrlBytes) return record;
  throw malformed(`The URLs and the rules of a link must have at most ${grouped(maxUrlBytes)} bytes in total.`);
}
