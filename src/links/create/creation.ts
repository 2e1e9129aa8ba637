import {setTimeout as delay} from 'node:timers/promises';
import {planted} from '../../planted.ts';
import {visitsCounter} from '../../link/counters.ts';
import {linkCounters, linkRecords, sequences} from '../../link/records.ts';
import type {Account} from '../../accounts/accounts.ts';
import {isUnavailable, ShortUrlError} from '../../errors.ts';
import {claim, type Claimed} from './claim.ts';
import {destinationsOf} from '../../link/urls.ts';
import type {CreateLink, CreateOptions, CreateResult, Link} from '../../link/link.ts';
import {toLink} from '../../link/to-link.ts';
import {malformed} from '../../values/input.ts';
import {runMany} from '../many.ts';
import {showLinks} from '../read/shown-links.ts';
import {checkDestinations} from '../destination-check.ts';
import type {LinkServices} from '../services.ts';
import {checkNewLink, hasValues, newCounters, type NewLink, newRecord} from '../../link/new-link.ts';
import {
  checkSame,
  type IntendedLink,
  type Intent,
  type IntentKey,
  keyOfRepeats,
  readIdempotencyKey,
} from './intents.ts';
import {checkFree, checkNoPage, chosenName, newSlug} from './names.ts';
import {hashPassword} from '../../link/password.ts';
import type {Counters} from '../../store/port.ts';
import {isActive, isListed, isSameLink, type LinkRecord} from '../../link/record.ts';
import {changing, taken} from '../../link/refusals.ts';

/** Pauses in milliseconds before a call that is beyond the quota looks again for the link of another call. */
const tryPause = 20;
const maxTries = 20;

interface Created {
  /** The link as it was created; one that was created for an earlier call with `reuse` as it is now. */
  readonly record: LinkRecord;
  /** Its visits then. */
  readonly counters?: Counters;
  /** When the call was made first, in milliseconds since the epoch. */
  readonly at: number;
  readonly isNew: boolean;
}

interface Repeats {
  readonly key?: IntentKey | undefined;
  readonly intent?: Intent | undefined;
  /** Whether a new link is to take the place of the intended one. */
  readonly isStale?: boolean;
  /** As in `Intents.begin`. */
  readonly digest?: string | undefined;
  readonly at: number;
}

interface Made extends Claimed {
  readonly intent: Intent;
}

interface Found {
  readonly intent: Intent;
  readonly isNew: false;
  readonly record?: undefined;
}

/**
 * Creates links, and answers repeated calls with those that they have made, in these steps:
 *
 * 1. `#check` reads the fields.
 * 2. A call that may be repeated, by `reuse` or an idempotency key, looks for the link of an earlier call.
 * 3. `#make` takes a unit of the quota, checks what the account may have, begins the intent, which is stored if the call may
 *    be repeated, and claims a name, or generated ones until one is free.
 * 4. If it is refused, `#findBeside` looks for the link of another call that may have taken the name or the quota.
 * 5. `#finish` marks the intent of an idempotency key.
 */
export class Creation {
  readonly #dependencies: LinkServices;

  constructor(dependencies: LinkServices) {
    this.#dependencies = dependencies;
  }

