import {randomInt} from 'node:crypto';
import {setTimeout as delay} from 'node:timers/promises';
import type {Reply} from '../request.ts';
import {inTurn, range} from './crowd.ts';
import {unlessKilled} from './load.ts';

const clientsOfASite = 6;

/** The number of referring sites: more than the hundred that a link counts separately. */
const referrers = 120;

interface Visited {
  readonly shortUrl: string;
  sent: number;
  /** The redirects that clients got. */
  answered: number;
  /** The same by referrer. */
  readonly from: Map<string, number>;
}

interface VisitedSite {
  visit(shortUrl: string, ask: {headers: Readonly<Record<string, string>>}): Promise<Reply>;
}

/** Clients that visit links and record the answers. The first link gets half of the visits. */
export class VisitLoad {
  readonly links: Visited[] = [];
  /** Answers that no outage explains. */
  readonly surprises: string[] = [];
  refused = 0;
  #isOver = false;

  add(shortUrl: string): void {
    this.links.push({shortUrl, sent: 0, answered: 0, from: new Map()});
  }

  get answered(): number {
    return this.links.reduce((sum, {answered}) => sum + answered, 0);
  }

  /** Resolves when every client has its last answer. */
  async visit(sites: readonly VisitedSite[]): Promise<void> {
    const isGoing = (): boolean => !this.#isOver;
    await Promise.all(sites.flatMap((site) => range(clientsOfASite).map(() => this.#visit(site, isGoing))));
  }

  stop(): void {
    this.#isOver = true;
  }

  /**
   * Visits a site until it is killed.
   *
   * @param answered called after each answer; returns whether to go on
   */
  async client(site: VisitedSite, answered: () => boolean): Promise<void> {
    await this.#visit(site, answered).catch(unlessKilled);
  }

  async #visit(site: VisitedSite, answered: () => boolean): Promise<void> {
    do {
      const link = inTurn(this.links, randomInt(2) === 0 ? 0 : randomInt(this.links.length));
      link.sent += 1;
      const from = `${randomInt(referrers)}.example`;
      const {status, text} = await site.visit(link.shortUrl, {headers: {Referer: `https://${from}/`}});
      if (status === 302) {
        link.answered += 1;
        link.from.set(from, (link.from.get(from) ?? 0) + 1);
      } else if (status === 503) this.refused += 1;
      else this.surprises.push(`${status} ${text}`);
      // Leaves some CPU time to the engine.
      await delay(randomInt(1, 6));
    } while (answered());
  }
}
