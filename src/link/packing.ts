import {accountPositions, linkPrefix} from '../records.ts';
import {isHarmless} from './long-url.ts';
import type {Packing} from '../store/port.ts';
import {type LinkRecord, present} from './record.ts';

/** Times of creation are counted from this moment, so that they are short. */
const epoch = Date.UTC(2020, 0, 1);

/** Numbers of a link are written in the digits 0 to 9 and a to z. */
const radix = 36;

/** The number of parts in the text of a link. The long URL comes last, because it may have spaces. */
const texts = 7;

type Rest = Partial<LinkRecord>;

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
  firstSequence: accountPositions,
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
  if (parts.length < texts) throw new SyntaxError('The record of a link is malformed');
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
  return harmless(Object.assign(record, rest));
}

/**
 * A record that was made by hand may lead to `javascript:` or another scheme. Nobody else gets such a URL: neither
 * visitors nor the pages, exports and events, because every record is read here. Its owner can give it another one.
 */
function harmless(record: LinkRecord): LinkRecord {
  const {url, target = url, expiredUrl = '', rules = [], previewImage = ''} = record;
  if ([url, target, expiredUrl, previewImage, ...rules.map((rule) => rule.url)].every(isOpen)) return record;
  return present({
    ...record,
    ...(!(isOpen(url) && isOpen(target)) && {url: 'about:blank', target: undefined}),
    expiredUrl: isOpen(expiredUrl) ? record.expiredUrl : undefined,
    previewImage: isOpen(previewImage) ? record.previewImage : undefined,
    rules: record.rules?.filter((rule) => isOpen(rule.url)),
    state: 'disabled',
  });
}

/** Whether it is a URL that a visitor may be sent to, or empty, as that of a removed link. */
function isOpen(text: unknown): boolean {
  // Most are, and the check of a prefix costs less than parsing.
  return text === '' || (typeof text === 'string' && /^https?:/i.test(text)) || isHarmless(text);
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
