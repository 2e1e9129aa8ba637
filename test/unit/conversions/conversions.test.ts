import '../../support/quick-scrypt.ts';
import {setImmediate} from 'node:timers/promises';
import test from 'ava';
import {Keyv} from 'keyv';
import type {ConversionRecord} from '../../../src/conversions/conversion-record.ts';
import {quotaRecords} from '../../../src/links/daily-quota.ts';
import {kindOf} from '../../../src/tools/kinds.ts';
import {accountTotals} from '../../../src/links/stats/totals.ts';
import {Bases} from '../../../src/link/bases.ts';
import {conversionCounter} from '../../../src/link/counters.ts';
import {packing} from '../../../src/link/packing.ts';
import {buildServices, type Services} from '../../../src/shortener/services.ts';
import {openStore} from '../../../src/store/opening/open.ts';
import {copy, copyStore} from '../../../src/tools/copy/copy.ts';
import {importNdjson} from '../../../src/tools/import/import-ndjson.ts';
import type {ToolStore} from '../../../src/store/port.ts';
import {openTool} from '../../../src/tools/open.ts';
import {FailingAdapter} from '../../support/failing-adapter.ts';
import {intercepted, outage} from '../../support/store-stub.ts';
import {exported, partsOf} from '../../support/tools/text.ts';
import {dump, noon, type Place, runSite, secret} from '../../support/tools/world.ts';
import {viaOf} from '../../support/visitor.ts';
import {sold} from '../../support/sold.ts';

const ways = {
  'a copy': async (from: Place, to: Place): Promise<void> => {
    await copyStore({from: from.store, to: to.store});
  },
  'an export and its import': async (from: Place, to: Place): Promise<void> => {
    const {text} = await exported({store: from.store});
    whole(await importNdjson({store: to.store, file: partsOf(text)}));
  },
  'an export of the account and its import': async (from: Place, to: Place): Promise<void> => {
    const {text} = await exported({store: from.store, account: 'ann'});
    whole(await importNdjson({store: to.store, file: partsOf(text)}));
  },
};

/** Throws if a line was left out. */
function whole({report}: {readonly report: readonly unknown[]}): void {
  if (report.length > 0) throw new Error(JSON.stringify(report));
}

for (const [way, move] of Object.entries(ways)) {
  test(`${way} keeps conversions, their names, which of them were recorded, and customers`, async (t) => {
    const [from, to]: [Place, Place] = [
      {store: new Map(), attribution: {}},
      {store: new Map(), attribution: {}},
    ];
    const {shortener, visit} = await runSite(t, from);
    await shortener.accounts.create('ann');
    const {shortUrl} = await shortener.links.create('ann', {url: 'https://destination.example/'});
    const {headers} = await visit(shortUrl);
    const via = viaOf(headers['set-cookie']);
    await shortener.conversions.record({via}, {name: 'order', id: 1, value: 4900});
    for (const customer of ['forgotten', 'kept']) await shortener.conversions.identify({via}, customer);
    await shortener.conversions.forget('forgotten');
    await move(from, to);

    const moved = (await runSite(t, to)).shortener;
    for (const id of [1, 2]) {
      const recorded = await moved.conversions.record({via}, {name: 'order', id, value: 100});
      t.is(recorded?.link.shortUrl, shortUrl);
    }
    t.is((await moved.conversions.find({customer: 'kept'}))?.link.shortUrl, shortUrl);
    t.is(await moved.conversions.find({customer: 'forgotten'}), undefined);
    const conversions = [sold({conversions: 2, value: 5000})];
    t.deepEqual((await moved.links.stats('ann', shortUrl)).conversions, conversions);
    t.deepEqual((await moved.accounts.stats('ann')).conversions, conversions);
    t.deepEqual((await moved.links.page('ann', {days: 1})).links[0]?.conversions, conversions);
  });
}

/** The services of a site on a store in memory, which fails after so many operations. */
function servicesOn(
  map: Map<string, unknown>,
  maxOperations = Infinity,
  secrets = [secret],
  before: () => Promise<void> | undefined = () => undefined,
): Services {
  const store = openStore(map, {namespace: 'shorturl', packing: {...packing, ignoresCase: false}, now: () => noon});
  let done = 0;
  const cut = intercepted(store, () => {
    done += 1;
    if (done > maxOperations) throw outage();
    return before();
  });
  return buildServices(cut, {bases: new Bases('https://example.com', []), secrets, now: () => noon});
}

