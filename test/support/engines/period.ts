import type {ExecutionContext} from 'ava';
import {range} from './crowd.ts';
import type {SiteProcess} from './site-processes.ts';

/** The visits between two changes of the link. */
const visitsOfAPeriod = 100;
const clientsOfASite = 6;

/** The time after a change was acknowledged and before the next is sent: all visits must get the same answer. */
class Period {
  readonly surprises: number[] = [];
  /** Resolves after enough visits that began and ended in the period. */
  readonly isLong: Promise<void>;
  readonly #expected: number;
  #visits = 0;
  #resolve!: () => void;

  constructor(expected: number) {
    this.#expected = expected;
    this.isLong = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  add(status: number): void {
    this.#visits += 1;
    if (status !== this.#expected) this.surprises.push(status);
    if (this.#visits === visitsOfAPeriod) this.#resolve();
  }
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
      if (period === before) before?.add(status);
    }
  };
  const visiting = Promise.all(sites.flatMap((site) => range(clientsOfASite).map(() => visit(site))));
  for (const {apply, status} of changes) {
    await apply();
    const settled = new Period(status);
    period = settled;
    await Promise.race([settled.isLong, visiting]);
    period = undefined;
    t.deepEqual(settled.surprises, []);
  }
  isOver = true;
  await visiting;
  return redirects;
}
