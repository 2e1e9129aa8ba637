import {bases, type Fault, outside, processes, type Site, World} from './world.ts';
import {Luck} from './timeline.ts';
import {inspect} from 'node:util';
import type {Context} from 'koa';
import {ShortUrlError} from '../../src/host/errors.ts';
import {targetOf} from '../../src/links/record.ts';
import type {Link} from '../../src/links/link.ts';
import type {Answer, Operation} from '../support/engines/linearizable.ts';

/** What a client can do. */
export const deeds = ['create', 'visit', 'disable', 'enable', 'update', 'remove', 'info', 'block', 'unblock'] as const;

/** One request of a client. Equal numbers in two actions mean the same thing. */
export interface Action {
  readonly do: (typeof deeds)[number];
  /** How long the client waits before it, in milliseconds. */
  readonly pause: number;
  /** The place of the process that serves it. */
  readonly process: number;
  readonly account: number;
  readonly link: number;
  /** A small number whose meaning depends on what is done: a limit of visits, or a destination. */
  readonly value: number;
  /** The seed of everything that happens to its commands; 0 if they succeed at once. */
  readonly luck: number;
}

/** All that a run depends on, apart from the program. */
export interface Plan {
  /** The seed of the program's own random numbers. */
  readonly seed: number;
  /** Each client sends its requests one after another. */
  readonly clients: ReadonlyArray<readonly Action[]>;
  readonly faults: readonly Fault[];
}

/** A visitor's request. Times are stamps of the timeline. */
export interface Visit {
  readonly slug: string;
  readonly start: number;
  readonly end: number;
  /** The HTTP status; undefined without an answer. */
  readonly code: number | undefined;
  /** The names of the counters to which it was added, if it was redirected. */
  readonly counters?: string;
  readonly generation?: string;
}

export const accounts = ['ann', 'bob'];
export const slugs = ['l0', 'l1', 'l2'];

export const shortUrlOf = (slug: string): string => `https://example.com/${slug}`;

/** Clients that follow a plan, and what they saw. */
export class Story {
  readonly world: World;
  readonly visits: Visit[] = [];
  readonly operations = new Map<string, Operation[]>();
  /** Links that ever had a limit of visits. */
  readonly limited = new Set<string>();
  readonly ids = new Map<number, string>();
  /** Actions that have not ended. */
  unfinished = 0;
  #urls = 0;
  readonly #plan: Plan;

  constructor(plan: Plan) {
    this.#plan = plan;
    this.world = new World(plan.seed);
  }

  /** Runs the plan until nothing more happens. */
  async run(): Promise<void> {
    const {world} = this;
    const {timeline} = world;
    for (let place = 0; place < processes; place += 1) world.site(place);
    const site = world.site(0);
    for (const account of accounts) await world.calmly(site, () => site.accounts.create(account));
    for (const fault of this.#plan.faults) world.plan(fault);
    for (const actions of this.#plan.clients) void this.#follow(actions);
    await timeline.run();
  }

  async #follow(actions: readonly Action[]): Promise<void> {
    for (const action of actions) {
      this.unfinished += 1;
      await new Promise<void>((resolve) => {
        this.world.timeline.after(
          action.pause,
          () => {
            this.#begin(action, resolve);
          },
          outside,
        );
      });
      this.unfinished -= 1;
    }
  }

  /** Calls `onEnd` when it is answered, or when its process dies. */
  #begin(action: Action, onEnd: () => void): void {
    const {timeline} = this.world;
    const site = this.world.site(action.process);
    site.abandoned.add(onEnd);
    timeline.note(site.process, 'begins', action);
    void timeline
      .within({process: site.process, luck: new Luck(action.luck)}, () => this.#act(site, action))
      .catch((error: unknown) => this.world.faults.push(inspect(error)))
      .then(() => {
        site.abandoned.delete(onEnd);
        timeline.after(0, onEnd, outside);
      });
  }

  async #act(site: Site, action: Action): Promise<void> {
    if (action.do === 'visit') return this.#visit(site, action);
    return this.#operate(site, action);
  }

