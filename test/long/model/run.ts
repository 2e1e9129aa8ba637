import assert from 'node:assert/strict';
import type {Reply} from '../../support/request.ts';
import type {Site} from '../../support/site.ts';
import type {Action, Choice, Way} from './actions.ts';
import {type Door, doorOf, outcomeOf, toWire} from './doors.ts';
import {type Changes, Model, type NewLink, type Outcome} from './model.ts';
import {dateTime, isOver, isScheduled, type ModelLink, shortUrlOf, targetOf, type Wire} from './model-link.ts';

type Create = Extract<Action, {do: 'create'}>;
type Change = Extract<Action, {do: 'disable' | 'enable' | 'info' | 'discard'}>;
type Update = Extract<Action, {do: 'update'}>;
type List = Extract<Action, {do: 'list'}>;
type Find = Extract<Action, {do: 'find'}>;
type Visit = Extract<Action, {do: 'visit'}>;

const noKey = 'x'.repeat(32);
const password = 'pässword';
const hour = 60 * 60 * 1000;
const day = 24 * hour;
const prefetch = {headers: {'Sec-Purpose': 'prefetch'}};

/** Runs a story on the service and on the model, and compares each answer. */
export class Run {
  readonly #model: Model;
  readonly #sites: readonly Site[];
  readonly #name: string;
  #lastId = 0;

  /** @param name begins all names of this run, so that runs can share an engine */
  constructor(sites: readonly Site[], name: string, start: number) {
    this.#sites = sites;
    this.#name = name;
    this.#model = new Model(start);
    this.#setClocks();
  }

  async act(action: Action): Promise<void> {
    switch (action.do) {
      case 'register':
      case 'show':
      case 'rotate':
      case 'remove':
        return this.#manage(action.do, this.#account(action.account), this.#site(action.site));
      case 'create':
        return this.#create(action);
      case 'update':
        return this.#update(action);
      case 'disable':
      case 'enable':
      case 'info':
      case 'discard':
        return this.#change(action);
      case 'list':
        return this.#list(action);
      case 'find':
        return this.#find(action);
      case 'intrude':
        return this.#intrude(this.#account(action.account), this.#site(action.site));
      case 'visit':
        return this.#visit(action);
      case 'wait':
        this.#wait(action.until);
    }
  }

