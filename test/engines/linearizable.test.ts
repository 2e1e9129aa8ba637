import '../support/quick-scrypt.ts';
import {randomInt} from 'node:crypto';
import {setTimeout as delay} from 'node:timers/promises';
import type {ExecutionContext} from 'ava';
import fc from 'fast-check';
import {crowd, inTurn, range} from '../support/engines/crowd.ts';
import {eachOf, hostServerEngines, protocolEngines, racingEngines} from '../support/engines/each.ts';
import type {Engine} from '../support/engines/engines.ts';
import {type Change as Changed, LinkHistory, type Request} from '../support/engines/link-history.ts';
import {linkModel, type LinkOperation, type Strictness} from '../support/engines/link-model.ts';
import {type Change, changeUnderVisits} from '../support/engines/period.ts';
import {SaleHistory} from '../support/engines/sale-history.ts';
import type {CustomerRequest, OrderRequest} from '../support/engines/sale-models.ts';
import {type SiteProcess, siteProcesses} from '../support/engines/site-processes.ts';
import {slowSplits} from '../support/engines/slow-splits.ts';
import {together} from '../support/engines/together.ts';
import {sold} from '../support/sold.ts';
import {viaOf} from '../support/visitor.ts';

// The number of links with a history on each engine, and of changes under visits. HISTORIES=5000 SWITCHES=2000 runs
// longer. HISTORY_SEED repeats the plans of a run.
const histories = Number(process.env['HISTORIES'] ?? 6);
const seed = Number(process.env['HISTORY_SEED'] ?? randomInt(2 ** 31));
const switches = Number(process.env['SWITCHES'] ?? 3);

const historiesAtOnce = 6;

/** Orders whose sums are checked. */
const orders = 60;

/** One request of a client, after a pause in milliseconds. */
interface Step extends Request {
  readonly site: number;
  readonly pause: number;
}

const pause = fc.oneof({weight: 3, arbitrary: fc.constant(0)}, {weight: 1, arbitrary: fc.nat(4)});

function stepOf(weights: Readonly<Partial<Record<LinkOperation['name'], number>>>): fc.Arbitrary<Step> {
  const names = Object.entries(weights).map(([name, weight]) => ({
    weight,
    arbitrary: fc.constant(name as LinkOperation['name']),
  }));
  return fc.record({
    name: fc.oneof(...names),
    site: fc.nat(),
    pause,
  });
}

const firstStep = stepOf({create: 6, visit: 2, info: 1, disable: 1, enable: 1, update: 1});
const laterStep = stepOf({create: 2, visit: 8, info: 3, disable: 2, enable: 2, update: 3, remove: 1});
const client = fc
  .tuple(firstStep, fc.array(laterStep, {minLength: 2, maxLength: 7}))
  .map(([first, later]) => [first, ...later]);
const plan = fc.array(client, {minLength: 3, maxLength: 6});

/** A plan for a link that exists and was visited. */
const changes: readonly Changed[] = ['rules', 'expired_url', 'start_date', 'max_visits'];
const decidingStep: fc.Arbitrary<Step> = fc
  .tuple(
    stepOf({visit: 5, info: 1, disable: 1, enable: 1, update: 6}),
    fc.option(fc.constantFrom(...changes), {freq: 5}),
    fc.boolean(),
    fc.boolean(),
  )
  .map(([step, change, isCleared, isSpecial]) => ({
    ...step,
    ...(step.name === 'update' && change !== null && {change, isCleared}),
    ...(step.name === 'visit' && {isSpecial}),
  }));
const decidingPlan = fc.array(fc.array(decidingStep, {minLength: 3, maxLength: 7}), {minLength: 3, maxLength: 5});

/** The links that compete for a customer and an order. */
const saleLinks = ['one', 'two', 'three'].map((slug) => `https://example.com/${slug}`);
const saleLink = fc.constantFrom(...saleLinks);
const value = 3;
const saleRequest: fc.Arbitrary<CustomerRequest | OrderRequest> = fc.oneof(
  fc.record({name: fc.constant('identify'), link: saleLink}),
  fc.record({name: fc.constantFrom('find', 'forget')}),
  fc.record({name: fc.constant('record'), link: saleLink, value: fc.constant(value)}),
  fc.record({
    name: fc.constant('refund'),
    refund: fc.constantFrom('a', 'b', 'c'),
    value: fc.constantFrom(1, 2, undefined),
  }),
);
const saleStep = fc.record({request: saleRequest, site: fc.nat(), pause});
const salePlan = fc.array(fc.array(saleStep, {minLength: 4, maxLength: 9}), {minLength: 3, maxLength: 6});

