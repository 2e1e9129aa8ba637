import {randomInt} from 'node:crypto';
import {setTimeout as delay} from 'node:timers/promises';
import type {Reply} from '../request.ts';
import {inTurn, range} from './crowd.ts';

const clientsOfASite = 6;

/** The number of referring sites: more than the hundred that a link counts separately. */
const referrers = 120;

interface Visited {
  readonly shortUrl: string;
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
    this.links.push({shortUrl, answered: 0, from: new Map()});
  }

  get answered(): number {
    return this.links.reduce((sum, {answered}) => sum + answered, 0);
  }

  /** Resolves when every client has its last answer. */
  async visit(sites: readonly VisitedSite[]): Promise<void> {
    await Promise.all(sites.flatMap((site) => range(clientsOfASite).map(() => this.#visit(site))));
  }

  stop(): void {
    this.#isOver = true;
  }

  async #visit(site: VisitedSite): Promise<void> {
    while (!this.#isOver) {
      const link = inTurn(this.links, randomInt(2) === 0 ? 0 : randomInt(this.links.length));
      const from = `${randomInt(referrers)}.example`;
      const {status, text} = await site.visit(link.shortUrl, {headers: {Referer: `https://${from}/`}});
      if (status === 302) {
        link.answered += 1;
        link.from.set(from, (link.from.get(from) ?? 0) + 1);
      } else if (status === 503) this.refused += 1;
      else this.surprises.push(`${status} ${text}`);
      // Leaves some CPU time to the engine.
      await delay(randomInt(1, 6));
    }
  }
}
