import type {ExecutionContext} from 'ava';
import {range} from './crowd.ts';
import type {SiteProcess} from './site-processes.ts';

/** The visits between two changes of the link. */
const visitsOfAPeriod = 100;
const clientsOfASite = 6;

/** The time after a change was acknowledged and before the next is sent: all visits must get the same answer. */
interface Period {
  readonly expected: number;
  /** The visits that began and ended in it. */
  visits: number;
  /** Called when they are enough. */
  readonly isLong: () => void;
}

/** A change of a link, and the status that its visitors get once the change is acknowledged. */
export interface Change {
  readonly apply: () => Promise<unknown>;
  readonly status: 302 | 410;
}

/**
 * Makes the changes one after another while clients visit the link at each of the sites without a pause, and checks that
 * every visit begun after an acknowledgement got the status of that change.
 *
 * @returns the number of redirects
 */
export async function changeUnderVisits(
  t: ExecutionContext,
  {sites, shortUrl, changes}: {sites: readonly SiteProcess[]; shortUrl: string; changes: readonly Change[]},
): Promise<number> {
  let period: Period | undefined;
  let redirects = 0;
  let isOver = false;
  const visit = async (site: SiteProcess): Promise<void> => {
    while (!isOver) {
      const before = period;
      const {status} = await site.visit(shortUrl);
      if (status === 302) redirects += 1;
      else t.is(status, 410);
      if (before === undefined || period !== before) continue;
      t.is(status, before.expected);
      before.visits += 1;
      if (before.visits === visitsOfAPeriod) before.isLong();
    }
  };
  const visiting = Promise.all(sites.flatMap((site) => range(clientsOfASite).map(() => visit(site))));
  for (const {apply, status} of changes) {
    await apply();
    const isLong = new Promise<void>((resolve) => {
      period = {expected: status, visits: 0, isLong: resolve};
    });
    await Promise.race([isLong, visiting]);
    period = undefined;
  }
  isOver = true;
  await visiting;
  return redirects;
}
