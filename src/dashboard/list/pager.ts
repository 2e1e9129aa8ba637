import {withQuery} from '../addresses.ts';
import {html, type Html} from '../html.ts';
import type {Texts} from '../texts/en.ts';

/** How many pages the link to newer entries leads back. Before them comes the first page. */
const maxNewer = 20;

/** Which page of a list a query asks for. */
export interface Place {
  /** The cursor of the page; undefined on the first one. */
  readonly cursor: string | undefined;
  /** The cursors of the pages before it without the first one, the newest first. */
  readonly newer: readonly string[];
}

export const firstPage: Place = {cursor: undefined, newer: []};

export function placeIn(query: URLSearchParams): Place {
  const cursor = query.get('cursor') ?? '';
  return {
    cursor: cursor === '' ? undefined : cursor,
    // No cursor has a dot.
    newer: (query.get('newer') ?? '').split('.').filter(Boolean).slice(-maxNewer),
  };
}

export function placeParameters({cursor, newer}: Place): {cursor: string | undefined; newer: string | undefined} {
  return {cursor, newer: newer.join('.') || undefined};
}

/** What a list shows at a place. */
export interface FoundPage<Item> {
  readonly items: readonly Item[];
  readonly place: Place;
  /** The cursor of the next page; undefined at the end of the list. */
  readonly nextCursor: string | undefined;
}

export interface Part<Item> {
  readonly items: readonly Item[];
  readonly nextCursor?: string | undefined;
}

/** Which part of a list to read. */
export interface ReadPart {
  readonly limit: number;
  readonly cursor: string | undefined;
}

/** A bound on the reads of one page. If a search finds little, a link lets the user continue it. */
const maxReads = 5;

/** Reads a page of at most `length` items. The work is bounded, however long the list is. */
export async function readPage<Item, Read extends Part<Item>>(
  place: Place,
  length: number,
  read: (part: ReadPart) => Promise<Read & Part<Item>>,
): Promise<FoundPage<Item> & {readonly first: Read}> {
  try {
    const first = await read({limit: length, cursor: place.cursor});
    const items = [...first.items];
    let cursor = first.nextCursor;
    for (let reads = 1; reads < maxReads && items.length < length && cursor !== undefined; reads++) {
      const part = await read({limit: length - items.length, cursor});
      items.push(...part.items);
      cursor = part.nextCursor;
    }
    return {items, place, nextCursor: cursor, first};
  } catch (error) {
    // Somebody has changed the cursor in the address: show the first page.
    const isRefused = (error as {code?: unknown} | undefined)?.code === 'malformed_parameter';
    if (isRefused && place.cursor !== undefined) return readPage(firstPage, length, read);
    throw error;
  }
}

/** Reads a list to its end. */
export async function* partsOf<Read extends {readonly nextCursor?: string | undefined}>(
  read: (cursor: string | undefined) => Promise<Read>,
): AsyncGenerator<Read> {
  let cursor: string | undefined;
  do {
    const part = await read(cursor);
    yield part;
    cursor = part.nextCursor;
  } while (cursor !== undefined);
}

export interface Pager {
  /** The address of the list, and the other parameters of its query. */
  readonly address: string;
  readonly parameters: Readonly<Record<string, string | undefined>>;
  /** The place of the list on its page. */
  readonly anchor?: string;
  readonly label: string;
  /** Replaces the text of the link to the next page. */
  readonly next?: string | undefined;
}

/** The links to the pages before and after; undefined for a list of one page. */
export function pager(
  {list}: Texts,
  {place, nextCursor}: FoundPage<unknown>,
  {address, parameters, anchor = '', label, next = list.next}: Pager,
): Html | undefined {
  const {cursor, newer: before} = place;
  if (cursor === undefined && nextCursor === undefined) return undefined;
  const previous: Place = {cursor: before.at(-1), newer: before.slice(0, -1)};
  const following: Place = {
    cursor: nextCursor,
    newer: cursor === undefined ? [] : [...before, cursor].slice(-maxNewer),
  };
  const link = (to: Place, rel: string, text: string): Html => {
    const query = {...parameters, ...placeParameters(to)};
    const href = withQuery(address, query) + anchor;
    return html`<a class="links-button links-small" rel="${rel}" href="${href}">${text}</a>`;
  };
  return html`<nav class="links-pages" aria-label="${label}">
    ${cursor !== undefined && link(previous, 'prev', list.previous)}
    ${nextCursor !== undefined && link(following, 'next', next)}
  </nav>`;
}
