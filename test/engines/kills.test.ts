import '../support/quick-scrypt.ts';
import {randomInt} from 'node:crypto';
import {setTimeout as delay} from 'node:timers/promises';
import type {ExecutionContext} from 'ava';
import {type Link, shortUrl} from '../../src/index.ts';
import {addConversions} from '../../src/links/stats/visit-stats.ts';
import {crowd, inTurn, range} from '../support/engines/crowd.ts';
import {eachOf, protocolEngines, racingEngines} from '../support/engines/each.ts';
import {killWhileCalling} from '../support/engines/killing.ts';
import {Load} from '../support/engines/load.ts';
import {isNight} from '../support/night.ts';
import {linkIn} from '../support/engines/sale-history.ts';
import {type SiteProcess, siteProcesses} from '../support/engines/site-processes.ts';
import {type Together, together} from '../support/engines/together.ts';
import {sold} from '../support/sold.ts';
import {viaOf} from '../support/visitor.ts';

// The number of processes killed on each engine. KILLS=50 runs longer.
const kills = Number(process.env['KILLS'] ?? 3);

const onEach = await eachOf(racingEngines);
const onProtocolEngine = await eachOf(protocolEngines);
const start = siteProcesses();
const clients = 4;

/** Puts a site under load, and kills it at a random moment. */
async function killUnderLoad(another: Together['another'], load: Load): Promise<void> {
  const site = await another();
  let answersLeft = clients * randomInt(3, 15);
  let work: Promise<unknown> | undefined;
  await new Promise<void>((resolve, reject) => {
    const answered = (): void => {
      if (--answersLeft === 0) resolve();
    };
    work = Promise.all(range(clients).map(() => load.client(site, answered)));
    work.catch(reject);
  });
  // Not only right after an answer.
  await delay(randomInt(5));
  await site.kill();
  await work;
  load.surprises.push(...site.failures);
}

/** Checks the state that a new process finds against the answers that the clients got. */
async function findEverything(
  t: ExecutionContext,
  {options, another}: Together,
  load: Load,
  key: string,
): Promise<void> {
  const shortener = shortUrl({baseUrl: 'https://example.com', ...options});
  t.teardown(() => shortener.close());
  const listed = new Map<string, Link>();
  for await (const link of shortener.links.list(load.account)) {
    t.false(listed.has(link.shortUrl), 'nothing is listed twice');
    listed.set(link.shortUrl, link);
  }
  const links = Array.from(listed.values());
  t.is(new Set(links.map(({urlId}) => urlId)).size, links.length);
  t.is(new Set(links.map(({originalUrl}) => originalUrl)).size, links.length);
  for (const link of load.made.values()) {
    const found = listed.get(link.shortUrl);
    t.truthy(found, `${link.shortUrl} was created and is gone`);
    if (!found) continue;
    t.is(found.urlId, link.urlId);
    t.is(found.originalUrl, link.url);
    t.true(link.statuses.has(found.status), `${link.shortUrl} is ${found.status}`);
    t.true(found.totalVisits >= link.visitsAnswered, `${found.totalVisits} of ${link.visitsAnswered} visits`);
    t.true(found.totalVisits <= link.visitsSent, `${found.totalVisits} of at most ${link.visitsSent} visits`);
  }

  const site = await another();
  const {urls} = await site.data(key, 'list_active_urls');
  t.deepEqual(
    urls.map(({short_url}) => short_url),
    links.filter(({status}) => status === 'active').map((link) => link.shortUrl),
  );
  await crowd(links, 8, async (link) => {
    t.true(load.wanted.has(link.originalUrl), 'somebody wanted it');
    t.is((await site.data(key, 'info', {short_url: link.shortUrl})).original_url, link.originalUrl);
    const {status, headers} = await site.visit(link.shortUrl);
    t.is(status, link.status === 'active' ? 302 : 410);
    if (status === 302) t.is(headers.location, link.originalUrl);
  });
  // An unanswered create has left a complete and listed link, or a free short part.
  const unanswered = new Set(load.wanted.keys());
  for (const {url} of load.made.values()) unanswered.delete(url);
  await crowd(Array.from(unanswered), 8, async (url) => {
    const custom_url = load.wanted.get(url);
    if (custom_url === undefined) return;
    const isListed = listed.has(`https://example.com/${custom_url}`);
    t.is((await site.api(key, 'create', {url, custom_url})).status, isListed ? 409 : 200);
  });
}

