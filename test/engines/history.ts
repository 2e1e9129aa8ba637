import type {Reply} from '../support/request.ts';
import type {Answer, Operation} from './linearizable.ts';
import {unlessKilled} from './load.ts';
import type {SiteProcess} from './site-processes.ts';

/** Sends operations on one link to any process of a site, and records when each began and ended. */
export class History {
  readonly operations: Operation[] = [];
  readonly #key: string;
  readonly #slug: string;
  #creates = 0;

  constructor(key: string, slug: string) {
    this.#key = key;
    this.#slug = slug;
  }

  /** Resolves also when the process is killed before it has answered. */
  async perform(site: SiteProcess, name: Operation['name']): Promise<void> {
    const url = name === 'create' ? `https://destination.example/${this.#creates++}` : undefined;
    const start = performance.now();
    const answer = await this.#ask(site, name, url).then(
      (reply) => answerOf(name, reply),
      (error: unknown) => {
        unlessKilled(error);
        return undefined;
      },
    );
    const end = answer === undefined ? Infinity : performance.now();
    this.operations.push({name, start, end, answer, ...(url !== undefined && {url})});
  }

  async #ask(site: SiteProcess, name: Operation['name'], url: string | undefined): Promise<Reply> {
    if (url !== undefined) return site.api(this.#key, 'create', {url, custom_url: this.#slug});
    const short_url = `https://example.com/${this.#slug}`;
    return name === 'visit' ? site.visit(short_url) : site.api(this.#key, name, {short_url});
  }

  /** One line for each operation, by the time of its start. */
  toString(): string {
    const first = Math.min(...this.operations.map(({start}) => start));
    return this.operations
      .toSorted((a, b) => a.start - b.start)
      .map((operation) => describe(operation, first))
      .join('\n');
  }
}

/** @param origin the time that is shown as 0 */
export function describe({name, start, end, url = '', answer}: Operation, origin: number): string {
  const times = [start, end].map((time) => (time - origin).toFixed(3)).join(' to ');
  return `${times}: ${name} ${url} ${JSON.stringify(answer ?? 'no answer')}`;
}

function answerOf(name: Operation['name'], reply: Reply): Answer | undefined {
  const {status: code} = reply;
  // The store may have done it all the same.
  if (code === 503) return undefined;
  if (code === 302) return {code, url: reply.headers.location};
  if (code !== 200 || name === 'create' || name === 'visit') return {code};
  const {status, original_url, total_visits} = reply.json().data;
  return name === 'info' ? {code, status, url: original_url, totalVisits: total_visits} : {code, status};
}
