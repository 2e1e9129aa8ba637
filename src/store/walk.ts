import {setImmediate} from 'node:timers/promises';
import {ShortUrlError} from '../errors.ts';
import {planted} from '../planted.ts';
import type {Store} from './port.ts';

/** How many positions beyond the last known one are looked at. If one of them is used, as many are looked at beyond it. */
export const lookahead = 200;

/** An index whose positions, from 1, a sequence gives out. A position may be empty. */
export interface OrderedIndex {
  readonly sequence: string;
  /** Tells for each position whether it is used. */
  readonly areUsed: (store: Store, positions: readonly number[]) => Promise<readonly boolean[]>;
}

export type Order = 'newest' | 'oldest';

export interface Range {
  readonly order?: Order | undefined;
  /** The last position that was read. By default the index is read from its beginning in that order. */
  readonly after?: number | undefined;
}

export interface Reading {
  /** How many of the positions it covers, from the first one. */
  readonly covered: number;
  /** How many positions to read next. */
  readonly next: number;
}

export interface End {
  /** The last position that it covers. */
  readonly end: number;
  readonly isLast: boolean;
}

/**
 * Reads an index, some positions at a time. Positions that are reserved meanwhile may be missing.
 *
 * @param first how many positions to read first
 */
export async function* walk<Result extends Reading>(
  store: Store,
  index: OrderedIndex,
  {order = 'oldest', after, first}: Range & {readonly first: number},
  read: (positions: readonly number[]) => Promise<Result>,
): AsyncGenerator<Result & End> {
  const rangeUpTo = (last: number): [begin: number, end: number, step: number] =>
    order === 'oldest' ? [(after ?? 0) + 1, last, 1] : [Math.min((after ?? last + 1) - 1, last), 1, -1];
  const positionsFrom = (start: number, [, end, step]: readonly [number, number, number], size: number): number[] =>
    Array.from({length: Math.min(size, Math.abs(end - start) + 1)}, (_, number) => start + step * number);
  const known = await sequenceOf(store, index);
  const guess = rangeUpTo(known);
  const isEmpty = (guess[1] - guess[0]) * guess[2] < 0;
  // In one round trip, because hardly ever is there something beyond the sequence.
  const guessed = isEmpty ? [] : positionsFrom(guess[0], guess, first);
  const [last, early] = await Promise.all([lastBeyond(store, index, known), isEmpty ? undefined : read(guessed)]);
  const range = rangeUpTo(last);
  const [begin, end, step] = range;
  let size = first;
  for (let start = begin; (end - start) * step >= 0;) {
    const positions = positionsFrom(start, range, size);
    // Where there is more, the first part is larger.
    const isRead = start === begin && positions[0] === guessed[0] && positions.length === guessed.length;
    const result = isRead && early !== undefined ? early : await read(positions);
    start += step * result.covered;
    size = result.next;
    const isLast = (end - start) * step < 0;
    yield {...result, end: start - step, isLast};
    // A store within the process answers without a pause, so a long index would block other requests.
    if (!isLast) await setImmediate();
  }
}

/**
 * The last used position, or the last value of the sequence if it is larger. A failover may have lost the last values of
 * the sequence but kept what was stored at these positions.
 */
export async function lastPosition(store: Store, index: OrderedIndex): Promise<number> {
  return lastBeyond(store, index, await sequenceOf(store, index));
}

async function sequenceOf(store: Store, {sequence}: OrderedIndex): Promise<number> {
  const [stored = 0] = await store.current([sequence]);
  return checkNumber(stored, sequence);
}

/** @param known the last value of the sequence */
async function lastBeyond(store: Store, {areUsed}: OrderedIndex, known: number): Promise<number> {
  for (let last = known; ;) {
    const beyond = Array.from({length: lookahead}, (_, number) => last + 1 + number);
    const used = (await areUsed(store, beyond)).lastIndexOf(true);
    if (used === -1 || planted('walk-stops-early')) return last;
    last += used + 1;
  }
}

/**
 * No sequence of a site is as large. With a damaged number, walks would read empty positions for hours, or for ever, and
 * creates would use positions that no walk reaches.
 */
const maxNumber = 10 ** 10;

export const isDamaged = (number: number): boolean => number > maxNumber;

/** @throws ShortUrlError `internal_error` for a number that no sequence has given out */
export function checkNumber(number: number, sequence: string): number {
  if (!isDamaged(number)) return number;
  const message = `The number of ${sequence} in the store is damaged. Stop the site, and run: koa-short-url check --clean`;
  throw new ShortUrlError('internal_error', message);
}
