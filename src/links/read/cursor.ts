/** Longer than any cursor, which may have a tag. */
const maxLength = 1000;

/** The words for orders in cursors. The others have their name. */
const cursorWords: Readonly<Record<string, string>> = {oldest: 'after', newest: 'before'};

/** A position; or what is compared in an order, and an id. Texts are ids. */
type CursorPlace = ReadonlyArray<number | string>;

/**
 * The end of a page, which its reader passes back to get the next page.
 *
 * @param order the order of the list, without spaces. `named` are the links that come first in a search, because its text
 *   is their short part or short URL
 */
export function formatCursor(order: string, ...place: CursorPlace): string {
  const parts = place.map((part) => (typeof part === 'string' ? `_${Buffer.from(part).toString('base64url')}` : part));
  return Buffer.from([cursorWords[order] ?? order, ...parts].join(' ')).toString('base64url');
}

/** The order and the place of a cursor; undefined for anything else. */
export function parseCursor(cursor: unknown): {readonly order: string; readonly place: CursorPlace} | undefined {
  if (typeof cursor !== 'string' || cursor.length > maxLength) return undefined;
  const [word = '', ...parts] = Buffer.from(cursor, 'base64url').toString().split(' ');
  const place = parts.map((part) =>
    part.startsWith('_') ? Buffer.from(part.slice(1), 'base64url').toString() : Number(part),
  );
  const order = Object.keys(cursorWords).find((each) => cursorWords[each] === word) ?? word;
  const isWhole = place.every((part) => typeof part === 'string' || Number.isSafeInteger(part));
  return isWhole && formatCursor(order, ...place) === cursor ? {order, place} : undefined;
}

/** The position in a cursor of an order by time; undefined if it is none of this order. */
export function positionIn(cursor: unknown, order: string): number | undefined {
  const {order: own, place = []} = parseCursor(cursor) ?? {};
  const [position] = place;
  return own === order && place.length === 1 && typeof position === 'number' && position >= 0 ? position : undefined;
}

/** Names a cursor that has two: the place in an order, and where the rows begin in which the place is. */
const within = 'within';

/** @param start the cursor of where the rows begin; undefined for the beginning of the list */
export function cursorWithin(cursor: string, start: string | undefined): string {
  return start === undefined ? cursor : formatCursor(within, cursor, start);
}

/** The cursor of a place, and that of where the rows begin. */
export function partsOfCursor(cursor: unknown): readonly [cursor: unknown, start: unknown] {
  const {order, place = []} = parseCursor(cursor) ?? {};
  return order === within && place.length === 2 ? [place[0], place[1]] : [cursor, undefined];
}
