import type {AccountName} from '../../accounts/accounts.ts';
import {type Bases, domainOf, isSameName, type LinkName} from '../../link/bases.ts';
import {dayLength} from '../../values/calendar.ts';
import {domainText, referenceLine} from '../../link/fields.ts';
import {readAs, reader, readOptions, refuse} from '../../values/input.ts';
import {choice, flag, integer, patterned, text, textUpTo} from '../../values/shape.ts';
import type {AccountQuery, RankedAccountOrder} from '../account-info.ts';
import type {AdminLinkQuery, LinkFilter, LinkQuery, Page, RankedOrder} from './listed-links.ts';
import type {Order} from '../../store/walk.ts';
import {type Place, placeIn, type RankedPart} from '../rank/ranked.ts';
import {partsOfCursor, positionIn} from './cursor.ts';
import type {LinkStatus} from '../../link/link.ts';
import {isActive, isBlockOpen, type LinkRecord, linkStatus, linkStatuses, statusOf} from '../../link/record.ts';

const rankedOrders: readonly RankedOrder[] = ['visits', 'last_visit', 'conversions', 'expiry_date'];
const rankedAccountOrders: readonly RankedAccountOrder[] = ['links', 'visits', 'last_visit'];

export const listOrder = choice<Order | RankedOrder>(['newest', 'oldest', ...rankedOrders]);

/** A part of a list in the order of creation: at most `limit` items after a position. */
export interface Part {
  readonly limit: number;
  readonly order: Order;
  readonly after: number | undefined;
  readonly maxRead: number;
}

export interface LinkPart extends Part {
  readonly matches: Matches;
  /** A word of the search or of the tag, as in `Store.getMany`. */
  readonly word?: string | undefined;
  readonly isBroken?: boolean | undefined;
  /** The links that the search names. They come first, if they meet the other conditions. */
  readonly named?: {
    readonly names: readonly LinkName[];
    readonly after: number;
    readonly isWanted: Matches;
  };
}

export interface RankedLinkPart extends RankedPart<RankedOrder> {
  readonly matches: Matches;
  /** Of the site's links, only those that match are put in order. */
  readonly filter: SiteFilter;
  /** Where the remembered rows begin, of the site's links. By default at the beginning. */
  readonly start: Place | undefined;
}

/** The maximum number of records that one call of a search reads: a search through a long list takes several calls. */
const maxRead = 1000;

/** The maximum number for a search with a word, because most engines read only the links that have the word. */
const maxSearched = 10_000;

/** In characters. */
const maxSearch = 200;

export const searchText = textUpTo(maxSearch);
export const pageLimit = integer(1, 1000);
export const pageCursor = patterned('^[A-Za-z0-9_-]+$');
const dayCount = integer(1, 31);
export const usualLimit = 100;

export type Matches = (record: LinkRecord, now: number) => boolean;

/** @throws ShortUrlError `malformed_parameter`, or `unknown_parameter` for an unknown condition */
export function checkFilter(filter: LinkFilter): void {
  readOptions(filter, 'Links are listed by', listReaders);
}

/**
 * @returns also the reference, which at most one link has, and at which `part` does not look
 * @throws ShortUrlError `malformed_parameter` or `unknown_parameter`
 */
export function readQuery(
  query: LinkQuery,
  bases?: Bases,
): {part: LinkPart | RankedLinkPart; reference: string | undefined; days: number | undefined} {
  const {days, reference, ...given} = readOptions(query, 'Links are listed by', {
    ...listReaders,
    ...pageReaders,
    days: reader(dayCount, 'number of days'),
  });
  return {days, reference, part: readLinkPart(given, namesIn(given.search, bases))};
}

/** @throws ShortUrlError `malformed_parameter` or `unknown_parameter` */
export function readAccountQuery(query: AccountQuery): {
  readonly part: Part | RankedPart<RankedAccountOrder>;
  readonly matches: (name: string) => boolean;
} {
  const {limit, cursor, order = 'newest', search = ''} = readOptions(query, 'Accounts are listed by', accountReaders);
  const text = withoutCase(search);
  const part =
    order === 'newest' || order === 'oldest'
      ? {...readPart(order, limit, cursor), maxRead}
      : readRankedPart(order, limit, cursor);
  return {part, matches: (name) => withoutCase(name).includes(text)};
}

