import {totalsKeys} from '../../keys.ts';
import {dayOfCounter, visitsCounter} from '../../link/counters.ts';
import type {Accounts} from '../../accounts/accounts.ts';
import type {Generation} from '../../accounts/record.ts';
import type {Store} from '../../store/port.ts';
import type {Calendar} from '../../link/calendar.ts';
import type {SiteStats} from '../../link/link.ts';
import {countLinks} from '../list/list.ts';
import {toStats} from './visit-stats.ts';

/** Accounts whose totals are read at once. */
const atOnce = 20;

/** How long the totals are remembered, in milliseconds. */
const maxAge = 60_000;

export interface SiteTotalsDependencies {
  readonly store: Store;
  readonly accounts: Pick<Accounts, 'list'>;
  readonly calendar: Calendar;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** The totals of all accounts. They are added up on request, so a visit writes nothing for them. */
export class SiteTotals {
  readonly #dependencies: SiteTotalsDependencies;
  #last: {readonly at: number; readonly stats: Promise<SiteStats>} | undefined;

  constructor(dependencies: SiteTotalsDependencies) {
    this.#dependencies = dependencies;
  }

  /** The totals, at most a minute old. Callers at the same time share one summation. */
  async stats(): Promise<SiteStats> {
    const at = this.#dependencies.now();
    const age = this.#last === undefined ? maxAge : Math.abs(at - this.#last.at);
    if (this.#last === undefined || age >= maxAge) {
      const last = {at, stats: this.#sum()};
      this.#last = last;
      last.stats.catch(() => {
        if (this.#last === last) this.#last = undefined;
      });
    }
    return structuredClone(await this.#last.stats);
  }

  async #sum(): Promise<SiteStats> {
    const {accounts, calendar, now} = this.#dependencies;
    const sums = {accounts: 0, links: 0, counts: new Map<string, number>()};
    let group: Generation[] = [];
    for await (const account of accounts.list()) {
      if (group.push(account) < atOnce) continue;
      await this.#add(group, sums);
      group = [];
    }
    await this.#add(group, sums);
    const {totalVisits, days} = toStats({counts: sums.counts, at: undefined}, calendar.dayOf(now())).stats;
    return {accounts: sums.accounts, links: sums.links, totalVisits, days};
  }

  async #add(
    group: readonly Generation[],
    sums: {accounts: number; links: number; readonly counts: Map<string, number>},
  ): Promise<void> {
    const {store} = this.#dependencies;
    const keys = group.flatMap(({generation}) => totalsKeys(generation));
    const [links, shards] = await Promise.all([
      Promise.all(group.map(({generation}) => countLinks(store, generation))),
      store.getCounters(keys),
    ]);
    sums.accounts += group.length;
    for (const count of links) sums.links += count;
    for (const {counts} of shards) {
      for (const [name, n] of counts) {
        if (name !== visitsCounter && dayOfCounter(name) === undefined) continue;
        sums.counts.set(name, (sums.counts.get(name) ?? 0) + n);
      }
    }
  }
}