const onEach = await eachOf(racingEngines);
const onSome = await eachOf(protocolEngines);
/** Pools of SQL servers too, because there the package writes with the settings of the site. */
const onPools = await eachOf([
  ...racingEngines,
  ...hostServerEngines.filter((engine) => engine.name.startsWith('a pool') && !racingEngines.includes(engine)),
]);
const start = siteProcesses();

async function startSites(
  t: ExecutionContext,
  engine: Engine,
  count: number,
): Promise<{sites: SiteProcess[]; key: string}> {
  const {sites, shortener} = await together(t, engine, {start, size: count, account: 'ann'});
  return {sites, key: (await shortener.accounts.create('ann')).apiKey};
}

/**
 * Runs the steps of each client in order, and all clients at once. A client that has changed the link then visits it in
 * every process at once, because a stale answer is likeliest then.
 */
async function carryOut(
  clients: ReadonlyArray<readonly Step[]>,
  history: LinkHistory,
  sites: readonly SiteProcess[],
): Promise<LinkHistory> {
  const visits: Request[] = [{name: 'visit'}];
  if (clients.flat().some(({isSpecial}) => isSpecial !== undefined)) visits.push({name: 'visit', isSpecial: true});
  await Promise.all(
    clients.map(async (steps) => {
      for (const {site, pause, ...request} of steps) {
        if (pause > 0) await delay(pause);
        await history.perform(inTurn(sites, site), request);
        if (request.name !== 'visit' && request.name !== 'info') {
          await Promise.all(sites.flatMap((each) => visits.map((visit) => history.perform(each, visit))));
        }
      }
    }),
  );
  return history;
}

/** Some order of the operations explains every answer. No engine was away, so a missing answer would be a fault too. */
function areExplained(
  t: ExecutionContext,
  recorded: readonly LinkHistory[],
  sites: readonly SiteProcess[],
  strictness: Strictness,
): void {
  for (const history of recorded) t.is(history.contradiction(linkModel(strictness)), undefined);
  t.true(recorded.every(({operations}) => operations.every(({answer}) => answer !== undefined)));
  for (const {failures} of sites) t.deepEqual(failures, []);
}

onEach((check) => {
  check('concurrent operations of several processes on one link are linearizable', async (t, engine) => {
    t.timeout(1_800_000);
    t.log(`HISTORIES=${histories} HISTORY_SEED=${seed}`);
    const {sites, key} = await startSites(t, engine, 3);
    const plans = fc.sample(plan, {seed, numRuns: histories});
    const recorded = await crowd(plans, historiesAtOnce, (clients, index) =>
      carryOut(clients, new LinkHistory(key, `link-${index}`), sites),
    );
    areExplained(t, recorded, sites, {countsVisits: true});
  });
});

onSome((check) => {
  check(
    'concurrent calls of several processes about one customer and one order are linearizable',
    async (t, engine) => {
      t.timeout(1_800_000);
      t.log(`HISTORIES=${histories} HISTORY_SEED=${seed}`);
      const {sites, shortener} = await together(t, engine, {start, size: 3, account: 'ann', limits: {attribution: {}}});
      const tokens = new Map<string, string>();
      for (const [index, shortUrl] of saleLinks.entries()) {
        const customUrl = shortUrl.split('/').at(-1);
        await shortener.links.create('ann', {url: 'https://destination.example/', customUrl});
        tokens.set(shortUrl, viaOf((await inTurn(sites, index).visit(shortUrl)).headers['set-cookie']) ?? '');
      }
      const recorded = await crowd(
        fc.sample(salePlan, {seed, numRuns: histories}),
        historiesAtOnce,
        async (clients, index) => {
          const history = new SaleHistory(String(index), tokens);
          await Promise.all(
            clients.map(async (steps) => {
              for (const {site, pause, request} of steps) {
                if (pause > 0) await delay(pause);
                await history.perform(inTurn(sites, site), request);
                // In all processes at once, because a stale answer is likeliest then.
                if (request.name === 'find') await Promise.all(sites.map((each) => history.perform(each, request)));
              }
            }),
          );
          return history;
        },
      );
      for (const history of recorded) t.is(history.contradiction(), undefined);
      const orders = recorded.filter((history) => history.isRecorded()).length;
      const refunds = recorded.flatMap((history) => history.refunded());
      const expected = sold({
        conversions: orders,
        value: value * orders,
        refunds: refunds.length,
        refunded: refunds.reduce((sum, value) => sum + value, 0),
      });
      t.deepEqual((await shortener.accounts.stats('ann')).conversions, [expected]);
      for (const {failures} of sites) t.deepEqual(failures, []);
    },
  );
});