/** @throws ShortUrlError `malformed_parameter` or `unknown_parameter` */
export function readSiteQuery(
  query: AdminLinkQuery,
  bases: Bases,
): {account: AccountName | undefined; part: LinkPart | RankedLinkPart} {
  const {account, ...given} = readOptions(query, 'Links are listed by', siteReaders);
  const slug = bases.shortParts.read(given.search?.trim() ?? '');
  const names =
    slug === undefined ? namesIn(given.search, bases) : bases.domains.map((domain): LinkName => ({domain, slug}));
  return {account, part: readLinkPart(given, names)};
}

function readLinkPart(
  {order = 'newest', limit, cursor, ...filter}: SiteFilter & {readonly limit?: number; readonly cursor?: unknown},
  names: readonly LinkName[],
): LinkPart | RankedLinkPart {
  const matches = toMatches(filter, names);
  if (isRanked(order)) {
    const [inner, start] = partsOfCursor(cursor);
    return {...readRankedPart(order, limit, inner), start: readPlace(start, order), filter, matches};
  }
  const after = positionIn(cursor, 'named');
  const word = wordOf(filter);
  return {
    ...readPart(order, limit, after === undefined ? cursor : undefined),
    // A page without conditions is full, unless it is the last.
    maxRead: isFilter(filter) ? (word === undefined ? maxRead : maxSearched) : Number.POSITIVE_INFINITY,
    word,
    isBroken: filter.broken,
    matches,
    ...(names.length > 0 && {named: {names, after: after ?? 0, isWanted: toMatches({...filter, search: ''})}}),
  };
}

/** The link that a search names by its short URL, with or without the scheme. It need not exist. */
export function namesIn(search = '', bases: Bases | undefined): LinkName[] {
  const text = search.trim();
  if (bases === undefined || !/^\S+\/\S+$/.test(text)) return [];
  for (const url of [text, `https://${text}`]) {
    const name = bases.parseOwnUrl(url) ?? bases.parseShortUrl(url);
    if (name !== undefined) return [name];
  }
  return [];
}

/** @throws ShortUrlError `malformed_parameter` */
export function readActivePart(page: Page): LinkPart {
  const given: unknown = page;
  if (given === undefined || given === null) refuse('The page must be an object.');
  const {limit = pageLimit.max, cursor} = readOptions(given, 'Active links are listed by', pageReaders);
  return {...readPart('oldest', limit, cursor), maxRead: Number.POSITIVE_INFINITY, matches: isActive};
}

/** Whether a cursor is one of the order is checked when that is known. */
export const pageReaders = {limit: reader(pageLimit, 'limit'), cursor: (value: unknown) => value};

export const conditionReaders = {
  status: reader(linkStatus, 'status'),
  tag: readAs(text, withoutCase),
  search: reader(searchText, 'search'),
  broken: reader(flag),
  expiresWithin: reader(integer(1, 400), 'number of days'),
  baseDomain: (given: unknown, name: string) => {
    const domain = reader(domainText, 'base domain')(given, name);
    return domainOf(domain) ?? domain;
  },
};

const filterReaders = {...conditionReaders, order: reader(listOrder, 'order')};

/** An account has one link with a reference, but a site may have many. */
const listReaders = {...filterReaders, reference: reader(referenceLine, 'reference')};

const accountReaders = {
  search: filterReaders.search,
  order: reader(choice<Order | RankedAccountOrder>(['newest', 'oldest', ...rankedAccountOrders]), 'order'),
  ...pageReaders,
};

const siteReaders = {
  account: (value: unknown) => value as AccountName,
  search: filterReaders.search,
  status: reader(choice<LinkStatus | 'blocked'>([...linkStatuses, 'blocked']), 'status'),
  order: filterReaders.order,
  broken: filterReaders.broken,
  expiresWithin: filterReaders.expiresWithin,
  baseDomain: filterReaders.baseDomain,
  ...pageReaders,
};

function isBlockedRecord({isBlocked, accountBlocks}: LinkRecord): boolean {
  return isBlocked === true || isBlockOpen(accountBlocks);
}

