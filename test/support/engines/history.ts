import type {Reply} from '../request.ts';
import {type Answer, firstContradiction, type Operation, type Strictness} from './linearizable.ts';
import {unlessKilled} from './load.ts';
import type {SiteProcess} from './site-processes.ts';

/** Sends operations on one link to any process of a site, and records when each began and ended. */
export class History {
  readonly operations: Operation[] = [];
  readonly #key: string;
  readonly #slug: string;
  #urls = 0;

  constructor(key: string, slug: string) {
    this.#key = key;
    this.#slug = slug;
  }

  /** Also resolves if the process is killed before it has answered. */
  async perform(site: SiteProcess, name: Operation['name']): Promise<void> {
    const url = name === 'create' || name === 'update' ? `https://destination.example/${this.#urls++}` : undefined;
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
    const short_url = `https://example.com/${this.#slug}`;
    if (name === 'visit') return site.visit(short_url);
    const link = name === 'create' ? {custom_url: this.#slug} : {short_url};
    return site.api(this.#key, name, {...(url !== undefined && {url}), ...link});
  }

  /** The first answer that no order of the operations explains, with all operations by start time. */
  contradiction(strictness: Strictness): string | undefined {
    const contradiction = firstContradiction(this.operations, strictness);
    if (contradiction === undefined) return undefined;
    const sorted = this.operations.toSorted((a, b) => a.start - b.start);
    const lines = sorted.map((operation) => describe(operation, sorted[0]?.start ?? 0));
    return `Nothing explains\n${lines[sorted.indexOf(contradiction)]}\namong\n${lines.join('\n')}`;
  }
}

/** @param origin the time that is shown as 0 */
function describe({name, start, end, url = '', answer}: Operation, origin: number): string {
  const times = [start, end].map((time) => (time - origin).toFixed(3)).join(' to ');
  return `${times}: ${name} ${url} ${JSON.stringify(answer ?? 'no answer')}`;
}

function answerOf(name: Operation['name'], reply: Reply): Answer | undefined {
  const {status: code} = reply;
  // The store may have done it nevertheless.
  if (code === 503) return undefined;
  if (code === 302) return {code, url: reply.headers.location};
  if (code !== 200 || name === 'create' || name === 'visit') return {code};
  const {status, original_url, total_visits} = reply.json().data;
  if (name === 'update') return {code, status, url: original_url};
  return name === 'info' ? {code, status, url: original_url, totalVisits: total_visits} : {code, status};
}