  async one(account: Account, input: CreateLink, options?: CreateOptions): Promise<Link> {
    const key = readIdempotencyKey(options);
    if (key !== undefined)
      return this.#createOnce(account, input, keyOfRepeats(account, key), this.#dependencies.now());
    const {record, at, isNew} = await this.#createNow(account, input);
    if (isNew) return this.#created(account, record, at);
    const [link] = await showLinks(this.#dependencies, [record]);
    return link ?? this.#created(account, record, at);
  }

  async *many(
    account: Account,
    inputs: Iterable<CreateLink> | AsyncIterable<CreateLink>,
    options?: CreateOptions,
  ): AsyncGenerator<CreateResult> {
    const {bases, intents, now} = this.#dependencies;
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
    const {record, counters, at: since, isNew} = await this.#createForKey(account, input, key, at);
    if (isNew) return this.#created(account, record, since);
    return toLink(record, counters, this.#dependencies, since);
  }

  #created(account: Account, record: LinkRecord, at: number): Link {
    const {announcer, onCreate, now} = this.#dependencies;
    onCreate?.(record);
    const created = toLink(record, undefined, this.#dependencies, at);
    announcer.announce('create', {account: account.id, link: created, at: new Date(now())});
    return created;
  }

  /** Creates a link, or finds the one of an earlier call with `reuse` and the same parameters. */
  async #createNow(account: Account, input: CreateLink): Promise<Created> {
    const at = this.#dependencies.now();
    const link = this.#check(input, at);
    if (link.reuse === true) return this.#reuse(account, link, at);
    const {record} = await this.#make(account, link, {at});
    return {record, at, isNew: true};
  }

  /**
   * Creates a link once for a key, even if the process is killed: its intent is stored first, and every repeat finishes
   * it or finds the link.
   *
   * @param at when the call was first made, in milliseconds since the epoch
   * @throws ShortUrlError also `idempotency_key_reused`
   */
  async #createForKey(account: Account, input: CreateLink, key: IntentKey, at: number): Promise<Created> {
    const {intents} = this.#dependencies;
    const intent = await intents.find(key);
    // Values that were valid at the first call are valid for its repeats.
    const link = this.#check(input, intent?.at ?? at);
    const digest = await intents.digest(input);
    if (intent !== undefined) checkSame(intent, digest);
    if (intent?.isDone) return answerOf(account, link, intent, false);
    if (link.reuse === true) {
      const begun = intent ?? (await intents.begin(key, {at}, digest));
      const {record, isNew} = await this.#reuse(account, link, begun.at).catch(async (error: unknown) => {
        // Refused calls would fill the store, whatever the quota.
        if (!isUnavailable(error)) await intents.forget(key);
        throw error;
      });
      const {domain, slug, id, counters, created} = record;
      const {store} = this.#dependencies;
      const [read] = isNew ? [] : await linkCounters.in(store).getMany([record], [visitsCounter]);
      const had = {created, visits: read?.counts.get(visitsCounter), visited: read?.at};
      const done = await this.#finish(key, {domain, slug, id, counters, ...(!isNew && had)});
      return answerOf(account, link, done, isNew);
    }
    const isFound = intent !== undefined && (await this.#findIntended(intent)) !== undefined;
    const made = isFound
      ? ({intent, isNew: false} as const)
      : await this.#makeOnce(account, link, {key, intent, digest, at});
    return answerOf(account, link, await this.#finish(key), made.isNew);
  }

  #check(input: CreateLink, now: number): NewLink {
    const {bases, reserved, calendar, schemes} = this.#dependencies;
    return checkNewLink(input, {bases, reserved, calendar, schemes, now});
  }

  /** The link of the same parameters, if it is active and still has them. Otherwise a new one takes its place. */
  async #reuse(account: Account, link: NewLink, at: number): Promise<Created> {
    const {intents, userDomains, now} = this.#dependencies;
    await userDomains.check(link.baseDomain, account.id);
    const key = await intents.reuseKey(account, {...link, baseDomain: link.baseDomain.domain});
    const intent = await intents.find(key);
    const record = intent && (await this.#findIntended(intent));
    if (
      record &&
      ((planted('blocked-link-reused') && record.isBlocked) || isActive(record, now())) &&
      (await hasValues(record, link))
    ) {
      return {record, at, isNew: false};
    }
    const made = await this.#makeOnce(account, link, {key, intent, isStale: record !== undefined, at});
    const claimed = made.record ?? (await this.#findIntended(made.intent));
    if (claimed === undefined) throw changing();
    // Another call has made the link for both, and the account has removed it.
    if (!isListed(claimed)) return this.#reuse(account, link, at);
    return {record: claimed, at: made.intent.at, isNew: made.isNew};
  }

  /**
   * Makes the link of a key. Another call with the key at the same time takes the short part and the quota for it, so a
   * call that is refused looks whether there is a link.
   */
  async #makeOnce(account: Account, link: NewLink, repeats: Repeats): Promise<Made | Found> {
    try {
      return await this.#make(account, link, repeats);
    } catch (error) {
      if (!(error instanceof ShortUrlError) || isUnavailable(error)) throw error;
      // The removal of the account finds it by its link only.
      if (repeats.key?.isForReuse && error.code === 'invalid_api_key') {
        await this.#dependencies.intents.forget(repeats.key);
      }
      const found = await this.#findBeside(repeats, error);
      if (found === undefined) throw error;
      return found;
    }
  }

  #make(account: Account, link: NewLink, repeats: Repeats): Promise<Made> {
    const name = chosenName(link);
    if (name !== undefined) checkNoPage(this.#dependencies, name);
    const make = async (): Promise<Made> => {
      await this.#checkAllowed(account, link, repeats);
      const password = link.password === undefined ? undefined : await hashPassword(link.password, account.id);
      return this.#claimName(account, link, repeats, await this.#begin(link, repeats), password);
    };
    return this.#dependencies.quota.spend(account, make, ({isNew}) => isNew);
  }

  /** Whether the account may have the link: its domain, its destinations, and a short part that was chosen. */
  async #checkAllowed(account: Account, link: NewLink, {key}: Repeats): Promise<void> {
    const name = chosenName(link);
    // `#reuse` has asked before it looked for a link.
    if (!key?.isForReuse) await this.#dependencies.userDomains.check(link.baseDomain, account.id);
    await checkDestinations(this.#dependencies, account, destinationsOf(link), name);
    if (name !== undefined) await checkFree(this.#dependencies, account, name);
  }

  async #begin(link: NewLink, {key, intent, isStale, digest, at}: Repeats): Promise<Intent> {
    const {intents, store} = this.#dependencies;
    if (intent?.link !== undefined && !isStale) return intent;
    const first = {
      domain: link.baseDomain.domain,
      slug: link.customUrl ?? newSlug(this.#dependencies, link, 0),
      counters: newCounters(),
    };
    if (key === undefined) return {at, link: first};
    const begun: Intent = {at, link: {...first, id: await sequences.in(store).increment('url_id')}};
    if (intent === undefined) return intents.begin(key, begun, digest);
    return intents.change(key, (stored) => (isSameLink(stored.link, intent.link) ? begun : undefined));
  }

  async #claimName(
    account: Account,
    link: NewLink,
    {key}: Repeats,
    begun: Intent,
    password: string | undefined,
  ): Promise<Made> {
    let intent = begun;
    for (let collisions = 1; ; collisions++) {
      const {domain = '', slug = '', id, counters} = intent.link ?? {};
      const given = {
        id,
        counters,
        created: intent.at,
        password,
        state: 'active',
        reuse: key?.isForReuse && key.id,
      } as const;
      const claimed = await claim(this.#dependencies, account, {name: {domain, slug}, link, given});
      if (claimed !== undefined) return {intent, ...claimed};
      if (link.customUrl !== undefined) throw taken();
      intent = await this.#move(key, intent, newSlug(this.#dependencies, link, collisions));
    }
  }

  /** Gives a link another short part, unless a repeat has done so already. */
  async #move(key: IntentKey | undefined, intent: Intent, slug: string): Promise<Intent> {
    const moved = ({link, ...others}: Intent): Intent => ({...others, ...(link && {link: {...link, slug}})});
    if (key === undefined) return moved(intent);
    return this.#dependencies.intents.change(key, (stored) =>
      stored.link?.slug === intent.link?.slug ? moved(stored) : undefined,
    );
  }

  /** The link that another call with the key has made at the same time; undefined if there is none. */
  async #findBeside(
    {key, intent: before, isStale, digest}: Repeats,
    {code}: ShortUrlError,
  ): Promise<Found | undefined> {
    if (key === undefined) return undefined;
    // The other call may have the quota, and not have inserted the link yet.
    const tries = code === 'too_many_requests' && key.isForReuse ? maxTries : 1;
    for (let count = 1; ; count++) {
      const intent = await this.#dependencies.intents.find(key);
      const isOld = isStale && intent !== undefined && isSameLink(intent.link, before?.link);
      if (planted('repeat-refused')) return undefined;
      if (intent && !isOld && (intent.isDone ?? (await this.#findIntended(intent)))) {
        return {intent: checkSame(intent, digest), isNew: false};
      }
      if (count === tries) return undefined;
      await delay(tryPause);
    }
  }

  /** The link of an intent, also if its account has changed or removed it; undefined if it was not created yet. */
  async #findIntended({link}: Intent): Promise<LinkRecord | undefined> {
    const entry = link && (await linkRecords.in(this.#dependencies.store).get(link));
    return isSameLink(entry?.value, link) ? entry?.value : undefined;
  }

  #finish(key: IntentKey, link?: IntendedLink): Promise<Intent> {
    return this.#dependencies.intents.change(key, (stored) =>
      stored.isDone ? undefined : {...stored, ...(link && {link}), isDone: true},
    );
  }
}

/** The answer to every call with the key. It is made of the intent, because the link may have been changed since. */
function answerOf(account: Account, link: NewLink, {link: intended, at}: Intent, isNew: boolean): Created {
  const {domain = '', slug = '', id = 0, counters = '', created = at, visits = 0, visited} = intended ?? {};
  // A link shows only whether it has a password.
  const password = link.password === undefined ? undefined : '';
  const given = {id, position: 0, created, password, state: 'active', counters, accountBlocks: undefined} as const;
  const record = newRecord(account, {domain, slug}, link, given);
  return {record, counters: {counts: new Map([[visitsCounter, visits]]), at: visited}, at, isNew};
}
