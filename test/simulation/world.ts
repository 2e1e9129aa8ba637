import {calm, type Clock, type Process, type Scope, Timeline} from './timeline.ts';
import {inspect} from 'node:util';
import type {Context} from 'koa';
import {KeyAttempts} from '../../src/accounts/key-attempts.ts';
import {Keys} from '../../src/accounts/keys.ts';
import {Announcer} from '../../src/links/announcer.ts';
import {Expiry} from '../../src/links/change/expiry.ts';
import {Admin} from '../../src/links/admin.ts';
import {Bases} from '../../src/link/bases.ts';
import {packing} from '../../src/link/packing.ts';
import {Api} from '../../src/http/api/api.ts';
import {Destinations} from '../../src/http/visit/destination.ts';
import {Visitor} from '../../src/http/visit/visitor.ts';
import type {Found, FoundLink} from '../../src/visits/redirects.ts';
import {VisitDetails} from '../../src/http/visit/visit-details.ts';
import {buildServices, type Services} from '../../src/shortener/services.ts';
import {Keyv} from 'keyv';
import {codecOf} from '../../src/store/codec.ts';
import {LayeredStore} from '../../src/store/layers/layered-store.ts';
import {attemptRecords, PasswordAttempts} from '../../src/visits/attempts.ts';
import {SimulatedDriver} from './driver.ts';
import type {Network} from './wire.ts';
import {type Fault, type Plan, processes} from './plan.ts';
import type {Driver} from '../../src/store/driver.ts';
import type {Engine} from './engines/engine.ts';
import type {Seen} from './seen.ts';
import type {Schedule} from './schedules/schedule.ts';
import {Server, type Shard} from './server.ts';

/** A process of the site: the real services over a connection to the simulated server. */
export interface Site extends Services<LayeredStore> {
  readonly process: Process;
  readonly admin: Admin;
  readonly keys: Keys;
  readonly api: () => Api;
  readonly visitor: NotingVisitor;
  readonly attempts: () => PasswordAttempts;
  /** Opens another store; by default that to which the site is copied. */
  readonly openTarget: (server?: Server) => LayeredStore;
  /** Called when the process dies, for each answer that somebody waits for. */
  readonly abandoned: Set<() => void>;
}

/** A day ends two seconds after the beginning of a run. */
export const epoch = Date.UTC(2031, 4, 7) - 2000;

/** How many wrong passwords a client may try at a link. */
export const passwordAttempts = 3;

export const bases = new Bases('https://example.com', []);
/** The scope of clients, who are no part of the site. */
export const outside: Scope = {process: undefined, luck: calm};

const codec = codecOf(new Keyv(), packing, true);

/** What a world runs on. */
export interface Setting {
  /** Decides the order of the clients' commands in place of their luck. */
  readonly schedule?: Schedule | undefined;
  /** An empty engine; by default our picture of one. */
  readonly engine?: Engine | undefined;
}

/** Notes the link that answers, which may be a later one than the visitor was decided by. */
class NotingVisitor extends Visitor {
  readonly answered = new WeakMap<Context, FoundLink>();

  override answer(ctx: Context, found: Found): boolean | Promise<boolean> {
    if ('value' in found) this.answered.set(ctx, found);
    return super.answer(ctx, found);
  }
}

/** Several processes over one server, in simulated time. */
export class World implements Network {
  readonly timeline: Timeline;
  readonly server = new Server();
  /** The content of the store to which the site is copied. */
  readonly target = new Server();
  /** Failures that no documented promise allows, such as an internal error. */
  readonly faults: string[] = [];
  /** How many visits were in memory only when their process died. */
  lostVisits = 0;
  /** The shards that a replica has replaced. */
  readonly lost = new Set<Shard>();
  readonly #sites: Site[] = [];
  /** Of the machines of the processes, by place. */
  readonly #clocks: readonly Clock[] = Array.from({length: processes}, () => ({ahead: 0, settings: 0}));
  /** How far a clock was behind, and ahead, at most. */
  readonly #wrong = {behind: 0, ahead: 0};
  readonly #commandsLeft = new Map<Process, number | 'answer'>();
  /** When each process can reach the server again; `undefined` stands for all. */
  readonly #cutUntil = new Map<Process | undefined, number>();
  readonly #all: Process[] = [];

