import type {Reply} from '../request.ts';
import {History} from './history.ts';
import type {Answer, Decision, LinkRequest} from './link-model.ts';
import type {SiteProcess} from './site-processes.ts';

/** What an `update` can change besides the long URL. */
export type Change = 'rules' | 'expired_url' | 'start_date' | 'max_visits';

/** A request about the link. */
export interface Request {
  readonly name: LinkRequest['name'];
  /** What an `update` changes; by default the long URL. */
  readonly change?: Change | undefined;
  /** Whether the `update` clears it. */
  readonly isCleared?: boolean;
  /** Whether the only rule fits the visitor. */
  readonly isSpecial?: boolean;
}

/** The visitors whom the rule fits. */
const phone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 Safari/604.1';

/** An update as a call has it, and as the checker knows it. */
type Update = readonly [parameter: string, decision: Partial<Decision>];

/** How to set something to a new value. A link that was visited before is used up by a limit of one visit. */
const settings: Readonly<Record<Change, (url: string) => Update>> = {
  rules: (special) => [JSON.stringify([{device: 'ios', url: special}]), {special}],
  expired_url: (expired) => [expired, {expired}],
  start_date: () => ['2099-01-01', {isScheduled: true}],
  max_visits: () => ['1', {isOver: true}],
};

const cleared: Readonly<Record<Change, Partial<Decision>>> = {
  rules: {special: null},
  expired_url: {expired: null},
  start_date: {isScheduled: false},
  max_visits: {isOver: false},
};

/** Sends operations on one link to any process of a site, and records when each began and ended. */
export class LinkHistory extends History<LinkRequest, Answer> {
  readonly #key: string;
  readonly #slug: string;
  #urls = 0;

  constructor(key: string, slug: string) {
    super();
    this.#key = key;
    this.#slug = slug;
  }

  async perform(site: SiteProcess, {name, change, isCleared = false, isSpecial}: Request): Promise<void> {
    const isNew = name === 'create' || (name === 'update' && change === undefined);
    const next = isNew || change !== undefined ? `https://destination.example/${this.#urls++}` : '';
    const [parameter, decision] = change === undefined || isCleared ? [] : settings[change](next);
    const parameters = {
      ...(isNew && {url: next}),
      ...(change !== undefined && (parameter === undefined ? {clear: change} : {[change]: parameter})),
    };
    const operation = {
      name,
      ...(isNew && {url: next}),
      ...(change !== undefined && {decision: decision ?? cleared[change]}),
      ...(isSpecial !== undefined && {isSpecial}),
    };
    await this.record(operation, async () => answerOf(name, await this.#ask(site, name, isSpecial, parameters)));
  }

  async #ask(
    site: SiteProcess,
    name: LinkRequest['name'],
    isSpecial: boolean | undefined,
    parameters: object,
  ): Promise<Reply> {
    const short_url = `https://example.com/${this.#slug}`;
    if (name === 'visit') return site.visit(short_url, isSpecial === true ? {headers: {'User-Agent': phone}} : {});
    const link = name === 'create' ? {custom_url: this.#slug} : {short_url};
    return site.api(this.#key, name, {...parameters, ...link});
  }
}

function answerOf(name: LinkRequest['name'], reply: Reply): Answer | undefined {
  const {status: code} = reply;
  // The store may have done it nevertheless.
  if (code === 503) return undefined;
  if (code === 302) return {code, url: reply.headers.location};
  if (code !== 200 || name === 'create' || name === 'visit') return {code};
  const {status, original_url, total_visits} = reply.json().data;
  if (name === 'update') return {code, status, url: original_url};
  return name === 'info' ? {code, status, url: original_url, totalVisits: total_visits} : {code, status};
}
