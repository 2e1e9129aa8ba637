import {randomInt} from 'node:crypto';
import {inTurn} from './crowd.ts';
import type {SiteProcess} from './site-processes.ts';

/** What the clients know of one link. */
export interface Made {
  readonly shortUrl: string;
  readonly urlId: number;
  readonly url: string;
  /** The statuses that it may have by what was asked and answered; more than one while an answer is outstanding. */
  readonly statuses: Set<string>;
  visitsSent: number;
  visitsAnswered: number;
}

/** What many clients asked of sites that may be killed, and what they were told. */
export class Load {
  readonly account: string;
  /** By short URL: creates that were answered. */
  readonly made = new Map<string, Made>();
  /** Long URLs, each of one create, that were sent; and the custom URL that was wanted for it, if one was. */
  readonly wanted = new Map<string, string | undefined>();
  /** Answers that no process should have given, whatever happened to the others. */
  readonly surprises: string[] = [];
  answers = 0;
  readonly #key: string;

  constructor(account: string, key: string) {
    this.account = account;
    this.#key = key;
  }

  /**
   * Asks one thing after another of a site, until it is killed.
   *
   * @param answered hears of each answer, and says whether to go on
   */
  async client(site: SiteProcess, answered: () => boolean): Promise<void> {
    const own: Made[] = [];
    try {
      for (let isGoing = true; isGoing; isGoing = answered()) {
        const turn = own.length === 0 ? 0 : randomInt(6);
        if (turn < 2) await this.#create(site, own);
        else if (turn < 5) await this.#visit(site, turn === 2 ? inTurn(own, randomInt(own.length)) : this.#any());
        else await this.#switch(site, inTurn(own, randomInt(own.length)));
        this.answers += 1;
      }
    } catch (error) {
      unlessKilled(error);
    }
  }

  async #create(site: SiteProcess, own: Made[]): Promise<void> {
    const url = `https://destination.example/${this.wanted.size}`;
    const custom_url = randomInt(2) === 0 ? `custom-${this.wanted.size}` : undefined;
    this.wanted.set(url, custom_url);
    const reply = await site.api(this.#key, 'create', {url, ...(custom_url !== undefined && {custom_url})});
    this.#expect(reply.status, 200, reply.text);
    const {short_url, url_id} = reply.json().data;
    const link: Made = {
      shortUrl: short_url,
      urlId: url_id,
      url,
      statuses: new Set(['active']),
      visitsSent: 0,
      visitsAnswered: 0,
    };
    this.made.set(short_url, link);
    own.push(link);
  }

  async #visit(site: SiteProcess, link: Made): Promise<void> {
    link.visitsSent += 1;
    const {status, text} = await site.visit(link.shortUrl);
    if (status === 302) link.visitsAnswered += 1;
    // Another client may be about to disable or enable it.
    else this.#expect(status, 410, text);
  }

  /** Of links that no other client switches. */
  async #switch(site: SiteProcess, link: Made): Promise<void> {
    const [operation, status] = link.statuses.has('active')
      ? (['disable', 'disabled'] as const)
      : (['enable', 'active'] as const);
    link.statuses.add(status);
    const reply = await site.api(this.#key, operation, {short_url: link.shortUrl});
    this.#expect(reply.status, 200, reply.text);
    link.statuses.clear();
    link.statuses.add(status);
  }

  #any(): Made {
    return inTurn(Array.from(this.made.values()), randomInt(this.made.size));
  }

  #expect(status: number, expected: number, text: string): void {
    if (status === expected) return;
    this.surprises.push(`${status} ${text}`);
    throw new Error(`${expected} was expected, and ${status} came: ${text}`);
  }
}

/** Throws on what is not how a request to a process ends that is killed. */
export function unlessKilled(error: unknown): void {
  const {code} = error as {code?: unknown};
  if (code !== 'ECONNRESET' && code !== 'ECONNREFUSED' && code !== 'EPIPE') throw error;
}