onEach((check) => {
  check('every answered request outlasts the killing of processes, and no incomplete link shows', async (t, engine) => {
    const site = await together(t, engine, {start, size: 0});
    const {apiKey} = await site.shortener.accounts.create('ann');
    const load = new Load('ann', apiKey);
    // The next processes start and serve while others are killed.
    await crowd(range(kills), 5, () => killUnderLoad(site.another, load));
    t.deepEqual(load.surprises, []);
    t.true(load.made.size >= kills);
    t.log(`${load.made.size} of ${load.wanted.size} creates were answered, and ${load.answers} requests in all`);
    await findEverything(t, site, load, apiKey);
  });
});

onProtocolEngine((check) => {
  check(
    'customers keep their links, and orders and refunds count once, while processes are killed',
    async (t, engine) => {
      const site = await together(t, engine, {start, size: 1, account: 'ann', limits: {attribution: {}}});
      const {conversions, links, accounts} = site.shortener;
      const tokens: string[] = [];
      for (const url of ['https://destination.example/1', 'https://destination.example/2']) {
        const {shortUrl} = await links.create('ann', {url});
        tokens.push(viaOf((await inTurn(site.sites, 0).visit(shortUrl)).headers['set-cookie']) ?? '');
      }
      const customers = isNight ? 60 : 20;
      const brought = new Map<number, Set<string | null>>();
      const sell = async (process: SiteProcess, customer: number): Promise<void> => {
        const order = {name: 'order', id: customer};
        const found = brought.get(customer) ?? new Set();
        brought.set(customer, found);
        // Several calls for one customer have different links.
        found.add(linkIn(await process.convert('identify', {via: inTurn(tokens, randomInt(2))}, customer)));
        found.add(linkIn(await process.convert('record', {customer}, {...order, value: 3})));
        for (const refund of ['a', 'b'])
          t.like(await process.convert('refund', {...order, refund, value: 1}), {result: {value: 1}});
      };
      const lost = await killWhileCalling(t, site.another, customers, sell);
      t.true(lost > 0);
      for (const [customer, found] of brought) t.is(found.size, 1, `${customer}: ${[...found].join()}`);
      const counted = sold({
        conversions: customers,
        value: 3 * customers,
        refunds: 2 * customers,
        refunded: 2 * customers,
      });
      t.deepEqual((await accounts.stats('ann')).conversions, [counted]);

      await killWhileCalling(t, site.another, customers, async (process, customer) => {
        await process.convert('forget', customer);
        t.deepEqual(await process.convert('find', {customer}), {result: null});
      });
      for (const customer of range(customers)) t.is(await conversions.find({customer}), undefined);
      t.deepEqual((await accounts.stats('ann')).conversions, [counted]);
    },
  );
});

onProtocolEngine((check) => {
  check(
    'visits, orders and refunds of variants add up to those of their link, while processes are killed',
    async (t, engine) => {
      const site = await together(t, engine, {start, size: 1, account: 'ann', limits: {attribution: {}}});
      const {links} = site.shortener;
      const rules = [{share: 50, url: 'https://b.example/'}];
      const {shortUrl} = await links.create('ann', {url: 'https://a.example/', rules});
      const orders = 20;
      await killWhileCalling(t, site.another, orders, async (process, id) => {
        const headers = {'User-Agent': `Mozilla/5.0 (Windows NT 10.0) Chrome/130.0 Safari/537.${id}`};
        const via = viaOf((await process.visit(shortUrl, {headers})).headers['set-cookie']);
        await process.convert('record', {via}, {name: 'order', id, value: 3});
        await process.convert('refund', {name: 'order', id, refund: 'a', value: 1});
      });
      const {totalVisits, conversions, variants = []} = await links.stats('ann', shortUrl);
      t.deepEqual(conversions, [sold({conversions: orders, value: 60, refunds: orders, refunded: orders})]);
      t.is(
        variants.reduce((sum, {visits}) => sum + visits, 0),
        totalVisits,
      );
      t.deepEqual(addConversions(variants.flatMap((variant) => variant.conversions)), conversions);
      t.true(variants.every(({visits}) => visits > 0));
    },
  );
});
