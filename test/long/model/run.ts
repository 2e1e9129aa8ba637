import assert from 'node:assert/strict';
import type {KeyScope} from '../../../src/index.ts';
import type {Reply} from '../../support/request.ts';
import type {Site} from '../../support/site.ts';
import type {Action, Choice, Visitor, Way} from './actions.ts';
import {type Caller, type Door, doorOf, outcomeOf, toWire, whole} from './doors.ts';
import {type Changes, type LinkChange, Model, type NewLink, type Outcome, type RemovedWire} from './model.ts';
import {
  dateTime,
  isListed,
  isOn,
  isOver,
  isScheduled,
  type ModelLink,
  shortUrlOf,
  targetOf,
  type Wire,
} from './model-link.ts';

type Create = Extract<Action, {do: 'create'}>;
type ChangeMany = Extract<Action, {do: 'change many'}>;
type KeyAction = Extract<Action, {do: 'make key' | 'list keys' | 'revoke key'}>;
type Change = Extract<Action, {do: 'disable' | 'enable' | 'info' | 'discard'}>;
type Update = Extract<Action, {do: 'update'}>;
type List = Extract<Action, {do: 'list'}>;
type Find = Extract<Action, {do: 'find'}>;
type Visit = Extract<Action, {do: 'visit'}>;

const noKey = 'x'.repeat(32);
const password = 'pässword';
const hour = 60 * 60 * 1000;
const day = 24 * hour;
const agents = {
  ios: 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Mobile/15E148 Safari/604.1',
  bot: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
};
const anybody: Visitor = {device: undefined, language: undefined, query: ''};
const labelName = 'Newsletter <1> & 字';