onEach((check) => {
  check('no redirect begins after disable was acknowledged, and each redirect counts once', async (t, engine) => {
    t.timeout(1_800_000);
    const {sites, key} = await startSites(t, engine, 3);
    const [switching, ...visited] = sites;
    if (switching === undefined) return;
    const {short_url} = await switching.data(key, 'create', {url: 'https://destination.example/', custom_url: 'link'});
    const changes = range(switches).flatMap((): Change[] => [
      {apply: () => switching.data(key, 'disable', {short_url}), status: 410},
      {apply: () => switching.data(key, 'enable', {short_url}), status: 302},
    ]);
    const redirects = await changeUnderVisits(t, {sites: visited, shortUrl: short_url, changes});
    t.log(`${redirects} redirects`);
    const totals = await Promise.all(
      sites.map(async (site) => (await site.data(key, 'info', {short_url})).total_visits),
    );
    t.deepEqual(
      totals,
      sites.map(() => redirects),
    );
  });
});

onPools((check) => {
  check('orders, refunds and visits of one account at once are summed up exactly', async (t, engine) => {
    t.timeout(600_000);
    const limits = {attribution: {}};
    const {sites, shortener, options} = await together(t, engine, {start, size: 3, account: 'ann', limits});
    await slowSplits(options.store);
    const {shortUrl} = await shortener.links.create('ann', {url: 'https://destination.example/'});
    const via = viaOf((await inTurn(sites, 0).visit(shortUrl)).headers['set-cookie']);
    await crowd(range(orders), 12, async (id) => {
      const sale = {name: 'order', id: String(id)};
      await Promise.all([
        inTurn(sites, id).convert('record', {via}, {...sale, value: 124}),
        inTurn(sites, id + 1).visit(shortUrl),
      ]);
      if (id % 2 === 0) await inTurn(sites, id + 2).convert('refund', {...sale, refund: 'all', value: 10});
    });
    const refunds = Math.ceil(orders / 2);
    const conversions = [sold({conversions: orders, value: 124 * orders, refunds, refunded: 10 * refunds})];
    const expected = {conversions, totalVisits: orders + 1};
    t.like(await shortener.accounts.stats('ann'), expected);
    t.like(await shortener.links.stats('ann', shortUrl), expected);
    for (const {failures} of sites) t.deepEqual(failures, []);
  });
});

onSome((check) => {
  check('every visitor of several processes goes where the rules, dates and limits lead', async (t, engine) => {
    t.timeout(1_800_000);
    t.log(`HISTORIES=${histories} HISTORY_SEED=${seed}`);
    const {sites, key} = await startSites(t, engine, 2);
    const plans = fc.sample(decidingPlan, {seed, numRuns: histories});
    const recorded = await crowd(plans, historiesAtOnce, async (clients, index) => {
      const history = new LinkHistory(key, `link-${index}`);
      // A limit of one visit uses the link up from now on.
      for (const name of ['create', 'visit'] as const) await history.perform(inTurn(sites, index), {name});
      return carryOut(clients, history, sites);
    });
    areExplained(t, recorded, sites, {countsVisits: false});
    const answers = recorded.flatMap((history) => history.operations.map(({answer}) => answer));
    // A few histories need not have each answer.
    for (const code of histories < 20 ? [302] : [302, 404, 409, 410])
      t.true(
        answers.some((answer) => answer?.code === code),
        String(code),
      );
  });
});
