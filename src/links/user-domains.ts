import {planted} from '../planted.ts';
import {setTimeout as delay} from 'node:timers/promises';
import {LRUCache} from 'lru-cache';
import {type Base, type Bases, unknownBaseDomain} from '../link/bases.ts';
import {inTime, requireBoolean} from '../values/callback.ts';
import {describe} from '../values/describe.ts';
import {growingTo} from '../values/growing.ts';
import type {Announcer} from './announcer.ts';

/** May this account make links on the domain? Without an account: does the site serve it? */
export type AskDomain = (domain: string, account: string | undefined) => boolean | Promise<boolean>;

/** How long an answer of the host holds, in milliseconds. */
const answerAge = 60_000;
/** When the host is asked again after a failure, in milliseconds. */
const retryAge = 5_000;
/** How long after the last answer a domain goes on to be served while the host fails, in milliseconds. */
const graceAge = 60 * 60_000;
/** How long a visitor of a domain that was served lately waits for an answer, in milliseconds. */
const patience = 100;
const maxServed = 10_000;
const maxUnserved = 1000;
/** About how many domains the host is asked at once. */
const maxQuestions = 100;
export const maxOffered = 100;

interface Known {
  /** When the host was asked what it last answered, in milliseconds since the epoch. */
  readonly at: number;
  readonly until: number;
}

export interface UserDomainsDependencies {
  readonly bases: Bases;
  /** The option `domains`. */
  readonly ask: AskDomain | undefined;
  /** The option `domainsOf`. */
  readonly list: ((account: string) => readonly string[] | Promise<readonly string[]>) | undefined;
  readonly announcer: Pick<Announcer, 'reportFailure'>;
  readonly now: () => number;
}

/** The domains that the site's users bring, as the host tells of them. */
export class UserDomains {
  readonly #dependencies: UserDomainsDependencies;
  readonly #questions = new Map<string, Promise<void>>();
  readonly #served = new LRUCache<string, Known & {readonly base: Base}>(growingTo(maxServed));
  readonly #unserved = new LRUCache<string, Known>(growingTo(maxUnserved));

  constructor(dependencies: UserDomainsDependencies) {
    this.#dependencies = dependencies;
    dependencies.bases.servedBase = (domain) => this.#served.peek(domain)?.base;
  }

  /** @throws ShortUrlError `unknown_base_domain`, or `internal_error` if the host's `domains` fails */
  async check({domain}: Base, account: string): Promise<void> {
    const {bases, ask, announcer} = this.#dependencies;
    if (bases.foreignDomain(domain) === undefined) return;
    let isAllowed: boolean;
    try {
      isAllowed = ask !== undefined && requireBoolean(await inTime(ask(domain, account)));
    } catch (cause) {
      throw announcer.reportFailure("The site's `domains` failed. No link was created.", cause);
    }
    if (!isAllowed) throw unknownBaseDomain();
  }

  /** The domains that the host offers an account for new links. Never rejects: a failure is reported, and there are none. */
  async of(account: string): Promise<readonly Base[]> {
    const {bases, list, announcer} = this.#dependencies;
    if (list === undefined) return [];
    try {
      const domains: unknown = await inTime(list(account));
      if (!Array.isArray(domains) || domains.length > maxOffered)
        throw new TypeError(`Expected an array of up to ${maxOffered} domains, got ${describe(domains)}`);
      const names = new Set(domains.map((domain) => this.#nameOf(domain)));
      return Array.from(names, (name) => bases.ofUser(name));
    } catch (cause) {
      announcer.reportFailure("The site's `domainsOf` failed. Only the domains of the options are offered.", cause);
      return [];
    }
  }

  #nameOf(domain: unknown): string {
    const name = typeof domain === 'string' ? this.#dependencies.bases.foreignDomain(domain) : undefined;
    if (name !== undefined) return name;
    throw new TypeError(
      `Expected a domain besides those of the options, such as go.ann.example, got ${describe(domain)}`,
    );
  }

  /**
   * Asks the host whether the site serves the domain of a request, unless it has answered within a minute. If the last
   * answer was yes, it holds for an hour while the host fails, and a slow answer is not waited for.
   *
   * @returns undefined if there is nothing to ask; otherwise a promise that never rejects, after which `Bases.find` knows
   */
  learn(host: string): Promise<void> | undefined {
    const {bases, ask, now} = this.#dependencies;
    const domain = ask && bases.foreignDomain(host);
    if (ask === undefined || domain === undefined) return undefined;
    const served = this.#served.get(domain);
    const known = served ?? this.#unserved.get(domain);
    const time = now();
    if (known !== undefined && time >= known.at && time < known.until) return undefined;
    // A crowd of invented hosts must not become a crowd of questions.
    if (this.#questions.size >= maxQuestions && served === undefined && !this.#questions.has(domain)) return undefined;
    const question = this.#questions.get(domain) ?? this.#ask(ask, domain);
    const isGraced = served !== undefined && time < served.at + graceAge;
    return isGraced ? Promise.race([question, delay(patience, undefined, {ref: false})]) : question;
  }

  #ask(ask: AskDomain, domain: string): Promise<void> {
    const question = this.#answer(ask, domain).finally(() => this.#questions.delete(domain));
    this.#questions.set(domain, question);
    return question;
  }

  async #answer(ask: AskDomain, domain: string): Promise<void> {
    const {announcer, now} = this.#dependencies;
    const at = now();
    try {
      this.#note(domain, requireBoolean(await inTime(ask(domain, undefined))), {at, until: at + answerAge});
    } catch (cause) {
      announcer.reportFailure("The site's `domains` failed. Domains that it has served within an hour go on.", cause);
      const before = this.#served.get(domain);
      const isGraced = before !== undefined && at < before.at + graceAge;
      // A time that is yet to come is that of a clock that was wrong.
      const since = planted('grace-begins-again') ? at : Math.min(before?.at ?? at, at);
      this.#note(domain, isGraced, {at: isGraced ? since : at, until: at + retryAge});
    }
  }

  #note(domain: string, isServed: boolean, known: Known): void {
    if (isServed) {
      this.#unserved.delete(domain);
      this.#served.set(domain, {...known, base: this.#dependencies.bases.ofUser(domain)});
    } else {
      this.#served.delete(domain);
      if (!planted('unserved-not-remembered')) this.#unserved.set(domain, known);
    }
  }
}
