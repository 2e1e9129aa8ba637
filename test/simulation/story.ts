import {outside, type Setting, type Site, World} from './world.ts';
import {Luck} from './timeline.ts';
import {inspect} from 'node:util';
import {ShortUrlError} from '../../src/errors.ts';
import {ToolError} from '../../src/tools/tool-error.ts';
import {type Action, type Plan, processes} from './plan.ts';
import {Requests} from './requests.ts';
import {accounts, isOfOperator, type Seen, slugs} from './seen.ts';

/** Clients that follow a plan, and what they saw. */
export class Story {
  readonly world: World;
  readonly plan: Plan;
  readonly seen: Seen[] = [];
  /** Requests that neither were answered nor lost their process. */
  readonly unfinished = new Set<Action>();
  /** When each request began and ended, in milliseconds since the run began. */
  readonly ended: Array<{readonly action: Action; readonly from: number; readonly until: number}> = [];
  /** When nothing more happened. */
  quietAt = 0;
  readonly #requests: Requests;

  constructor(plan: Plan, setting?: Setting) {
    this.plan = plan;
    this.world = new World(plan, setting);
    this.#requests = new Requests(this.world.timeline, this.seen);
  }

  /** Runs the plan until nothing more happens. */
  async run(): Promise<void> {
    const {world, plan} = this;
    for (let place = 0; place < processes; place += 1) world.site(place);
    for (const account of accounts.keys()) await this.calmly(world.site(0), {do: 'register', account});
    await this.calmly(world.site(0), {do: 'create', ...plan.made});
    for (const action of plan.before ?? []) await this.calmly(world.site(0), action);
    for (const fault of plan.faults) world.plan(fault);
    if (world.schedule) world.schedule.isOpen = true;
    for (const actions of plan.clients) void this.#follow(actions);
    await world.timeline.run();
    this.quietAt = world.timeline.now;
    if (world.schedule) world.schedule.isOpen = false;
  }

  /** Sends a request to which nothing bad happens, while nothing else does. */
  async calmly(site: Site, action: Partial<Action> & Pick<Action, 'do'>): Promise<Seen> {
    const seen = this.#begin(site, {pause: 0, process: 0, account: 0, link: 0, variant: 0, luck: 0, ...action});
    await this.world.calmly(site, () => this.#act(site, seen, action.variant ?? 0), seen);
    return seen;
  }

  async #follow(actions: readonly Action[]): Promise<void> {
    const {timeline} = this.world;
    for (const action of actions) {
      this.unfinished.add(action);
      let from = 0;
      await new Promise<void>((resolve) => {
        timeline.after(
          action.pause,
          () => {
            from = timeline.now;
            this.#send(action, resolve);
          },
          outside,
        );
      });
      this.unfinished.delete(action);
      this.ended.push({action, from, until: timeline.now});
    }
  }

  /** Calls `onEnd` when the request is answered, or when its process dies. */
  #send(action: Action, onEnd: () => void): void {
    const {timeline} = this.world;
    const site = this.world.site(action.process);
    const seen = this.#begin(site, action);
    timeline.note(site.process, 'begins', action);
    site.abandoned.add(onEnd);
    void timeline
      .within({process: site.process, luck: new Luck(action.luck, this.plan.trouble), request: seen}, () =>
        this.#act(site, seen, action.variant),
      )
      .then(() => {
        site.abandoned.delete(onEnd);
        timeline.after(0, onEnd, outside);
      });
  }

  #begin({process}: Site, action: Action): Seen {
    const {timeline} = this.world;
    const seen: Seen = {
      do: action.do,
      slug: slugs[action.link % slugs.length] ?? '',
      account: (isOfOperator(action.do) ? accounts.at(-1) : accounts[action.account % accounts.length]) ?? '',
      ip: `192.0.2.${action.account}`,
      process: process.name,
      start: timeline.stamp(),
      end: Infinity,
      began: timeline.date,
      ended: Infinity,
    };
    this.seen.push(seen);
    return seen;
  }

  async #act(site: Site, seen: Seen, variant: number): Promise<void> {
    const {timeline, faults} = this.world;
    const {clock} = site.process;
    const {ahead, settings} = clock;
    try {
      await this.#requests.ask(site, seen, variant);
      seen.code ??= 200;
    } catch (error) {
      if (error instanceof ToolError) seen.code = 500;
      else if (!(error instanceof ShortUrlError) || error.code === 'internal_error') faults.push(inspect(error));
      else seen.code = error.status;
      if (error instanceof ShortUrlError || error instanceof ToolError) seen.error = error.code;
    }
    this.world.beforeAnswer(site.process);
    if (site.process.isDead) {
      // It has died in this very moment, before its answer was sent.
      delete seen.code;
      delete seen.followed;
      delete seen.read;
      delete seen.listed;
    }
    timeline.note(site.process, 'answers', seen);
    if (seen.code === undefined || seen.code === 503) return;
    seen.end = timeline.stamp();
    seen.ended = timeline.date;
    if (clock.settings === settings) seen.ahead = ahead;
  }
}
