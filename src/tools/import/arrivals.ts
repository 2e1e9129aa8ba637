import {nanoid} from 'nanoid';
import type {Account} from '../../accounts/accounts.ts';
import {ShortUrlError} from '../../host/errors.ts';
import type {Entry, ToolStore} from '../../store/port.ts';
import type {LinkName} from '../../links/bases.ts';
import {type ArrivalResult, comparison, refusal} from './arrival-result.ts';
import {ArrivalVisits} from './arrival-visits.ts';
import {leadsToShortUrl, leavePlace} from '../../links/create/confirmation.ts';
import {Creation} from '../../links/create/creation.ts';
import type {CreateLink} from '../../links/link.ts';
import type {LinksDependencies} from '../../links/links-dependencies.ts';
import {checkNewLink, type NewLink} from '../../links/input/new-link.ts';
import {type Given, newRecord} from '../../links/create/new-record.ts';
import {hashPassword, unopenedPassword} from '../../links/input/password.ts';
import {linkIds, linkKey, type LinkRecord} from '../../links/record.ts';
import {accountRemoved, ownUrl, taken} from '../../links/refusals.ts';

/** A link from another shortener. Times are milliseconds since the epoch. */
export interface ArrivingLink extends Omit<CreateLink, 'customUrl' | 'expiryDate'> {
  readonly customUrl: string;
  readonly created: number;
  /** When it expires, or has expired. */
  readonly end?: number | undefined;
  readonly visits: number;
  readonly lastVisit?: number | undefined;
  readonly isDisabled?: boolean | undefined;
  /** Whether the operator of the other site has blocked it. */
  readonly isBlocked?: boolean | undefined;
  /** Whether its password is unknown. No password opens it until its account sets a new one. */
  readonly isLocked?: boolean | undefined;
}

const hashesAtOnce = 4;

/** A link during its import. */
interface Traveller {
  readonly place: number;
  readonly input: ArrivingLink;
  readonly link: NewLink;
  readonly name: LinkName;
  readonly key: string;
}

/** A link that an interrupted run has left. */
interface Begun extends Traveller {
  readonly entry: Entry<LinkRecord>;
}

/** A record of this run. */
interface Made extends Traveller {
  readonly record: LinkRecord;
}

interface ArrivalsDependencies extends LinksDependencies {
  readonly store: ToolStore;
}

/**
 * Imports links of another shortener with their dates and visits. A link with visits is stored as `pending`. Its visits
 * are counted on the condition that its record is unchanged, and then it becomes active. So the next run continues one
 * that was killed, and every visit is counted exactly once.
 */
export class Arrivals {
  readonly #dependencies: ArrivalsDependencies;
  readonly #creation: Creation;
  readonly #visits: ArrivalVisits;
  readonly #run = nanoid(12);

  /** @param shard the number of the key for the account's totals */
  constructor(dependencies: ArrivalsDependencies, shard: number) {
    this.#dependencies = dependencies;
    this.#creation = new Creation(dependencies);
    this.#visits = new ArrivalVisits(dependencies.store, this.#run, shard);
  }

  /**
   * Imports one or two hundred links, and returns the results in their order.
   *
   * @throws ShortUrlError `store_unavailable`; the next run continues
   */
  async bring(account: Account, inputs: readonly ArrivingLink[]): Promise<ArrivalResult[]> {
    const results: ArrivalResult[] = [];
    const together = new Map<string, Traveller>();
    const alone: Traveller[] = [];
    for (const [place, input] of inputs.entries()) {
      const checked = this.#check(input);
      if (checked instanceof ShortUrlError) {
        results[place] = checked;
        continue;
      }
      const name = {domain: checked.base.domain, slug: checked.slug ?? ''};
      const traveller = {place, input, link: checked, name, key: linkKey(name)};
      // The result for a link that leads to another link of the group depends on their order.
      const isAlone = this.#leadsHere(checked.target) || together.has(traveller.key);
      if (isAlone) alone.push(traveller);
      else together.set(traveller.key, traveller);
    }
    for (const group of [Array.from(together.values()), ...alone.map((traveller) => [traveller])]) {
      await this.#bringTogether(account, group, results);
    }
    return results;
  }

