import '../support/quick-scrypt.ts';
import {setImmediate} from 'node:timers/promises';
import test from 'ava';
import {routes} from '../../src/dashboard/routes.ts';
import {operations} from '../../src/http/api/operations.ts';
import {monthOf} from '../../src/values/calendar.ts';
import {conversionCounter, dayCounter, detailCounter, inMonth, visitsCounter} from '../../src/link/counters.ts';
import {packing} from '../../src/link/packing.ts';
import {linkCounters, linkRecords} from '../../src/link/records.ts';
import {conversionNameRecords} from '../../src/links/stats/conversion-names.ts';
import {totalsKeys} from '../../src/links/stats/totals.ts';
import {LayeredStore} from '../../src/store/layers/layered-store.ts';
import {openStore} from '../../src/store/opening/open.ts';
import type {Counters, Entry} from '../../src/store/port.ts';
import {open} from '../support/dashboard.ts';
import {range} from '../support/engines/crowd.ts';

const days = 425;
const today = Math.floor(Date.UTC(2031, 4, 6, 12) / 86_400_000);
const accounts = 60;
const links = 120;

/** What was asked of all stores of this process since it was read last. */
const asked = {commands: 0, trips: 0, counters: 0, bytes: 0};

/** The round trip that commands are sent in now. */
let trip: Promise<void> | undefined;

/** So many turns of the event loop later, all that need not wait for its answer has been sent too. */
const turns = 10;

async function roundTrip(): Promise<void> {
  asked.trips += 1;
  for (let turn = 0; turn < turns; turn += 1) await setImmediate();
  trip = undefined;
}

function note(found: unknown): void {
  for (const each of [found].flat() as ReadonlyArray<Entry<unknown> | Counters | undefined>) {
    if (each === undefined) continue;
    if ('counts' in each) {
      asked.counters += each.counts.size;
      for (const name of each.counts.keys()) asked.bytes += name.length + 8;
    } else if (typeof each.revision === 'string') {
      asked.bytes += each.revision.length;
    }
  }
}

const writing = ['insert', 'replace', 'removeUnchanged', 'remove', 'increment', 'count', 'removeCounters'] as const;
for (const name of ['get', 'getMany', 'getCounters', ...writing] as const) {
  const call: (...args: unknown[]) => Promise<unknown> = Reflect.get(LayeredStore.prototype, name) as never;
  Reflect.set(LayeredStore.prototype, name, async function (this: LayeredStore, ...args: unknown[]): Promise<unknown> {
    // Nothing is sent for no keys or no names.
    if (args.some((each) => Array.isArray(each) && each.length === 0)) return Reflect.apply(call, this, args);
    asked.commands += 1;
    await (trip ??= roundTrip());
    const found = await Reflect.apply(call, this, args);
    if (name.startsWith('get')) note(found);
    return found;
  });
}

/** The counters of fourteen months: visits of every day by ten referrers, and conversions of every tenth. */
function life(): Counters {
  const order = {recordedBy: 'site', name: 'order', currency: 'EUR'} as const;
  const referrers = range(10).map((n) => detailCounter('referrer', `site-${n}.example`));
  const all = range(days).flatMap((ago) => {
    const day = today - ago;
    const converted = (['count', 'value'] as const).map((kind) => conversionCounter(kind, order, day));
    return [
      dayCounter(day),
      ...referrers.map((name) => inMonth(name, monthOf(day))),
      ...(ago % 10 === 0 ? converted : []),
    ];
  });
  const ever = [visitsCounter, conversionCounter('count', order), conversionCounter('value', order)];
  return {counts: new Map([...ever, ...all].map((name) => [name, 1])), at: today * 86_400_000};
}

/**
 * For each page of the dashboard and each operation of the API: operations of the store, round trips one after the other,
 * counters, and bytes of records and counters at most. A new page or operation is asked for its numbers. None depends on
 * the machine.
 */
const costs: Readonly<Record<string, readonly [commands: number, trips: number, counters: number, bytes: number]>> = {
  '/': [23, 6, 5974, 124000],
  '/link': [20, 6, 707, 16500],
  '/many': [1, 1, 0, 500],
  '/tags': [8, 7, 1, 20000],
  '/compare': [26, 18, 10702, 229500],
  '/shares': [3, 3, 0, 1500],
  '/links.csv': [4, 4, 144, 19000],
  '/visits.csv': [9, 5, 634, 14500],
  '/conversions.csv': [9, 5, 634, 14500],
  '/details.csv': [9, 5, 634, 14500],
  '/variants.csv': [9, 5, 634, 14500],
  '/qr.svg': [7, 5, 1, 1500],
  '/qr.png': [7, 5, 1, 1500],
  '/qr-codes': [9, 8, 145, 22000],
  '/api': [6, 5, 1, 1500],
  '/openapi.json': [1, 1, 0, 500],
  '/short-url.xsd': [1, 1, 0, 500],
  '/today': [51, 25, 681, 83000],
  '/operator': [31, 9, 5183, 105000],
  '/accounts': [304, 31, 197, 39500],
  '/compare-accounts': [85, 10, 2800, 78000],
  '/accounts.csv': [66, 2, 0, 17500],
  '/account': [12, 6, 5116, 115000],
  create: [16, 12, 1, 5000],
  disable: [5, 5, 1, 1000],
  enable: [4, 4, 1, 1000],
  info: [5, 5, 1, 1000],
  list_active_urls: [6, 5, 1, 14500],
  update: [8, 8, 2, 1000],
  remove: [10, 7, 1, 2500],
  stats: [6, 6, 664, 14000],
  qr: [3, 3, 0, 500],
  list_urls: [10, 8, 58, 11500],
  account_stats: [9, 8, 1, 20500],
  tags: [8, 7, 1, 20000],
  compare: [12, 10, 1, 20500],
  compare_tags: [2, 2, 0, 500],
  create_many: [11, 7, 0, 2000],
  update_many: [4, 3, 0, 500],
  record_conversion: [2, 2, 0, 500],
  refund_conversion: [11, 11, 1, 4000],
  identify_customer: [4, 4, 0, 500],
  forget_customer: [4, 4, 0, 500],
  forget_conversion_name: [3, 3, 0, 500],
  keys: [3, 3, 0, 1000],
  create_key: [4, 4, 0, 1000],
  revoke_key: [3, 3, 0, 1000],
};