  /** Compares everything at each of the sites. */
  async check(): Promise<void> {
    for (const [index, {shortener}] of this.#sites.entries()) {
      for (const account of [0, 1, 2].map((number) => this.#account(number))) {
        assert.equal(await shortener.accounts.apiKey(account), this.#model.key(account));
        const listed = await outcomeOf(async () => {
          const links = [];
          for await (const link of shortener.links.list(account)) links.push(toWire(link));
          return links;
        });
        assert.deepEqual(listed, this.#model.list(account));
        assert.deepEqual(await outcomeOf(() => shortener.accounts.stats(account)), this.#model.accountStats(account));
      }
      for (const {account, shortUrl} of this.#model.links) {
        const stats = await outcomeOf(() => shortener.links.stats(account, shortUrl));
        assert.deepEqual(stats, this.#model.stats(account, shortUrl));
      }
      for (const [number] of this.#model.links.entries()) {
        await this.#visit({do: 'visit', link: number, site: index, as: 'HEAD'});
      }
    }
  }

  async #manage(what: 'register' | 'show' | 'rotate' | 'remove', account: string, site: Site): Promise<void> {
    const {accounts} = site.shortener;
    const current = this.#model.key(account);
    if (what === 'remove') {
      await accounts.remove(account);
      this.#model.remove(account);
    } else if (what === 'show') {
      assert.equal(await accounts.apiKey(account), current);
    } else if (what === 'register' && current !== undefined) {
      assert.deepEqual(await accounts.create(account), {apiKey: current});
    } else {
      const outcome = await outcomeOf(async () => accounts[what === 'register' ? 'create' : 'rotate'](account));
      if (what === 'rotate' && current === undefined) {
        assert.deepEqual(outcome, {error: 'invalid_api_key'});
        return;
      }
      assert.ok('value' in outcome);
      const {apiKey} = outcome.value;
      assert.match(apiKey, /^[\w-]{32,}$/);
      assert.ok(this.#model.isNewKey(apiKey));
      this.#model.setKey(account, apiKey);
    }
  }

  async #create(action: Create): Promise<void> {
    const account = this.#account(action.account);
    const {destination, name, domain} = action;
    const input = {
      url: this.#destination(destination),
      ...(name !== undefined && {customUrl: `${this.#name}-${name}`}),
      ...this.#settings(action.choice),
      ...(domain !== undefined && {baseDomain: domain}),
    } as NewLink;
    const door = this.#door(action.way);
    const outcome = await door.create(this.#caller(account), input);
    const error = this.#model.refusal(account, input);
    if (error !== undefined) {
      assert.deepEqual(outcome, {error});
      return;
    }
    assert.ok('value' in outcome, JSON.stringify(outcome));
    const given = {
      url_id: Number(outcome.value['url_id']),
      short_url_part: String(outcome.value['short_url_part']),
    };
    assert.ok(given.url_id > this.#lastId, 'numbers rise');
    this.#lastId = given.url_id;
    const link = this.#model.create(account, input, given);
    if (name === undefined) assert.match(given.short_url_part, /^[2-9A-HJ-NP-Za-km-np-z]{7}$/);
    this.#compare(door, 'create', outcome, {value: this.#model.wire(link)});
  }

  async #update({account: number, link, way, destination, choice}: Update): Promise<void> {
    const account = this.#account(number);
    const shortUrl = this.#shortUrl(link);
    const door = this.#door(way);
    const changes: Changes = {
      ...this.#settings(choice),
      ...(destination !== undefined && {url: this.#destination(destination)}),
    };
    const outcome = await door.update(this.#caller(account), shortUrl, changes);
    this.#compare(door, 'update', outcome, this.#model.update(account, shortUrl, changes));
  }

  #destination(destination: string | number): string {
    return typeof destination === 'string' ? destination : this.#shortUrl(destination);
  }

  #settings({days, startDays, ruleDays, password: word, ...labels}: Choice): Changes {
    const dateIn = (count: number): string => dateTime(this.#model.now + count * day).slice(0, 10);
    const settings = {
      ...labels,
      startDate: typeof startDays === 'number' ? dateIn(startDays) : startDays,
      rules: typeof ruleDays === 'number' ? [{from: dateIn(ruleDays), url: 'https://rule.example/'}] : ruleDays,
      password: word === 'set' ? password : word,
      expiryDate: typeof days === 'number' ? dateIn(days) : days,
    };
    return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
  }

  async #change({do: operation, account: number, link, way}: Change): Promise<void> {
    const account = this.#account(number);
    const shortUrl = this.#shortUrl(link);
    const door = this.#door(way);
    if (operation === 'discard') {
      const removed = await door.discard(this.#caller(account), shortUrl);
      const expected = this.#model.discard(account, shortUrl);
      assert.deepEqual(removed, 'error' in expected ? expected : {value: door.read(expected.value)});
      return;
    }
    const outcome = await door.change(operation, this.#caller(account), shortUrl);
    this.#compare(door, operation, outcome, this.#model[operation](account, shortUrl));
    if (operation !== 'info') return;
    const site = this.#site(way.site);
    const expected = this.#model.stats(account, shortUrl);
    assert.deepEqual(await outcomeOf(() => site.shortener.links.stats(account, shortUrl)), expected);
    if (way.door === 'program' || 'error' in expected) return;
    const reply = await site.api('stats', {short_url: shortUrl}, {...this.#caller(account), suffix: `.${way.door}`});
    const {days, details} = expected.value;
    const {date_time, ...data} = reply.envelope.data;
    assert.match(String(date_time), /^\d{4}-/);
    const info = this.#model.info(account, shortUrl);
    assert.deepEqual(data, door.read('value' in info && {...info.value, days, details}));
  }

  async #list({account: number, way, limit}: List): Promise<void> {
    const account = this.#account(number);
    const door = this.#door(way);
    const outcome = await door.list(this.#caller(account), limit);
    const expected = this.#model.list(account);
    if ('error' in expected) {
      assert.deepEqual(outcome, expected);
      return;
    }
    const active = expected.value.filter(({status}) => status === 'active');
    assert.deepEqual(outcome, {value: door.read(active.map((wire) => pick(wire, door.fields.list)))});
  }

  async #find({account: number, way, limit, filter}: Find): Promise<void> {
    const account = this.#account(number);
    const door = this.#door(way);
    const outcome = await door.find(this.#caller(account), filter, limit);
    const expected = this.#model.find(account, filter);
    assert.deepEqual(outcome, 'error' in expected ? expected : {value: door.read(expected.value)});
  }

  async #intrude(account: string, site: Site): Promise<void> {
    const key = this.#model.pastKey(account);
    if (key === undefined) return;
    const reply = await site.api('list_active_urls', {}, {key});
    assert.equal(reply.json().data.error, 'invalid_api_key');
  }

  async #visit({link: number, site: index, as}: Visit): Promise<void> {
    const site = this.#site(index);
    const link = this.#link(number);
    const shortUrl = this.#shortUrl(number);
    const visitors = as === 'crowd' ? 5 : 1;
    const room = this.#model.room(link, visitors);
    const isCounted = as !== 'HEAD' && as !== 'prefetch';
    const isShown = link?.password !== undefined || (typeof link?.maxVisits === 'number' && !isCounted);
    const isHidden = link === undefined || (!isOver(link, this.#model.now) && isScheduled(link, this.#model.now));
    const status = isHidden ? 404 : room === 0 ? 410 : isShown ? 200 : 302;
    // Where visitors go for whom there is no room.
    const over = link?.state === 'active' && !isHidden ? (link.expiredUrl ?? undefined) : undefined;
    const late = over === undefined ? '410' : `${as === 'password' ? 303 : 302} ${new URL(over).href}`;
    if (as === 'password') {
      const reply = await site.submit(shortUrl, password);
      // Without a password the POST is left to the host.
      if (status === 410) assert.equal(outcomeOfVisit(reply), late);
      else assert.equal(reply.status, status === 200 ? 303 : 404);
      if (link && status === 200) this.#follow(link, [reply.headers.location]);
      return;
    }
    const ask = as === 'HEAD' ? {method: 'HEAD'} : as === 'prefetch' ? prefetch : {};
    const replies = await Promise.all(Array.from({length: visitors}, () => site.visit(shortUrl, ask)));
    const own =
      status === 302 && link ? `302 ${targetOf(link, this.#model.now)}` : status === 410 ? late : String(status);
    const redirected = replies.filter((reply) => outcomeOfVisit(reply) === own);
    assert.equal(redirected.length, status === 302 ? room : visitors);
    for (const reply of replies) if (!redirected.includes(reply)) assert.equal(outcomeOfVisit(reply), late);
    if (!link || status !== 302) return;
    const locations = redirected.map(({headers}) => headers.location);
    this.#follow(link, locations, isCounted);
  }

  #follow(link: ModelLink, locations: Array<string | undefined>, isCounted = true): void {
    for (const location of locations) assert.equal(location, targetOf(link, this.#model.now));
    if (isCounted) this.#model.count(link, locations.length);
  }

  #compare(door: Door, operation: keyof Door['fields'], outcome: Outcome<object>, expected: Outcome<Wire>): void {
    if ('error' in expected) assert.deepEqual(outcome, expected);
    else assert.deepEqual(outcome, {value: door.read(pick(expected.value, door.fields[operation]))});
  }

  #wait(until: Extract<Action, {do: 'wait'}>['until']): void {
    const midnight = (Math.floor(this.#model.now / day) + 1) * day;
    if (until === 'later') this.#model.now += 7 * hour;
    else this.#model.now = until === 'midnight' ? midnight : midnight - 1;
    this.#setClocks();
  }

  #setClocks(): void {
    for (const {clock} of this.#sites) clock.now = this.#model.now;
  }

  #account(number: number): string {
    return `${this.#name}-${['ann', 'bob', 'zoë'][number] ?? ''}`;
  }

  #site(index: number): Site {
    const site = this.#sites[index % this.#sites.length];
    assert.ok(site);
    return site;
  }

  #door(way: Way): Door {
    return doorOf(this.#site(way.site), way);
  }

  #caller(account: string): {account: string; key: string} {
    return {account, key: this.#model.key(account) ?? this.#model.pastKey(account) ?? noKey};
  }

  /** A link of the story. One number too many stands for a link that never existed. */
  #link(number: number): ModelLink | undefined {
    const link = this.#model.links[number % (this.#model.links.length + 1)];
    return link && this.#model.at(link.shortUrl);
  }

  #shortUrl(number: number): string {
    return this.#link(number)?.shortUrl ?? shortUrlOf(`${this.#name}-never`);
  }
}

/** The status of an answer, and where it redirects. */
function outcomeOfVisit({status, headers}: Reply): string {
  return [status, headers.location].filter((part) => part !== undefined).join(' ');
}

function pick(wire: Wire, fields: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(fields.map((field) => [field, wire[field as keyof Wire]]));
}