  #check(input: ArrivingLink): NewLink | ShortUrlError {
    const {bases, reserved, now} = this.#dependencies;
    const {url, customUrl, baseDomain, password, title, tags, maxVisits, end} = input;
    try {
      const asked = {url, customUrl, baseDomain, password, title, tags, maxVisits};
      return {...checkNewLink(asked, {bases, reserved, now: now()}), end};
    } catch (error) {
      return refusal(error);
    }
  }

  #leadsHere(target: string): boolean {
    return this.#dependencies.bases.parseShortUrl(target) !== undefined;
  }

  async #bringTogether(account: Account, group: readonly Traveller[], results: ArrivalResult[]): Promise<void> {
    const entries = await this.#dependencies.store.getMany<LinkRecord>(group.map(({key}) => key));
    const fresh: Traveller[] = [];
    const begun: Begun[] = [];
    for (const [index, traveller] of group.entries()) {
      const entry = entries[index];
      if (entry === undefined) fresh.push(traveller);
      else if (isBegun(entry.value, account)) begun.push({...traveller, entry});
      else results[traveller.place] = comparison(entry.value, account, traveller.link.url);
    }
    const inserted = await this.#insert(account, await this.#checkDestinations(account, fresh, results), results);
    const resumed = await this.#resume(account, begun, results);
    const pending = await this.#lookAgain([...inserted, ...resumed], results);
    await this.#visits.countAndConfirm(pending, results);
  }

  async #checkDestinations(
    account: Account,
    group: readonly Traveller[],
    results: ArrivalResult[],
  ): Promise<Traveller[]> {
    const allowed = await Promise.all(
      group.map(async ({link, name, place}) => {
        try {
          await this.#creation.checkDestination(account, link, name);
          return true;
        } catch (error) {
          results[place] = refusal(error);
          return false;
        }
      }),
    );
    return group.filter((_, index) => allowed[index]);
  }

  /** Stores the records after their places in the list, as a create does. Returns the pending ones. */
  async #insert(account: Account, group: readonly Traveller[], results: ArrivalResult[]): Promise<Made[]> {
    const {store, places, accounts} = this.#dependencies;
    if (group.length === 0) return [];
    const passwords = await this.#hashPasswords(group);
    const [firstId, positions] = await Promise.all([
      store.incrementBy(linkIds, group.length),
      places.takeMany(
        account.owner,
        group.map(({name}) => name),
        (key, by) => store.incrementBy(key, by),
      ),
    ]);
    const made = group.map((traveller, index) => {
      const given = {id: firstId + index, position: positions[index] ?? 0, password: passwords[index]};
      return this.#make(account, traveller, given);
    });
    if (!(await accounts.isLive(account))) throw accountRemoved();
    const isIn = await store.insertMany(made.map(({key, record}) => [key, record]));
    await Promise.all(
      made.map(async ({record, place}, index) => {
        if (isIn[index] === true) {
          results[place] = 'imported';
          return;
        }
        results[place] = taken();
        await leavePlace(this.#dependencies, record);
      }),
    );
    return made.filter(({record}, index) => isIn[index] === true && record.state === 'pending');
  }

  /** Hashes a few passwords at once, because hashing is slow and its queue is bounded. */
  async #hashPasswords(group: readonly Traveller[]): Promise<Array<string | undefined>> {
    const hashes: Array<string | undefined> = [];
    for (let start = 0; start < group.length; start += hashesAtOnce) {
      const some = group.slice(start, start + hashesAtOnce).map(async ({input, link: {password}}) => {
        if (input.isLocked) return unopenedPassword();
        return password === undefined ? undefined : await hashPassword(password);
      });
      hashes.push(...(await Promise.all(some)));
    }
    return hashes;
  }

  #make(account: Account, traveller: Traveller, given: Pick<Given, 'id' | 'position' | 'password'>): Made {
    const {input, link, name} = traveller;
    const {visits, lastVisit = 0, created, isDisabled, isBlocked} = input;
    const state = isDisabled ? 'disabled' : 'active';
    const isPending = visits > 0 || this.#leadsHere(link.target);
    const record = newRecord(account, name, link, {
      ...given,
      created,
      state: isPending ? 'pending' : state,
    });
    const {maxVisits} = record;
    return {
      ...traveller,
      record: {
        ...record,
        ...(maxVisits !== undefined && {used: Math.min(visits, maxVisits)}),
        ...(isBlocked && {isBlocked}),
        ...(isPending && {arrival: {state, visits, lastVisit, run: this.#run}}),
      },
    };
  }

  /** Claims records of an interrupted run. After the claim that run can no longer count their visits. */
  async #resume(account: Account, begun: readonly Begun[], results: ArrivalResult[]): Promise<Made[]> {
    const {store} = this.#dependencies;
    const claims: Array<Begun & Made> = [];
    for (const {entry, ...traveller} of begun) {
      const isSame = entry.value.url === traveller.link.url;
      const record = isSame ? entry.value : await this.#makeAnew(account, traveller, entry.value, results);
      if (record === undefined) continue;
      const arrival = record.arrival && {arrival: {...record.arrival, run: this.#run}};
      claims.push({...traveller, entry, record: {...record, ...arrival}});
    }
    const claimed = await Promise.all(
      claims.map(async (claim) => {
        const {key, place, entry, record} = claim;
        const isOurs = await store.replace(key, entry.revision, record);
        results[place] = isOurs ? 'imported' : await this.#compareAgain(account, claim);
        return isOurs && record.state === 'pending' ? [claim] : [];
      }),
    );
    return claimed.flat();
  }

  /** The result for a link that another run has claimed or completed meanwhile. */
  async #compareAgain(account: Account, traveller: Traveller): Promise<ArrivalResult> {
    const entry = await this.#dependencies.store.get<LinkRecord>(traveller.key);
    if (entry?.value.owner !== account.owner) return accountRemoved();
    const isOther = entry.value.url !== traveller.link.url;
    return isOther ? comparison(entry.value, account, traveller.link.url) : 'unchanged';
  }

  /** The link with its new long URL. It keeps its place and its counters, which may have its visits already. */
  async #makeAnew(
    account: Account,
    traveller: Traveller,
    {id, position, counters}: LinkRecord,
    results: ArrivalResult[],
  ): Promise<LinkRecord | undefined> {
    const allowed = await this.#checkDestinations(account, [traveller], results);
    if (allowed.length === 0) return undefined;
    const [password] = await this.#hashPasswords(allowed);
    return {...this.#make(account, traveller, {id, position, password}).record, counters};
  }

  /** Checks destinations again, as `confirm` does, because two links that lead to each other may arrive at once. */
  async #lookAgain(group: readonly Made[], results: ArrivalResult[]): Promise<Made[]> {
    const left: Made[] = [];
    for (const pending of group) {
      const {record, key, place} = pending;
      if (!(await leadsToShortUrl(this.#dependencies, record))) {
        left.push(pending);
        continue;
      }
      await this.#dependencies.store.remove(key);
      await leavePlace(this.#dependencies, record);
      results[place] = ownUrl();
    }
    return left;
  }
}

/** Whether an interrupted import into this account has left the link. Its long URL may have been corrected since. */
function isBegun({state, owner, arrival}: LinkRecord, account: Account): boolean {
  return state === 'pending' && arrival !== undefined && owner === account.owner;
}
