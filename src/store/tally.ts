import {type Addition, type DailyTally, dayLength, dayOf, daysKept, type DayVisits, type Tally} from './port.ts';

/** A tally as the drivers without arithmetic of their own keep it; most as JSON text. Redis keeps the same in a hash. */
export interface StoredTally {
  visits: number;
  lastVisit: number;
  /** Of each writer the number of the last batch that was added, and the time of the last visit in it. */
  writers: Array<[writer: string, batch: number, at: number]>;
  /** Days and their visits, each as one number: see `packDay`. */
  days: number[];
}

/** Up to so many writers are remembered however old they are: a site has about as many processes. */
export const writersKept = 16;

/** After this long without a batch, in milliseconds, a writer is gone and will not send its last one again. */
export const writerLife = dayLength;

export function emptyTally(): StoredTally {
  return {visits: 0, lastVisit: 0, writers: [], days: []};
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
  addToDays(tally, addition);
  return true;
}

function addToDays(tally: StoredTally, {visits, lastVisit}: Addition): void {
  const day = dayOf(lastVisit);
  const known = tally.days.findLastIndex((packed) => unpackDay(packed)[0] === day);
  if (known >= 0) {
    tally.days[known] = visits + (tally.days[known] ?? 0);
    return;
  }
  tally.days.push(packDay(day, visits));
  if (tally.days.length > daysKept) {
    const oldest = packDay(dayOf(tally.lastVisit) - daysKept + 1, 0);
    tally.days = tally.days.filter((packed) => packed >= oldest);
  }
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

/** The same with the days, which may be the values of an object. */
export function readDailyTally(text: string | undefined): DailyTally {
  if (text === undefined) return {visits: 0, lastVisit: undefined, days: []};
  const {visits, lastVisit, days} = JSON.parse(text) as StoredTally;
  return {visits, lastVisit, days: Object.values(days).map(unpackDay)};
}

/** A day has fewer visits than this, and until the year 2216 the two in one number are an exact one. */
const visitsPerDay = 100_000_000_000;

/** A day and its visits as one number, which any engine can compare and add to. */
export function packDay(day: number, visits: number): number {
  return day * visitsPerDay + visits;
}

export function unpackDay(packed: number): DayVisits {
  return [Math.floor(packed / visitsPerDay), packed % visitsPerDay];
}

/** What an engine that does the arithmetic itself is told of the day of a batch. */
export interface BatchDay {
  /** Where the day is kept: in the place of the one 400 days before it, so that none has to be taken out. */
  readonly place: string;
  /** What is there if the day has no visits yet; what is less is of an earlier day. */
  readonly start: number;
  /** What is not less is of a later day. */
  readonly end: number;
}

export function batchDay(additions: readonly Addition[]): BatchDay {
  const day = dayOf(additions[0]?.lastVisit ?? 0);
  return {place: String(day % daysKept), start: packDay(day, 0), end: packDay(day + 1, 0)};
}