  async #operate(site: Site, action: Action): Promise<void> {
    const {timeline} = this.world;
    const name = action.do;
    const slug = slugOf(action);
    const account = accounts[action.account % accounts.length] ?? '';
    const isNew = name === 'create' || (name === 'update' && action.value % 2 === 0);
    const url = isNew ? `https://destination.example/${(this.#urls += 1)}` : undefined;
    const operation: {-readonly [Name in keyof Operation]: Operation[Name]} = {
      name,
      account,
      start: timeline.stamp(),
      end: Infinity,
      answer: undefined,
      ...(url !== undefined && {url}),
    };
    this.#operationsOn(slug).push(operation);
    const answer = await this.#answer(site, action, account, url);
    timeline.note(site.process, 'answers', name, slug, answer);
    operation.answer = answer;
    operation.end = answer ? timeline.stamp() : Infinity;
  }

  async #answer(site: Site, action: Action, account: string, url: string | undefined): Promise<Answer | undefined> {
    const {links, admin} = site;
    const slug = slugOf(action);
    const shortUrl = shortUrlOf(slug);
    const own = (): ReturnType<typeof site.accounts.require> => site.accounts.require(account);
    try {
      switch (action.do) {
        case 'create': {
          const link = await links.create(await own(), {url: url ?? '', customUrl: slug});
          this.#noteId(link);
          return {code: 200};
        }
        case 'disable':
        case 'enable':
          return shown(await links[action.do](await own(), shortUrl));
        case 'update': {
          const link = await links.update(
            await own(),
            shortUrl,
            url === undefined ? {title: `T${action.value}`} : {url},
          );
          return {...shown(link), url: link.originalUrl};
        }
        case 'remove':
          return {code: 200, status: (await links.remove(await own(), shortUrl)).status};
        case 'info': {
          const link = await links.info(await own(), shortUrl);
          return {...shown(link), url: link.originalUrl, totalVisits: link.totalVisits};
        }
        case 'block':
        case 'unblock':
          return shown((await admin[action.do](shortUrl)).link);
        case 'visit':
          return undefined;
      }
    } catch (error) {
      return this.#refusal(error);
    }
  }

  async #visit(site: Site, action: Action): Promise<void> {
    const {timeline} = this.world;
    const {process, visitor, store, log} = site;
    const slug = slugOf(action);
    const start = timeline.stamp();
    const seesOutage = (): boolean => store.isAway || log.isBehind;
    const {failures} = process;
    const wasAway = seesOutage();
    const visit: {-readonly [Name in keyof Visit]: Visit[Name]} = {slug, start, end: Infinity, code: undefined};
    this.visits.push(visit);
    const context = {req: {method: 'GET', headers: {}}, ip: `v${action.value}`} as unknown as Context;
    const found = await visitor.decide(context, {domain: bases.main.domain, slug});
    const code = {unknown: 404, unavailable: 503, gone: 410, active: 302}[found.status];
    timeline.note(process, 'answers', 'visit', slug, code);
    if (found.status === 'active') {
      visit.counters = found.value.counters;
      visit.generation = found.value.generation;
    }
    visit.code = code;
    visit.end = timeline.stamp();
    // During an outage a link that was seen lately redirects without a look at the store.
    if (code === 503 || wasAway || seesOutage() || process.failures > failures) return;
    const answer = {code, ...(found.status === 'active' && {url: targetOf(found.value)})};
    this.#operationsOn(slug).push({name: 'visit', start, end: visit.end, answer});
  }

  #operationsOn(slug: string): Operation[] {
    const operations = this.operations.get(slug) ?? [];
    this.operations.set(slug, operations);
    return operations;
  }

  #noteId({urlId, shortUrl}: Link): void {
    const other = this.ids.get(urlId);
    if (other !== undefined && !this.world.hasFailedOver) this.world.faults.push(`url_id ${urlId} was given twice`);
    this.ids.set(urlId, shortUrl);
  }

  #refusal(error: unknown): Answer | undefined {
    if (error instanceof ShortUrlError && error.code !== 'internal_error') {
      return error.status === 503 ? undefined : {code: error.status};
    }
    this.world.faults.push(inspect(error));
    return undefined;
  }
}

function slugOf({link}: Action): string {
  return slugs[link % slugs.length] ?? '';
}

function shown({status}: Link): Answer {
  return {code: 200, status};
}
