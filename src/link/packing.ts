import type {Packing} from '../store/port.ts';
import {type LinkRecord, linkShapes, present} from './record.ts';
import {linkRecords, sequences} from './records.ts';

/** Times of creation are counted from this moment, so that they are short. */
const epoch = Date.UTC(2020, 0, 1);

/** Numbers of a link are written in the digits 0 to 9 and a to z. */
const radix = 36;

const linkPrefix = linkRecords.prefix;

/** The number of parts in the text of a link. The long URL comes last, because it may have spaces. */
const texts = 7;

type Rest = Partial<LinkRecord>;

/** The fields in the text that may be wrong. The others are strings. */
const inText: ReadonlyArray<keyof LinkRecord> = ['id', 'position', 'url', 'created'];

const needed: ReadonlySet<keyof LinkRecord> = new Set([
  'domain',
  'slug',
  'id',
  'account',
  'generation',
  'position',
  'counters',
]);

/** `<id> <position> <seconds> <generation> <counters> <account> <long URL>`, and the other properties by name. */
type Packed = string | readonly [text: string, rest: Rest];

/**
 * The stored form of links: one text, because field names and decimal numbers would take more space than the long URL.
 * The domain and the short part are in the key. They are in the record only if the key has a digest of them. The state
 * `active` is left out.
 *
 * The text has no control characters, so every engine can store it.
 */
export const packing: Packing = {
  pack: (key, value) => (key.startsWith(linkPrefix) ? packLink(key, value as LinkRecord) : value),
  unpack: (key, stored) => (key.startsWith(linkPrefix) ? unpackLink(key, stored as Packed) : stored),
  isPacked: (key) => key.startsWith(linkPrefix),
  format: 2,
  firstSequence: sequences.key('account'),
};

function packLink(key: string, record: LinkRecord): Packed {
  const {domain, slug, id, position, created, generation, counters, account, url, state, ...others} = record;
  const seconds = Math.floor((created - epoch) / 1000);
  const text = [
    id.toString(radix),
    position.toString(radix),
    seconds.toString(radix),
    generation,
    counters,
    escape(account),
    url,
  ].join(' ');
  const rest: Rest = {
    ...others,
    ...(state !== 'active' && {state}),
    ...(created !== timeOf(seconds) && {created}),
    ...(nameOf(key) === undefined && {domain, slug}),
  };
  const values: readonly unknown[] = Object.values(rest);
  return values.some((value) => value !== undefined) ? [text, rest] : text;
}

function unpackLink(key: string, packed: Packed): LinkRecord {
  const [text, rest] = typeof packed === 'string' ? [packed] : packed;
  const parts = text.split(' ');
  if (parts.length < texts) throw malformed();
  const [id = '', position = '', seconds = '', generation = '', counters = '', account = ''] = parts;
  const {domain, slug} = nameOf(key) ?? {domain: '', slug: ''};
  // Written without spread syntax, with which V8 gives each object its own hidden class, and every later access is slow.
  const record: LinkRecord = {
    domain,
    slug,
    id: parseInt(id, radix),
    account: unescape(account),
    generation,
    position: parseInt(position, radix),
    url: parts.slice(texts - 1).join(' '),
    created: timeOf(parseInt(seconds, radix)),
    counters,
    state: 'active',
  };
  return readable(Object.assign(record, rest), rest);
}

/**
 * A record that was made by hand may lead to `javascript:`, or have a title that is no text. Nobody gets to see such a
 * value: neither visitors nor pages, exports and events, because every record is read here. The link is disabled without
 * the value, and its owner can set another one.
 */
function readable(record: LinkRecord, rest: Rest | undefined): LinkRecord {
  const names = rest === undefined ? inText : [...inText, ...(Object.keys(rest) as Array<keyof LinkRecord>)];
  const wrong = names.filter((name) => Object.hasOwn(linkShapes, name) && !linkShapes[name].holds(record[name]));
  if (wrong.length === 0) return record;
  if (wrong.some((name) => needed.has(name))) throw malformed();
  const safe = present({
    ...record,
    ...Object.fromEntries(wrong.map((name) => [name, undefined])),
    ...((wrong.includes('url') || wrong.includes('target')) && {url: 'about:blank', target: undefined}),
    ...(wrong.includes('created') && {created: 0}),
    state: record.state === 'removed' ? 'removed' : 'disabled',
  });
  damaged.add(safe);
  return safe;
}

const damaged = new WeakSet<object>();

/** Whether a link was read without a value that no link can have. */
export function isDamaged(record: unknown): boolean {
  return typeof record === 'object' && record !== null && damaged.has(record);
}

function malformed(): SyntaxError {
  return new SyntaxError('The record of a link is malformed');
}

/** The name of a link from its key; undefined if the key has a digest. */
function nameOf(key: string): Pick<LinkRecord, 'domain' | 'slug'> | undefined {
  const name = key.slice(linkPrefix.length + 1, -1);
  if (name.startsWith('%')) return undefined;
  const colon = name.lastIndexOf(':');
  return {domain: name.slice(0, colon), slug: name.slice(colon + 1)};
}

function timeOf(seconds: number): number {
  return epoch + seconds * 1000;
}

function escape(account: string): string {
  return account.replace(/[\p{Control} %]/gu, encodeURIComponent);
}

function unescape(account: string): string {
  return account.replace(/(?:%[\dA-F]{2})+/g, decodeURIComponent);
}