/** A site with one link, and the token of a visit. */
async function visited(secrets = [secret]) {
  const map = new Map<string, unknown>();
  const services = servicesOn(map, Infinity, secrets);
  const {accounts, links, attribution} = services;
  await accounts.create('ann');
  const ann = await accounts.require('ann');
  const rules = [{share: 50, name: 'other page', url: 'https://other.example/'}];
  const {shortUrl, urlId: id} = await links.create(ann, {
    url: 'https://destination.example/',
    customUrl: 'spring',
    rules,
  });
  const via = await attribution.token({domain: 'example.com', slug: 'spring', id, variant: 'other page'}, noon);
  return {...services, map, ann, shortUrl, via};
}

for (const [way, move] of Object.entries(ways)) {
  for (const recordedBy of ['site', 'account'] as const) {
    test(`a conversion of the ${recordedBy} whose call was cut counts once after ${way} and a repeat`, async (t) => {
      for (let cut = 0, isWhole = false; !isWhole; cut += 1) {
        const {map, ann, shortUrl, via} = await visited();
        const caller = recordedBy === 'account' ? ann : undefined;
        const order = {name: 'order', id: 'order 1', value: 4900};
        const first = servicesOn(map, cut);
        isWhole = await first.conversions.record({via}, order, caller).then(
          () => true,
          () => false,
        );
        const copy = new Map<string, unknown>();
        await move({store: map}, {store: copy});
        const moved = servicesOn(copy);
        for (let repeat = 0; repeat < 3; repeat += 1) {
          const recorded = await moved.conversions.record({via}, order, caller);
          t.is(recorded?.link.shortUrl, shortUrl);
        }
        const conversions = [sold({recordedBy, conversions: 1, value: 4900})];
        const account = await moved.accounts.require('ann');
        const {variants = [], ...stats} = await moved.links.stats(account, shortUrl);
        t.deepEqual(stats.conversions, conversions, `cut after ${cut}`);
        t.deepEqual(variants.find(({name}) => name === 'other page')?.conversions, conversions, `cut after ${cut}`);
        t.deepEqual((await moved.links.accountStats(account)).conversions, conversions, `cut after ${cut}`);
        // The marks are gone.
        const rows = JSON.stringify(await dump({store: copy}));
        t.false(rows.includes('"m.'), `cut after ${cut}`);

        await moved.accounts.remove('ann');
        const left = (await dump({store: copy})).map(([key]) => kindOf(key)?.name);
        const ofAccount = ['totals', 'positions', 'account', 'accounts', 'v'] as const;
        t.deepEqual(
          ofAccount.filter((kind) => left.includes(kind)),
          [],
        );
      }
    });
  }
}

test('a copy of a site that records orders meanwhile counts each once if it says that it is exact', async (t) => {
  const found = {exact: 0, inexact: 0};
  for (const pace of [1, 100]) {
    for (let first = 1, isOver = false; !isOver; first += 1) {
      const {map, shortUrl, via} = await visited();
      const call = async ({conversions}: Services, id: string): Promise<void> => {
        await conversions.record({via}, {name: 'order', id, value: 100});
        await conversions.refund({name: 'order', id, refund: 'a', value: 10});
      };
      await call(servicesOn(map), 'before');
      // From an operation of the copy on, the site does `pace` operations for each.
      const waiting: Array<() => void> = [];
      let isHeld = true;
      const orders = servicesOn(map, Infinity, [secret], () => {
        return isHeld ? new Promise((resolve) => void waiting.push(resolve)) : undefined;
      });
      let operations = 0;
      let recorded: Promise<unknown> | undefined;
      const turn = async (): Promise<void> => {
        operations += 1;
        if (operations < first) return;
        recorded ??= Promise.all([call(orders, 'before'), call(orders, 'meanwhile')]);
        for (let done = 0; done < pace; done += 1) {
          await setImmediate();
          waiting.shift()?.();
        }
        await setImmediate();
      };
      const copied = new Map<string, unknown>();
      const [source, target] = [openTool(map, {mustExist: true}), openTool(copied, {mustExist: false})];
      const running = {...source, store: intercepted(source.store, turn) as ToolStore};
      const {isExact} = await copy(running, target, {});
      isOver = operations < first;
      isHeld = false;
      for (const resolve of waiting) resolve();
      await recorded;
      found[isExact ? 'exact' : 'inexact'] += 1;
      if (!isExact) t.true((await copy(source, target, {})).isExact);

      const {text} = await exported({store: copied});
      const imported = new Map<string, unknown>();
      whole(await importNdjson({store: imported, file: partsOf(text)}));
      const moved = servicesOn(imported);
      for (const id of ['before', 'meanwhile']) await call(moved, id);
      const account = await moved.accounts.require('ann');
      const entry = sold({conversions: 2, value: 200, refunds: 2, refunded: 20});
      t.deepEqual((await moved.links.stats(account, shortUrl)).conversions, [entry], `${pace}, ${first}`);
      t.deepEqual((await moved.links.accountStats(account)).conversions, [entry], `${pace}, ${first}`);
    }
  }
  t.true(found.exact > 0 && found.inexact > 0, JSON.stringify(found));
});

