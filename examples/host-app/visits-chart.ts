import type {ShortUrl} from 'koa-short-url';

/** How many days a chart shows. */
const days = 30;
const dayLength = 24 * 60 * 60 * 1000;

export interface Day {
  /** `yyyy-mm-dd`, UTC. */
  readonly date: string;
  readonly visits: number;
}

/** The visits of the last 30 days, as a template draws them. */
export interface VisitsChart {
  /** One for each day, today (UTC) last; those without visits too. */
  readonly days: readonly Day[];
  readonly total: number;
  /** The first of the days with the most visits. */
  readonly best: Day;
  /** What the axis ends at: a round number, at least `best.visits` and at least 1. */
  readonly top: number;
}

/** Reads the visits of one link. */
export async function visitsOf(
  {links}: ShortUrl,
  account: string,
  shortUrl: string,
  now: number,
): Promise<VisitsChart> {
  const stats = await links.stats(account, shortUrl);
  return chartOf(stats.days, now);
}

/**
 * Reads the visits of many links, a hundred at a time. The shortener reads the links that are asked for in one turn
 * of the event loop with one question to the store, or two: a thousand links cost some twenty questions, one after the
 * other. That is fine for a page that few people look at. A site with larger accounts counts for itself instead, where
 * it hears of the `visit` event.
 */
export async function visitsOfEach(
  shortener: ShortUrl,
  account: string,
  shortUrls: readonly string[],
  now: number,
): Promise<Map<string, VisitsChart>> {
  const charts = new Map<string, VisitsChart>();
  for (let start = 0; start < shortUrls.length; start += 100) {
    const some = shortUrls.slice(start, start + 100);
    const read = await Promise.all(some.map((shortUrl) => visitsOf(shortener, account, shortUrl, now)));
    for (const [index, chart] of read.entries()) charts.set(some[index] ?? '', chart);
  }
  return charts;
}

/** The visits of several links together. */
export function sumOf(charts: Iterable<VisitsChart>, now: number): VisitsChart {
  return chartOf(
    Array.from(charts).flatMap((chart) => chart.days),
    now,
  );
}

/** Sorts counts into the last 30 days; a date may be there several times, and older ones are left out. */
function chartOf(counts: readonly Day[], now: number): VisitsChart {
  const visits = new Map<string, number>();
  for (let day = days - 1; day >= 0; day--) visits.set(formatDate(now - day * dayLength), 0);
  for (const count of counts) {
    const soFar = visits.get(count.date);
    if (soFar !== undefined) visits.set(count.date, soFar + count.visits);
  }
  const shown = Array.from(visits, ([date, count]) => ({date, visits: count}));
  const best = shown.reduce((most, day) => (day.visits > most.visits ? day : most));
  const total = shown.reduce((sum, day) => sum + day.visits, 0);
  return {days: shown, total, best, top: roundUp(best.visits)};
}

/** The next of 1, 2, 4, 6, 8, 10, 20, 40, …: numbers whose half is worth a line. */
function roundUp(count: number): number {
  const unit = 10 ** Math.floor(Math.log10(Math.max(count, 1)));
  return [1, 2, 4, 6, 8, 10].map((step) => step * unit).find((step) => step >= count) ?? 10 * unit;
}

/** `yyyy-mm-dd`, UTC. */
export function formatDate(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
