import type {Addition, Tally} from './port.ts';

/** A tally as the drivers without arithmetic of their own keep it; most as JSON text. Redis keeps the same in a hash. */
export interface StoredTally {
  visits: number;
  lastVisit: number;
  /** Of each writer the number of the last batch that was added, and the time of the last visit in it. */
  writers: Array<[writer: string, batch: number, at: number]>;
}

/** Up to so many writers are remembered however old they are: a site has about as many processes. */
export const writersKept = 16;

/** After this long without a batch, in milliseconds, a writer is gone and will not send its last one again: a day. */
export const writerLife = 86_400_000;

export function emptyTally(): StoredTally {
  return {visits: 0, lastVisit: 0, writers: []};
}

/**
 * Adds visits to a tally, in place, once for each batch of a writer.
 *
 * @returns false where the batch is in it already
 */
export function addToTally(tally: StoredTally, writer: string, batch: number, addition: Addition): boolean {
  const last = tally.writers.find(([name]) => name === writer);
  if (last && last[1] >= batch) return false;
  tally.visits += addition.visits;
  tally.lastVisit = Math.max(tally.lastVisit, addition.lastVisit);
  if (last) last.splice(1, 2, batch, addition.lastVisit);
  else tally.writers.push([writer, batch, addition.lastVisit]);
  if (tally.writers.length > writersKept) {
    // Without this a link would carry a line for every process that ever served it.
    const oldest = tally.lastVisit - writerLife;
    tally.writers = tally.writers.filter(([name, , at]) => name === writer || at >= oldest);
  }
  return true;
}

/**
 * The same for a tally that is kept as text.
 *
 * @returns the text to store, or undefined where the batch is in it already
 */
export function addToTallyText(
  text: string | undefined,
  writer: string,
  batch: number,
  addition: Addition,
): string | undefined {
  const tally = text === undefined ? emptyTally() : (JSON.parse(text) as StoredTally);
  return addToTally(tally, writer, batch, addition) ? JSON.stringify(tally) : undefined;
}

/** Reads what `addToTallyText` made. */
export function readTally(text: string | undefined): Tally {
  if (text === undefined) return {visits: 0, lastVisit: undefined};
  const {visits, lastVisit} = JSON.parse(text) as StoredTally;
  return {visits, lastVisit};
}