for (const [way, move] of Object.entries(ways)) {
  test(`an identified order and its refund whose calls were cut count once after ${way} and a repeat`, async (t) => {
    for (let cut = 0, isWhole = false; !isWhole; cut += 1) {
      const {map, shortUrl, via} = await visited();
      const order = {name: 'order', id: 'order 1'};
      const call = async ({conversions}: Services): Promise<unknown> => {
        await conversions.record({via}, {...order, value: 4900, currency: 'EUR', customer: 7});
        return conversions.refund({...order, refund: 'a', value: 900});
      };
      isWhole = await call(servicesOn(map, cut)).then(
        () => true,
        () => false,
      );
      const copy = new Map<string, unknown>();
      await move({store: map}, {store: copy});
      const moved = servicesOn(copy);
      // A refund may come before the repeat of its order.
      await moved.conversions.refund({...order, refund: 'a', value: 900});
      for (let repeat = 0; repeat < 3; repeat += 1) t.like(await call(moved), {value: 900, link: {shortUrl}});
      const account = await moved.accounts.require('ann');
      const entry = sold({currency: 'EUR', conversions: 1, value: 4900, refunds: 1, refunded: 900});
      t.deepEqual((await moved.links.stats(account, shortUrl)).conversions, [entry], `cut after ${cut}`);
      t.deepEqual((await moved.links.accountStats(account)).conversions, [entry], `cut after ${cut}`);
      t.like(await moved.conversions.find({customer: '7'}), {account: 'ann', link: {shortUrl}});
      t.false(JSON.stringify(await dump({store: copy})).includes('"m.'), `cut after ${cut}`);

      await moved.accounts.remove('ann');
      const left = (await dump({store: copy})).map(([key]) => kindOf(key)?.name);
      t.deepEqual(
        (['totals', 'v'] as const).filter((kind) => left.includes(kind)),
        [],
      );
    }
  });
}

test('a customer is found after a change of the secret, and nothing in the store tells who it is', async (t) => {
  const {map, conversions, via} = await visited();
  await conversions.identify({via}, 'ann.smith@mail.example');
  await conversions.identify({via}, 'forgotten');
  await conversions.forget('forgotten');
  const rows = await dump({store: map});
  t.false(JSON.stringify(rows).includes('ann.smith'));
  const customers = rows.map(([key]) => key).filter((key) => kindOf(key)?.name === 'customer');
  t.is(customers.length, 1);
  t.is(JSON.stringify(rows).match(/customer:/g)?.length, 1);
  const other = 'o'.repeat(32);
  for (const secrets of [[other, secret], [other]]) {
    const changed = servicesOn(map, Infinity, secrets);
    t.like(await changed.conversions.find({customer: 'ann.smith@mail.example'}), {account: 'ann'});
    t.truthy(await changed.conversions.record({customer: 'ann.smith@mail.example'}, {name: 'order', id: 1}));
  }
});

test('nobody without the secret can look up an order, a refund or a customer in a copy of the store', async (t) => {
  const digests = await Promise.all(
    [secret, 'o'.repeat(32)].map(async (each) => {
      const {conversions, map, via} = await visited([each]);
      await conversions.record({via}, {name: 'order', id: 'ann.smith@mail.example', value: 1, customer: 7});
      await conversions.refund({name: 'order', id: 'ann.smith@mail.example', refund: 1});
      const rows = (await dump({store: map})).filter(([key]) =>
        ['conversion', 'customer'].includes(kindOf(key)?.name ?? ''),
      );
      const refunds = rows.flatMap(([, value]) => (value as Partial<ConversionRecord>).refunds ?? []);
      return [...rows.map(([key]) => key), ...refunds.map(({digest}) => digest)];
    }),
  );
  const [first = [], second = []] = digests;
  t.is(first.length, 3);
  t.deepEqual(
    first.filter((digest) => second.includes(digest)),
    [],
  );
});

