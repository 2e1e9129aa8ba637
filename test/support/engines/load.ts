import {randomInt} from 'node:crypto';
import {inTurn} from './crowd.ts';
import type {SiteProcess} from './site-processes.ts';

/** What the clients know about one link. */
export interface Made {
  readonly shortUrl: string;
  readonly urlId: number;
  readonly url: string;
  /** The statuses that it may have; more than one while an answer is outstanding. */
  readonly statuses: Set<string>;
  visitsSent: number;
  visitsAnswered: number;
}

/** The requests of many clients to sites that may be killed, and their answers. */
export class Load {
  readonly account: string;
  /** Answered creates, by short URL. */
  readonly made = new Map<string, Made>();
  /** The long URLs of all creates sent, which are unique, with their custom URLs. */
  readonly wanted = new Map<string, string | undefined>();
  /** Answers that are wrong whatever happened to other processes. */
  readonly surprises: string[] = [];
  answers = 0;
  readonly #key: string;

  constructor(account: string, key: string) {
    this.account = account;
    this.#key = key;
  }

  /**
   * Sends one request after another to a site, until it is killed.
   *
   * @param answered called after each answer
   */
  async client(site: SiteProcess, answered: () => void): Promise<void> {
    const own: Made[] = [];
    try {
      for (;;) {
        const turn = own.length === 0 ? 0 : randomInt(6);
        if (turn < 2) await this.#create(site, own);
        else if (turn < 5) await this.#visit(site, turn === 2 ? inTurn(own, randomInt(own.length)) : this.#any());
        else await this.#switch(site, inTurn(own, randomInt(own.length)));
        this.answers += 1;
        answered();
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

  /** Disables or enables a link that no other client changes. */
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

/** Throws an error again, unless it comes from the killing of the process. */
export function unlessKilled(error: unknown): void {
  const {code} = error as {code?: unknown};
  if (code !== 'ECONNRESET' && code !== 'ECONNREFUSED' && code !== 'EPIPE') throw error;
}