function isRanked(order: string): order is RankedOrder {
  return (rankedOrders as readonly string[]).includes(order);
}

export type Filter = {readonly [Name in keyof typeof filterReaders]?: ReturnType<(typeof filterReaders)[Name]>};

export type SiteFilter = Omit<Filter, 'status'> & {readonly status?: LinkStatus | 'blocked'};

/**
 * The form in which texts are compared. A letter with its accent is one character or two, and `toLowerCase` gives a sigma
 * at the end of a word another form, so a part of a word would not be found.
 */
export function withoutCase(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ');
}

/** The longest word of a search or a tag: an engine that can search leaves out links without it. */
export function wordOf({search = '', tag = ''}: SiteFilter): string | undefined {
  const words = Array.from(`${withoutCase(search)} ${tag}`.matchAll(/[a-z\d]+/g), ([word]) => word);
  return words.sort((one, other) => other.length - one.length)[0];
}

export function isFilter({status, tag, search = '', broken, expiresWithin, baseDomain}: SiteFilter): boolean {
  return search !== '' || [status, tag, broken, expiresWithin, baseDomain].some((value) => value !== undefined);
}

/** The conditions of a filter. A link that the search names need not have its words. */
export function toConditions(
  filter: SiteFilter,
  bases: Bases | undefined,
): Pick<LinkPart, 'word' | 'isBroken' | 'matches'> {
  const names = namesIn(filter.search, bases);
  const word = names.length > 0 ? undefined : wordOf(filter);
  return {matches: toMatches(filter, names), word, isBroken: filter.broken};
}

/** @param names the links that the search names, which need not have its words */
export function toMatches(
  {status, tag, search = '', broken, expiresWithin, baseDomain}: SiteFilter,
  names: readonly LinkName[] = [],
): Matches {
  const words = withoutCase(search).split(/\s+/).filter(Boolean);
  return (record, now) =>
    (status === undefined || (status === 'blocked' ? isBlockedRecord(record) : statusOf(record, now) === status)) &&
    (broken === undefined || (record.broken !== undefined) === broken) &&
    (expiresWithin === undefined || endsBetween(record, now, now + expiresWithin * dayLength)) &&
    (baseDomain === undefined || record.domain === baseDomain) &&
    (tag === undefined || record.tags?.some((each) => withoutCase(each) === tag) === true) &&
    (words.length === 0 || hasWords(record, words) || names.some((name) => isSameName(record, name)));
}

function endsBetween({end = Infinity}: LinkRecord, from: number, until: number): boolean {
  return end > from && end <= until;
}

/** A word is a part of a text, or the domain. In what people have named it may have other signs: `st.pauli`, `/p-harburg`. */
function hasWords({domain, url, slug, title = '', tags = []}: LinkRecord, words: readonly string[]): boolean {
  const named = [slug, title, ...tags].map(withoutCase);
  const texts = [withoutCase(url), ...named];
  return words.every((word) => {
    if (word === domain || texts.some((text) => text.includes(word))) return true;
    const letters = lettersIn(word);
    return letters !== word && letters !== '' && named.some((text) => lettersIn(text).includes(letters));
  });
}

function lettersIn(text: string): string {
  return text.replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '');
}

function readPart(order: Order, limit = usualLimit, cursor?: unknown): Omit<Part, 'maxRead'> {
  const after = cursor === undefined ? undefined : (positionIn(cursor, order) ?? refuse(wrongCursor));
  return {limit, order, after};
}

function readRankedPart<Ranking extends RankedOrder | RankedAccountOrder>(
  ranking: Ranking,
  limit = usualLimit,
  cursor?: unknown,
): RankedPart<Ranking> {
  return {ranking, limit, after: readPlace(cursor, ranking)};
}

/** @throws ShortUrlError `malformed_parameter` for a cursor of another order */
export function readPlace(cursor: unknown, ranking: string): Place | undefined {
  return cursor === undefined ? undefined : (placeIn(cursor, ranking) ?? refuse(wrongCursor));
}

const wrongCursor = 'The cursor must be the `next_cursor` of the page before, in the same order.';