test('each page of the dashboard and each operation of the API reads what it shows, after 14 months', async (t) => {
  t.timeout(120_000);
  const map = new Map<string, unknown>();
  const {visitor, origin, home, shortener} = await open(t, {
    shortUrl: {store: map, attribution: {}, secret: 'a secret of good length, for tests'},
  });
  const {apiKey} = await shortener.accounts.create('ann');
  for (const n of range(accounts)) await shortener.accounts.create(`user-${n}`);
  const names = [...range(links).map((n) => `link-${n}`), ...Array.from(operations.keys(), (name) => `of-${name}`)];
  const inputs = names.map((customUrl) => ({
    url: `https://destination.example/${customUrl}`,
    customUrl,
    tags: ['mail'],
  }));
  for await (const {error} of shortener.links.createMany('ann', inputs)) if (error) throw error;
  for (const n of range(accounts)) await shortener.links.create(`user-${n}`, {url: 'https://destination.example/'});
  const store = openStore(map, {namespace: 'shorturl', packing: {...packing, ignoresCase: false}});
  await conversionNameRecords.in(store).insert('site', ['order EUR']);
  const counters = life();
  for await (const {account, link} of everyLink()) {
    const slug = new URL(link).pathname.slice(1);
    const entry = await linkRecords.in(store).get({domain: new URL(origin).hostname, slug});
    if (entry === undefined) throw new Error(`There is no ${link}`);
    await store.setCounters([
      [linkCounters.key(entry.value), counters],
      ...totalsKeys(entry.value.generation)
        .slice(0, account === 'ann' ? 8 : 1)
        .map((key) => [key, counters] as const),
    ]);
  }
  async function* everyLink() {
    let cursor: string | undefined;
    do {
      const page = await shortener.admin.pageLinks({cursor, limit: 1000});
      for (const {account, link} of page.links) yield {account, link: link.shortUrl};
      cursor = page.nextCursor;
    } while (cursor !== undefined);
  }

  const found: Record<string, readonly [number, number, number, number]> = {};
  const measure = async (name: string, work: () => Promise<{status: number}>): Promise<void> => {
    Object.assign(asked, {commands: 0, trips: 0, counters: 0, bytes: 0});
    const {status} = await work();
    if (status >= 400 && status !== 409) t.log(name, status);
    found[name] = [asked.commands, asked.trips, asked.counters, asked.bytes];
  };
  const shortUrl = `${origin}/link-0`;
  const span = {from: '2031-04-07', until: '2031-05-06'};
  const ofUser = new URLSearchParams({short_url: shortUrl, ...span});
  const ofOperator = new URLSearchParams({account: 'ann', ...span});
  for (const [path, {isAction, isForAdmin}] of routes) {
    if (isAction) continue;
    await measure(`/${path}`, () =>
      visitor(isForAdmin ? 'operator' : 'ann').get(`${home}${path}?${(isForAdmin ? ofOperator : ofUser).toString()}`),
    );
  }
  for (const [name, {example}] of operations) {
    const own = 'short_url' in example ? {short_url: `${origin}/of-${name}`} : {};
    await measure(name, () =>
      fetch(`${origin}/api/v1/shorturl/${name}`, {
        method: 'POST',
        body: JSON.stringify({...example, ...own}),
        headers: {Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json'},
      }),
    );
  }
  if (process.env['SHOW'] !== undefined) t.log(JSON.stringify(found, undefined, 1).replaceAll(/\n {2,}/g, ' '));
  t.deepEqual(Object.keys(found).sort(), Object.keys(costs).sort());
  for (const [name, [commands, trips, read, bytes]] of Object.entries(found)) {
    const [mostCommands = 0, mostTrips = 0, mostCounters = 0, mostBytes = 0] = costs[name] ?? [];
    t.true(commands <= mostCommands, `${name}: ${commands} commands`);
    t.true(trips <= mostTrips, `${name}: ${trips} round trips`);
    t.true(read <= mostCounters, `${name}: ${read} counters`);
    t.true(bytes <= mostBytes, `${name}: ${bytes} bytes`);
  }
});
