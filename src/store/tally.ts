import type {Addition, Tally} from './port.ts';

/** A tally as the drivers without arithmetic of their own keep it, as JSON text. Redis keeps the same in a hash. */
export interface StoredTally {
  visits: number;
  lastVisit: number;
  /** By writer: the number of the last batch that was added, and the time of the last visit in it. */
  writers: Record<string, [batch: number, at: number]>;
}

/** Up to so many writers are remembered however old they are: a site has about as many processes. */
export const writersKept = 16;

/** After this long without a batch, in milliseconds, a writer is gone and will not send its last one again: a day. */
export const writerLife = 86_400_000;

/**
 * Adds visits to a tally once for each batch of a writer.
 *
 * @returns the text to store, or undefined where the batch is in it already
 */
export function addToTally(
  text: string | undefined,
  writer: string,
  batch: number,
  addition: Addition,
): string | undefined {
  const tally = text === undefined ? {visits: 0, lastVisit: 0, writers: {}} : (JSON.parse(text) as StoredTally);
  const last = tally.writers[writer];
  if (last !== undefined && last[0] >= batch) return undefined;
  tally.visits += addition.visits;
  tally.lastVisit = Math.max(tally.lastVisit, addition.lastVisit);
  tally.writers[writer] = [batch, addition.lastVisit];
  forgetOldWriters(tally, writer);
  return JSON.stringify(tally);
}

/** Without this a link would carry a line for every process that ever served it. */
function forgetOldWriters(tally: StoredTally, current: string): void {
  const writers = Object.entries(tally.writers);
  if (writers.length <= writersKept) return;
  tally.writers = Object.fromEntries(
    writers.filter(([writer, [, at]]) => writer === current || at >= tally.lastVisit - writerLife),
  );
}

/** Reads what `addToTally` made. */
export function readTally(text: string | undefined): Tally {
  if (text === undefined) return {visits: 0, lastVisit: undefined};
  const {visits, lastVisit} = JSON.parse(text) as StoredTally;
  return {visits, lastVisit};
}