/** Runs a story on the service and on the model, and compares each answer. */
export class Run {
  readonly #model: Model;
  readonly #sites: readonly Site[];
  readonly #name: string;
  #lastId = 0;
  /** The last create with an idempotency key. */
  #lastOnce: {readonly account: string; readonly input: NewLink; readonly key: string} | undefined;

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
      case 'repeat':
        return this.#repeat(action.way);
      case 'update':
        return this.#update(action);
      case 'change many':
        return this.#changeMany(action);
      case 'make key':
      case 'list keys':
      case 'revoke key':
        return this.#useKeys(action);
      case 'block':
      case 'unblock':
        return this.#block(this.#shortUrl(action.link), action.do === 'block', this.#site(action.site));
      case 'block account':
      case 'unblock account':
        return this.#blockAccount(
          this.#account(action.account),
          action.do === 'block account',
          this.#site(action.site),
        );
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
      for (const link of this.#model.links) {
        const {account, shortUrl} = link;
        const found = await shortener.admin.find(shortUrl);
        const isThere = this.#model.at(shortUrl) === link && isListed(link);
        if (isThere)
          assert.deepEqual(found && {...found, link: toWire(found.link)}, {account, link: this.#model.wire(link)});
        const stats = await outcomeOf(() => shortener.links.stats(account, shortUrl));
        assert.deepEqual(stats, this.#model.stats(account, shortUrl));
      }
      for (const [number] of this.#model.links.entries()) {
        await this.#visit({do: 'visit', link: number, site: index, as: 'HEAD', visitor: anybody});
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
    const {idempotencyKey: key, way} = action;
    if (key !== undefined) this.#lastOnce = {account, input, key};
    await this.#createFrom(account, input, key, way);
  }

  async #repeat(way: Way): Promise<void> {
    const once = this.#lastOnce;
    if (once !== undefined) await this.#createFrom(once.account, once.input, once.key, way);
  }

  async #createFrom(account: string, input: NewLink, idempotencyKey: string | undefined, way: Way): Promise<void> {
    const door = this.#door(way);
    const key = door.hasIdempotency ? idempotencyKey : undefined;
    const caller = this.#caller(account, way);
    const outcome = await door.create(caller, input, idempotencyKey);
    const refused = this.#model.refusedCall(account, caller.scope, 'create');
    const known = refused === undefined ? this.#model.known(account, input, key) : {error: refused};
    if (known !== undefined) {
      this.#compare(door, 'create', outcome, known);
      return;
    }
    assert.ok('value' in outcome, JSON.stringify(outcome));
    const given = {
      url_id: Number(outcome.value['url_id']),
      short_url_part: String(outcome.value['short_url_part']),
    };
    assert.ok(given.url_id > this.#lastId, 'numbers rise');
    this.#lastId = given.url_id;
    const link = this.#model.create(account, input, key, given);
    if (input.customUrl === undefined) assert.match(given.short_url_part, /^[2-9A-HJ-NP-Za-km-np-z]{7}$/);
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
    const caller = this.#caller(account, way);
    const outcome = await door.update(caller, shortUrl, changes);
    const expected = this.#expect(caller, 'full', () => this.#model.update(account, shortUrl, changes));
    this.#compare(door, 'update', outcome, expected);
  }

  async #changeMany({account: number, way, changes}: ChangeMany): Promise<void> {
    const account = this.#account(number);
    const door = this.#door(way);
    const caller = this.#caller(account, way);
    const many: LinkChange[] = changes.map(({link, destination, choice, status}) => ({
      shortUrl: this.#shortUrl(link),
      changes: {
        ...this.#settings(choice),
        ...(destination !== undefined && {url: this.#destination(destination)}),
        ...(status !== undefined && {status}),
      },
    }));
    const outcome = await door.updateMany(caller, many);
    const expected = this.#expect(caller, 'full', () => this.#model.updateMany(account, many));
    if ('error' in expected) {
      assert.deepEqual(outcome, expected);
      return;
    }
    assert.ok('value' in outcome, JSON.stringify(outcome));
    assert.equal(outcome.value.length, expected.value.length);
    for (const [index, result] of expected.value.entries()) {
      this.#compare(door, 'update', outcome.value[index] ?? {error: 'none'}, result);
    }
  }

  async #useKeys(action: KeyAction): Promise<void> {
    const {way} = action;
    const account = this.#account(action.account);
    const door = this.#door(way);
    const caller = this.#caller(account, way);
    const before = this.#model.labelled(account);
    if (action.do === 'list keys') {
      const shown = before.map(({id, label, scope, created}) => ({id, label, scope, created}));
      const expected = this.#expect(caller, 'full', () => ({value: shown}));
      const outcome = await door.listKeys(caller);
      assert.deepEqual(outcome, 'error' in expected ? expected : {value: door.read(expected.value)});
    } else if (action.do === 'revoke key') {
      const {id} = before[action.revoked % (before.length + 1)] ?? {id: 'unknown'};
      const outcome = await door.revokeKey(caller, id);
      assert.deepEqual(
        outcome,
        this.#expect(caller, 'full', () => this.#model.revokeKey(account, id)),
      );
    } else {
      const key = {label: labelName, scope: action.scope};
      const outcome = await door.makeKey(caller, key);
      const made = 'value' in outcome ? outcome.value : undefined;
      const given = made && {id: String(made['id']), apiKey: String(made['api_key'])};
      if (given !== undefined) assert.ok(this.#model.isNewKey(given.apiKey));
      const expected = this.#expect(caller, 'full', () => this.#model.makeKey(account, key, given));
      assert.deepEqual(outcome, 'error' in expected ? expected : {value: toWire(expected.value)});
    }
  }

  async #block(shortUrl: string, isBlocked: boolean, {shortener: {admin}}: Site): Promise<void> {
    const outcome = await outcomeOf(async () => {
      const {account, link} = await (isBlocked ? admin.block(shortUrl) : admin.unblock(shortUrl));
      return {account, link: toWire(link)};
    });
    assert.deepEqual(outcome, this.#model.block(shortUrl, isBlocked));
  }

  async #blockAccount(account: string, isBlocked: boolean, {shortener: {admin}}: Site): Promise<void> {
    const outcome = await outcomeOf(() => (isBlocked ? admin.blockAccount(account) : admin.unblockAccount(account)));
    assert.deepEqual(outcome, this.#model.blockAccount(account, isBlocked));
  }

  /** The outcome of a call, unless its key is refused. */
  #expect<Value>({account, scope}: Caller, needed: KeyScope, ask: () => Outcome<Value>): Outcome<Value> {
    const error = this.#model.refusedCall(account, scope, needed);
    return error === undefined ? ask() : {error};
  }

  #destination(destination: string | number): string {
    return typeof destination === 'string' ? destination : this.#shortUrl(destination);
  }

  #settings({days, startDays, rules, password: word, ...labels}: Choice): Changes {
    const dateIn = (count: number): string => dateTime(this.#model.now + count * day).slice(0, 10);
    const settings = {
      ...labels,
      startDate: typeof startDays === 'number' ? dateIn(startDays) : startDays,
      rules:
        rules?.map(({from, until, ...conditions}, index) => ({
          ...conditions,
          ...(from !== undefined && {from: dateIn(from)}),
          ...(until !== undefined && {until: dateIn(until)}),
          url: `https://rule.example/?x=${index}`,
        })) ?? rules,
      password: word === 'set' ? password : word,
      expiryDate: typeof days === 'number' ? dateIn(days) : days,
    };
    return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
  }

  async #change({do: operation, account: number, link, way}: Change): Promise<void> {
    const account = this.#account(number);
    const shortUrl = this.#shortUrl(link);
    const door = this.#door(way);
    const caller = this.#caller(account, way);
    if (operation === 'discard') {
      const removed = await door.discard(caller, shortUrl);
      const expected = this.#expect(caller, 'full', () => this.#model.discard(account, shortUrl));
      assert.deepEqual(removed, 'error' in expected ? expected : {value: door.read(expected.value)});
      return;
    }
    const outcome = await door.change(operation, caller, shortUrl);
    const needed = operation === 'info' ? 'read' : 'full';
    this.#compare(
      door,
      operation,
      outcome,
      this.#expect(caller, needed, () => this.#model[operation](account, shortUrl)),
    );
    if (operation !== 'info') return;
    const site = this.#site(way.site);
    const expected = this.#model.stats(account, shortUrl);
    assert.deepEqual(await outcomeOf(() => site.shortener.links.stats(account, shortUrl)), expected);
    if (way.door === 'program' || 'error' in expected) return;
    const suffix = way.door === 'xml' ? '.xml' : '.json';
    const reply = await site.api('stats', {short_url: shortUrl}, {key: caller.key, suffix});
    const {days, details} = expected.value;
    const {date_time, ...data} = reply.envelope.data;
    assert.match(String(date_time), /^\d{4}-/);
    const info = this.#model.info(account, shortUrl);
    assert.deepEqual(data, door.read('value' in info && {...pick(info.value, whole), days, details}));
  }

  async #list({account: number, way, limit}: List): Promise<void> {
    const account = this.#account(number);
    const door = this.#door(way);
    const outcome = await door.list(this.#caller(account, way), limit);
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
    const outcome = await door.find(this.#caller(account, way), filter, limit);
    const expected = this.#model.find(account, filter);
    if ('error' in expected) assert.deepEqual(outcome, expected);
    else assert.deepEqual(outcome, {value: door.read(expected.value.map((wire) => pick(wire, door.fields.find)))});
  }

  async #intrude(account: string, site: Site): Promise<void> {
    const key = this.#model.pastKey(account);
    if (key === undefined) return;
    const reply = await site.api('list_active_urls', {}, {key});
    assert.equal(reply.json().data.error, 'invalid_api_key');
  }

  async #visit({link: number, site: index, as, visitor}: Visit): Promise<void> {
    const site = this.#site(index);
    const link = this.#link(number);
    const shortUrl = this.#shortUrl(number);
    const visitors = as === 'crowd' ? 5 : 1;
    const room = this.#model.room(link, visitors);
    const isCounted = !['HEAD', 'prefetch', 'bot'].includes(as);
    const isShown = link?.password !== undefined || (typeof link?.maxVisits === 'number' && !isCounted);
    const isHidden = link === undefined || (!isOver(link, this.#model.now) && isScheduled(link, this.#model.now));
    const status = isHidden ? 404 : room === 0 ? 410 : isShown ? 200 : 302;
    // Where visitors go for whom there is no room.
    const over = link && isOn(link) && !isHidden ? (link.expiredUrl ?? undefined) : undefined;
    const late = over === undefined ? '410' : `${as === 'password' ? 303 : 302} ${new URL(over).href}`;
    if (as === 'password') {
      const reply = await site.submit(shortUrl, password);
      // Without a password the POST is left to the host.
      if (status === 410) assert.equal(outcomeOfVisit(reply), late);
      else assert.equal(reply.status, status === 200 ? 303 : 404);
      if (link && status === 200) this.#follow(link, [reply.headers.location], anybody);
      return;
    }
    // A bot does not tell its device.
    const client = as === 'bot' ? {...visitor, device: undefined} : visitor;
    const agent = as === 'bot' ? agents.bot : client.device && agents[client.device];
    const headers = {
      ...(as === 'prefetch' && {'Sec-Purpose': 'prefetch'}),
      ...(agent !== undefined && {'User-Agent': agent}),
      ...(client.language !== undefined && {'Accept-Language': `${client.language}-AT, en;q=0.5`}),
    };
    const ask = {method: as === 'HEAD' ? 'HEAD' : 'GET', headers};
    const address = encodeURI(shortUrl + client.query);
    const replies = await Promise.all(Array.from({length: visitors}, () => site.visit(address, ask)));
    const own =
      status === 302 && link
        ? `302 ${targetOf(link, this.#model.now, client)}`
        : status === 410
          ? late
          : String(status);
    const redirected = replies.filter((reply) => outcomeOfVisit(reply) === own);
    assert.equal(redirected.length, status === 302 ? room : visitors);
    for (const reply of replies) if (!redirected.includes(reply)) assert.equal(outcomeOfVisit(reply), late);
    if (!link || status !== 302) return;
    const locations = redirected.map(({headers}) => headers.location);
    this.#follow(link, locations, client, isCounted);
  }

  #follow(link: ModelLink, locations: Array<string | undefined>, client: Visitor, isCounted = true): void {
    for (const location of locations) assert.equal(location, targetOf(link, this.#model.now, client));
    if (isCounted) this.#model.count(link, locations.length);
  }

  #compare(
    door: Door,
    operation: keyof Door['fields'],
    outcome: Outcome<object>,
    expected: Outcome<Wire | RemovedWire>,
  ): void {
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

  #caller(account: string, {key, door}: Way): Caller {
    const labelled = this.#model.labelled(account);
    const chosen = key === undefined || door === 'program' ? undefined : labelled[key % labelled.length];
    if (chosen !== undefined) return {account, key: chosen.apiKey, scope: chosen.scope};
    return {account, key: this.#model.key(account) ?? this.#model.pastKey(account) ?? noKey, scope: 'full'};
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

/** Those of the fields that there are. */
function pick(wire: object, fields: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(wire).filter(([name]) => fields.includes(name)));
}
