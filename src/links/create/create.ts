import type {Account} from '../../accounts/accounts.ts';
import {isUnavailable} from '../../errors.ts';
import type {CreateLink, CreateOptions, CreateResult, Link} from '../../link/link.ts';
import type {LinkRecord} from '../../link/record.ts';
import {toLink} from '../../link/to-link.ts';
import {malformed} from '../../values/input.ts';
import {runMany} from '../many.ts';
import {showLinks} from '../read/shown-links.ts';
import type {LinkServices} from '../services.ts';
import {Creation} from './creation.ts';
import {type IntentKey, keyOfRepeats, readIdempotencyKey} from './intents.ts';

/** Creates links, and answers repeated calls with those that they have made. */
export class Creating {
  readonly #services: LinkServices;
  readonly #creation: Creation;

  constructor(services: LinkServices) {
    this.#services = services;
    this.#creation = new Creation(services);
  }

  async one(account: Account, input: CreateLink, options?: CreateOptions): Promise<Link> {
    const key = readIdempotencyKey(options);
    if (key !== undefined) return this.#createOnce(account, input, keyOfRepeats(account, key), this.#services.now());
    const {record, at, isNew} = await this.#creation.create(account, input);
    if (isNew) return this.#created(account, record, at);
    const [link] = await showLinks(this.#services, [record]);
    return link ?? this.#created(account, record, at);
  }

  async *many(
    account: Account,
    inputs: Iterable<CreateLink> | AsyncIterable<CreateLink>,
    options?: CreateOptions,
  ): AsyncGenerator<CreateResult> {
    const {bases, intents, now} = this.#services;
    const key = readIdempotencyKey(options);
    if (key === undefined) {
      yield* runMany({run: (input: CreateLink) => this.one(account, input), bases}, inputs);
      return;
    }
    if (!Array.isArray(inputs)) {
      throw malformed('With an idempotency key, the links must be an array.');
    }
    const digest = await intents.digest(inputs);
    const {at} = await intents.begin(keyOfRepeats(account, key), {at: now()}, digest);
    const outcome = {areRefused: true};
    const run = async (input: CreateLink, index: number): Promise<Link> => {
      try {
        const link = await this.#createOnce(account, input, keyOfRepeats(account, key, String(index)), at);
        outcome.areRefused = false;
        return link;
      } catch (error) {
        if (isUnavailable(error)) outcome.areRefused = false;
        throw error;
      }
    };
    try {
      yield* runMany({run, bases}, inputs as readonly CreateLink[]);
    } finally {
      // Refused calls would fill the store, whatever the quota.
      if (outcome.areRefused) await intents.forget(keyOfRepeats(account, key));
    }
  }

  async #createOnce(account: Account, input: CreateLink, key: IntentKey, at: number): Promise<Link> {
    const {record, at: since, isNew} = await this.#creation.createOnce(account, input, key, at);
    if (isNew) return this.#created(account, record, since);
    return toLink(record, undefined, this.#services, since);
  }

  #created(account: Account, record: LinkRecord, at: number): Link {
    const {announcer, onCreate, now} = this.#services;
    onCreate?.(record);
    const created = toLink(record, undefined, this.#services, at);
    announcer.announce('create', {account: account.id, link: created, at: new Date(now())});
    return created;
  }
}