test('API calls of an account record a bounded number of conversions per day, and repeats do not count', async (t) => {
  const {links, conversions, store, siteKey, ann, via} = await visited();
  const until = Date.UTC(2031, 4, 7);
  const digest = await siteKey.idFor(quotaRecords, 'conversions', 'ann');
  await quotaRecords.in(store).insert(digest, {until, used: 4999});
  const record = (order: string, account?: typeof ann) =>
    conversions.record({via}, {name: 'order', id: order, value: 1}, account);
  for (let repeat = 0; repeat < 3; repeat += 1) t.truthy(await record('last', ann));
  await t.throwsAsync(record('another', ann), {code: 'too_many_requests', message: /5000 conversions/});
  t.truthy(await record('last', ann));
  // So are new customers, and known ones do not count.
  await t.throwsAsync(conversions.identify({via}, 'another', ann), {code: 'too_many_requests'});
  t.is(await conversions.find({customer: 'another'}), undefined);
  // The code of the site has no such limit.
  for (const order of ['last', 'another']) t.truthy(await record(order));
  t.truthy(await conversions.identify({via}, 'another'));
  t.deepEqual((await links.accountStats(ann)).conversions, [
    sold({conversions: 2, value: 2}),
    sold({recordedBy: 'account', conversions: 1, value: 1}),
  ]);
});

test('an order has at most a hundred refunds, which are all in its record', async (t) => {
  const {links, conversions, ann, via} = await visited();
  const order = {name: 'order', id: 1};
  await conversions.record({via}, {...order, value: 1000});
  const refund = (number: number) => conversions.refund({...order, refund: number, value: 1});
  for (let number = 0; number < 100; number += 1) await refund(number);
  await t.throwsAsync(refund(100), {code: 'malformed_parameter', message: /100 refunds/});
  t.like(await refund(99), {value: 1});
  t.deepEqual((await links.accountStats(ann)).conversions, [
    sold({conversions: 1, value: 1000, refunds: 100, refunded: 100}),
  ]);
});

test('a refund asked for at once with too large a value and without one counts for the latter', async (t) => {
  const {links, conversions, ann, via} = await visited();
  const order = {name: 'order', id: 1};
  await conversions.record({via}, {...order, value: 1000});
  const [tooLarge, ...others] = [2000, undefined, undefined].map((value) =>
    conversions.refund({...order, refund: 'a', value}),
  );
  await t.throwsAsync(async () => tooLarge, {code: 'refund_too_large'});
  for (const refunded of await Promise.all(others)) t.is(refunded?.value, 1000);
  const refunded = {conversions: 1, value: 1000, refunds: 1, refunded: 1000};
  t.deepEqual((await links.accountStats(ann)).conversions, [sold(refunded)]);
});

test('repeats of many calls at once count once on an adapter of Keyv, which remembers few batches', async (t) => {
  const settings = {namespace: 'shorturl', packing: {...packing, ignoresCase: false}, now: () => noon};
  const {accounts, links, attribution, conversions} = buildServices(
    openStore(new Keyv({store: new FailingAdapter()}), settings),
    {
      bases: new Bases('https://example.com', []),
      secrets: [secret],
      now: () => noon,
    },
  );
  await accounts.create('ann');
  const ann = await accounts.require('ann');
  const {urlId: id} = await links.create(ann, {url: 'https://destination.example/', customUrl: 'spring'});
  const via = await attribution.token({domain: 'example.com', slug: 'spring', id}, noon);
  const orders = Array.from({length: 30}, (_, order) => ({name: 'order', id: order}));
  const repeated = [...orders, ...orders, ...orders];
  await Promise.all(repeated.map((order) => conversions.record({via}, {...order, value: 10})));
  await Promise.all(repeated.map((order) => conversions.refund({...order, refund: 'a', value: 1})));
  t.deepEqual((await links.accountStats(ann)).conversions, [
    sold({conversions: 30, value: 300, refunds: 30, refunded: 30}),
  ]);
});

test('the sum of the values of a name is bounded at the call, apart for the site and for API calls', async (t) => {
  const {links, conversions, store, ann, via} = await visited();
  const value = 1_000_000_000_000;
  const record = (order: number, account?: typeof ann) =>
    conversions.record({via}, {name: 'order', id: order, value}, account);
  await record(0, ann);
  // Of other links of the account.
  const adds = [{[conversionCounter('value', {recordedBy: 'account', name: 'order'})]: 3998 * value}];
  const additions = [{keys: [accountTotals.key({generation: ann.generation, shard: 0})], adds, at: 0}];
  await store.count({writer: 'others', number: 1, additions});
  await record(1, ann);
  await t.throwsAsync(record(2, ann), {code: 'malformed_parameter', message: /sum of the values/});
  for (const order of [0, 1]) await record(order, ann);
  for (const order of [0, 1]) await record(order);
  t.like((await links.accountStats(ann)).conversions, [
    {recordedBy: 'site', value: 2 * value},
    {recordedBy: 'account', value: 4000 * value},
  ]);
});
