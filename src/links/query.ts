import {ShortUrlError} from '../errors.ts';
import {readFields, text} from './fields.ts';
import type {LinkFilter, LinkQuery, LinkStatus, Page} from './link.ts';
import type {Order} from './list.ts';
import {type LinkRecord, statusOf} from './record.ts';

const statuses: readonly unknown[] = ['active', 'disabled', 'expired'] satisfies LinkStatus[];

/** A part of a list: so many links at most, after a position. */
export interface Part {
  readonly limit: number;
  readonly order: Order;
  readonly after: number | undefined;
  /** How many places of the list are read at most to find them. */
  readonly maxPlaces: number;
}

/** A search through a long list is spread over many calls. */
const maxPlaces = 1000;

/** Tells which links are meant. */
export type Matches = (record: LinkRecord, now: number) => boolean;

/**
 * Which links of a list are meant, and in which order.
 *
 * @throws ShortUrlError `malformed_parameter`, or `unknown_parameter` for a condition that there is not
 */
export function readFilter(filter: LinkFilter, order: Order): {order: Order; matches: Matches} {
  const fields = readFields(filter, 'Links are listed by', filterReaders);
  return {order: fields.order ?? order, matches: toMatches(fields)};
}

/**
 * The same for a page of them.
 *
 * @throws ShortUrlError besides, for a limit that is not an integer from 1 to 1,000, and a cursor of another order
 */
export function readQuery(query: LinkQuery): Part & {matches: Matches} {
  const {limit, cursor, ...filter} = readFields(query, 'Links are listed by', {
    ...filterReaders,
    limit: (value: unknown) => value,
    cursor: (value: unknown) => value,
  });
  const order = filter.order ?? 'newest';
  return {...readPart(order, 100, limit, cursor), maxPlaces, matches: toMatches(filter)};
}

/**
 * A page of a list, the oldest link first.
 *
 * @throws ShortUrlError `malformed_parameter`
 */
export function readPage(page: Page): Part {
  const {limit, cursor} = Object(page) === page ? page : refuse('The page must be an object.');
  return {...readPart('oldest', 1000, limit, cursor), maxPlaces: Number.POSITIVE_INFINITY};
}

const filterReaders = {
  status: (value: unknown) =>
    statuses.includes(value) ? (value as LinkStatus) : refuse('The status must be `active`, `disabled` or `expired`.'),
  tag: text((tag) => tag),
  search: text((search) => search.toLowerCase()),
  order: (value: unknown) =>
    value === 'newest' || value === 'oldest' ? value : refuse('The order must be `newest` or `oldest`.'),
};

type Filter = {readonly [Name in keyof typeof filterReaders]?: ReturnType<(typeof filterReaders)[Name]>};

function toMatches({status, tag, search}: Filter): Matches {
  return (record, now) =>
    (status === undefined || statusOf(record, now) === status) &&
    (tag === undefined || record.tags?.includes(tag) === true) &&
    (search === undefined ||
      [record.url, record.slug, record.title ?? ''].some((part) => part.toLowerCase().includes(search)));
}

function readPart(
  order: Order,
  defaultLimit: number,
  limit: unknown = defaultLimit,
  cursor?: unknown,
): Omit<Part, 'maxPlaces'> {
  if (!Number.isInteger(limit) || (limit as number) < 1 || (limit as number) > 1000) {
    refuse('The limit must be an integer from 1 to 1000.');
  }
  return {limit: limit as number, order, after: cursor === undefined ? undefined : parseCursor(cursor, order)};
}

const cursorWords: Record<Order, string> = {oldest: 'after', newest: 'before'};

/** Where a page of a list ended, as its reader hands it back. */
export function formatCursor(order: Order, position: number): string {
  return Buffer.from(`${cursorWords[order]} ${position}`).toString('base64url');
}

function parseCursor(cursor: unknown, order: Order): number {
  if (typeof cursor === 'string') {
    const position = Number(/\d{1,15}/.exec(Buffer.from(cursor, 'base64url').toString())?.[0]);
    if (!Number.isNaN(position) && formatCursor(order, position) === cursor) return position;
  }
  return refuse('The cursor must be the `next_cursor` of the page before, in the same order.');
}

function refuse(message: string): never {
  throw new ShortUrlError('malformed_parameter', message);
}