  readonly isCluster: boolean;
  readonly #quota: number | undefined;

  readonly schedule: Schedule | undefined;

  readonly engine: Engine | undefined;

  constructor({seed, quota, isCluster}: Pick<Plan, 'seed' | 'quota' | 'isCluster'>, {schedule, engine}: Setting = {}) {
    this.engine = engine;
    this.isCluster = isCluster;
    this.schedule = schedule;
    this.timeline = new Timeline(seed, epoch);
    this.timeline.idle = schedule?.next;
    this.#quota = quota || undefined;
  }

  /** The process that runs in this place now. */
  site(place: number): Site {
    return (this.#sites[place % processes] ??= this.open(this.#clocks[place % processes]));
  }

  reachableAt(process: Process): number {
    return Math.max(this.#cutUntil.get(undefined) ?? 0, this.#cutUntil.get(process) ?? 0);
  }

  beforeCommand(process: Process): void {
    const left = this.#commandsLeft.get(process);
    if (typeof left !== 'number') return;
    if (left > 0) this.#commandsLeft.set(process, left - 1);
    else this.#kill(process);
  }

  /** Called when a request has been done, before its client gets the answer; may kill the process. */
  beforeAnswer(process: Process): void {
    if (this.#commandsLeft.get(process) === 'answer') this.#kill(process);
  }

  /** Makes a fault happen at its time. */
  plan(fault: Fault): void {
    const {timeline} = this;
    const at = (time: number, work: () => void): void => {
      timeline.after(time, () => {
        timeline.note({name: 'fault'}, fault);
        work();
      });
    };
    switch (fault.do) {
      case 'cut':
        at(fault.at, () => {
          const process = fault.process === undefined ? undefined : this.site(fault.process).process;
          this.#cutUntil.set(process, timeline.now + fault.duration);
        });
        // The run lasts until then.
        at(fault.at + fault.duration, () => undefined);
        break;
      case 'kill':
        at(fault.at, () => this.#commandsLeft.set(this.site(fault.process).process, fault.commands));
        break;
      case 'stall':
        at(fault.at, () => {
          this.site(fault.process).process.stalledUntil = timeline.now + fault.duration;
        });
        break;
      case 'failover':
        at(Math.max(0, fault.at - fault.lost), () => {
          const promote = this.server.replicate(fault.of);
          at(Math.min(fault.at, fault.lost), () => {
            this.lost.add(fault.of);
            promote();
          });
        });
        break;
      case 'clock':
        at(fault.at, () => {
          this.#set(fault.process, fault.by);
        });
        at(fault.at + fault.duration, () => {
          this.#set(fault.process, -fault.by);
        });
    }
  }

  /** Lets time pass in which nothing is asked for. */
  async wait(time: number): Promise<void> {
    this.timeline.after(time, () => undefined, outside);
    await this.timeline.run();
  }

  /** Starts a process. */
  open(clock: Clock = {ahead: 0, settings: 0}): Site {
    const name = `p${this.#all.length + 1}`;
    const process: Process = {name, isDead: false, stalledUntil: 0, clock, failures: 0};
    this.#all.push(process);
    const {timeline} = this;
    const {scope} = timeline;
    // What it draws and sends at once is its own.
    timeline.scope = {process, luck: calm};
    const site = this.#assemble(process);
    timeline.scope = scope;
    return site;
  }

  /** Does something in a process to which nothing bad happens, until nothing happens any more. */
  async calmly<Result>({process}: Site, work: () => Promise<Result>, request?: Seen): Promise<Result> {
    this.#commandsLeft.delete(process);
    const result = this.timeline.within({process, luck: calm, ...(request && {request})}, work);
    result.catch(() => undefined);
    await this.timeline.run();
    return Promise.race([result, Promise.reject(new Error('Nothing more happens, but the work has not ended'))]);
  }

  #assemble(process: Process): Site {
    const {timeline} = this;
    const openStore = (driver: Driver): LayeredStore =>
      new LayeredStore(driver, {
        codec,
        packing,
        keyOf: (key) => `s:${key}`,
        timeout: 2000,
        onOutage: () => undefined,
        onUnreadable: (error) => this.faults.push(inspect(error)),
      });
    const openServer = (server: Server): LayeredStore => openStore(new SimulatedDriver(this, process, server));
    const store = this.engine ? openStore(this.engine.driver(this, process)) : openServer(this.server);
    const announcer = new Announcer();
    announcer.events.on('error', (error) => {
      if (error.code === 'internal_error') this.faults.push(inspect(error));
    });
    const now = (): number => timeline.dateOf(process);
    const settings = {bases, secrets: ['a secret of the simulated site'], createQuota: this.#quota, now};
    const services = buildServices(store, settings, announcer);
    services.shares.showAt(() => 'https://example.com/links');
    const keys = new Keys(services.accounts, now);
    const closing = new AbortController().signal;
    const expiry = new Expiry({...services, closing});
    const api = once(() => {
      const keyAttempts = new KeyAttempts({...services, limit: Infinity});
      return new Api({...services, keys, keyAttempts});
    });
    const attempts = once(
      () =>
        new PasswordAttempts(
          store,
          passwordAttempts,
          (...parts) => services.siteKey.idFor(attemptRecords, ...parts),
          now,
        ),
    );
    return {
      ...services,
      process,
      attempts,
      openTarget: (server = this.target) => openServer(server),
      admin: new Admin({...services, expiry, closing}),
      keys,
      api,
      abandoned: new Set(),
      visitor: new NotingVisitor({
        ...services,
        destinations: new Destinations({
          ...services,
          destination: undefined,
        }),
        get attempts() {
          return attempts();
        },
        redirectStatus: 302,
        expiry,
        countVisit: () => true,
        details: new VisitDetails(({ip}: Context) => ({visitor: ip}), announcer),
        pages: {},
      }),
    };
  }

  /** Sets the clock of a process's machine, or of the server, forward or back. */
  #set(place: number | undefined, by: number): void {
    const clock = (place === undefined ? undefined : this.#clocks[place % processes]) ?? this.timeline.serverClock;
    clock.ahead += by;
    clock.settings += 1;
    const {behind, ahead} = this.#wrong;
    Object.assign(this.#wrong, {behind: Math.min(behind, clock.ahead), ahead: Math.max(ahead, clock.ahead)});
  }

  /** How much two clocks have differed at most, also one from itself at another moment, in milliseconds. */
  get clockDifference(): number {
    return this.#wrong.ahead - this.#wrong.behind;
  }

  #kill(process: Process): void {
    const place = this.#sites.findIndex((site) => site.process === process);
    const site = this.#sites[place];
    if (site === undefined) return;
    this.timeline.note(process, 'dies');
    process.isDead = true;
    this.lostVisits += site.log.unstored;
    this.#sites[place] = this.open(process.clock);
    for (const abandon of site.abandoned) this.timeline.after(0, abandon, outside);
  }

  /** Whether a command has failed or a process has died, so that something may be left unfinished. */
  get isTroubled(): boolean {
    return this.#all.some(({failures, isDead}) => failures > 0 || isDead);
  }

  get hasDeaths(): boolean {
    return this.#all.some(({isDead}) => isDead);
  }

  /** The processes that run now. */
  get running(): readonly Site[] {
    return this.#sites;
  }
}

/** Makes something when it is first needed. What remembers attempts has large caches, and few runs use it. */
function once<Made>(make: () => Made): () => Made {
  let made: Made | undefined;
  return () => (made ??= make());
}
