/** The counters of links that have lived for months, without their visits. */
import {dayLength, monthOf} from '../src/values/calendar.ts';
import {conversionCounter, dayCounter, detailCounter, inMonth, visitsCounter} from '../src/link/counters.ts';
import {packing} from '../src/link/packing.ts';
import {linkCounters, linkRecords} from '../src/link/records.ts';
import {totalsKeys} from '../src/links/stats/totals.ts';
import {openStore} from '../src/store/opening/open.ts';
import type {Counters} from '../src/store/port.ts';
import {range} from '../test/support/engines/crowd.ts';

export const fourteenMonths = 425;
const namespace = 'shorturl';
const atOnce = 50;

/** The counters of a link, or of an account: visits of every day by ten referrers, and conversions of every tenth. */
function lived(days: number, today: number): Counters {
  const order = {recordedBy: 'site', name: 'order', currency: 'EUR'} as const;
  const referrers = range(10).map((n) => detailCounter('referrer', `site-${n}.example`));
  const names = range(days).flatMap((ago) => [
    dayCounter(today - ago),
    ...referrers.map((name) => inMonth(name, monthOf(today - ago))),
    ...(ago % 10 === 0
      ? [conversionCounter('count', order, today - ago), conversionCounter('value', order, today - ago)]
      : []),
  ]);
  const ever = [visitsCounter, conversionCounter('count', order), conversionCounter('value', order)];
  return {counts: new Map([...ever, ...names].map((name) => [name, 1])), at: today * dayLength};
}

/** Gives links, and the accounts that have them, visits and conversions of so many days. */
export async function giveLife(
  place: string | Map<string, unknown>,
  shortUrls: readonly string[],
  days: number,
): Promise<void> {
  const store = openStore(place, {namespace, packing: {...packing, ignoresCase: false}});
  const counters = lived(days, Math.floor(Date.now() / dayLength));
  for (let start = 0; start < shortUrls.length; start += atOnce) {
    const names = shortUrls.slice(start, start + atOnce).map((shortUrl) => {
      const {hostname, pathname} = new URL(shortUrl);
      return {domain: hostname, slug: pathname.slice(1)};
    });
    const links = (await linkRecords.in(store).getMany(names)).flatMap((entry) => entry?.value ?? []);
    const totals = links.flatMap(({generation}) => totalsKeys(generation).slice(0, 1));
    const keys = new Set([...links.map((link) => linkCounters.key(link)), ...totals]);
    await store.setCounters(Array.from(keys, (key) => [key, counters] as const));
  }
  await store.close();
}
