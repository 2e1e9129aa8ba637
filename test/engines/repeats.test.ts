import '../support/quick-scrypt.ts';
import Koa from 'koa';
import {shortUrl} from '../../src/index.ts';
import {copyStore} from '../../src/tools/copy/copy.ts';
import {importNdjson} from '../../src/tools/import/import-ndjson.ts';
import {collect} from '../support/collect.ts';
import {crowd, inTurn, range} from '../support/engines/crowd.ts';
import {eachOf, protocolEngines} from '../support/engines/each.ts';
import {killWhileCalling} from '../support/engines/killing.ts';
import {siteProcesses} from '../support/engines/site-processes.ts';
import {together} from '../support/engines/together.ts';
import {visitorOf} from '../support/examples/visitor.ts';
import {exported, partsOf} from '../support/tools/text.ts';
import type {Data, Reply} from '../support/request.ts';
import {viaOf} from '../support/visitor.ts';
import {sold} from '../support/sold.ts';

const onEach = await eachOf(protocolEngines);
const start = siteProcesses();
const count = 40;

const urlOf = (number: number): string => `https://destination.example/${number}`;

function dataOf(reply: Reply): Data {
  if (reply.status !== 200) throw new Error(`${reply.status} ${reply.text}`);
  return reply.json().data;
}

onEach((check) => {
  check(
    'processes that are killed and repeat their creates with the same keys make each link once',
    async (t, engine) => {
      const {shortener, another} = await together(t, engine, {start, size: 0});
      const {apiKey} = await shortener.accounts.create('ann');
      const answers = new Map<number, Set<string>>();
      const lost = await killWhileCalling(t, another, count, async (site, number) => {
        const body = {url: urlOf(number), ...(number % 3 === 0 && {custom_url: `custom-${number}`})};
        const reply = await site.post(apiKey, 'create', body, {'Idempotency-Key': `call-${number}`});
        const {url_id, short_url} = dataOf(reply);
        answers.set(number, (answers.get(number) ?? new Set()).add(`${url_id} ${short_url}`));
      });
      t.true(lost > 0);
      for (const [number, distinct] of answers) t.is(distinct.size, 1, `${number}: ${[...distinct].join()}`);
      const listed = await collect(shortener.links.list('ann'));
      for (const {originalUrl, urlId, shortUrl} of listed)
        t.true(answers.get(Number(originalUrl.split('/').at(-1)))?.has(`${urlId} ${shortUrl}`));
      t.deepEqual(listed.map(({originalUrl}) => originalUrl).sort(), range(count).map(urlOf).sort());
      t.is((await shortener.accounts.stats('ann')).links, count);
    },
  );

  check('orders that processes record at once, and repeat when they are killed, count once each', async (t, engine) => {
    const {shortener, another, sites} = await together(t, engine, {start, size: 1, limits: {attribution: {}}});
    const {apiKey} = await shortener.accounts.create('ann');
    const {shortUrl: link} = await shortener.links.create('ann', {url: urlOf(0)});
    const {headers} = await inTurn(sites, 0).visit(link);
    const via = viaOf(headers['set-cookie']) ?? '';
    await killWhileCalling(t, another, count, async (site, number) => {
      const order = {via, name: 'order', id: String(number), value: number};
      const {link: brought} = dataOf(await site.post(apiKey, 'record_conversion', order));
      t.not(brought, null);
    });
    // The code of the site records its own orders, with the same ids.
    await crowd(range(count), 10, async (id) => {
      const recorded = await shortener.conversions.record({via}, {name: 'order', id, value: 1});
      t.is(recorded?.link.shortUrl, link);
    });
    const conversions = [
      sold({conversions: count, value: count}),
      sold({recordedBy: 'account', conversions: count, value: (count * (count - 1)) / 2}),
    ];
    t.like(await shortener.links.stats('ann', link), {conversions, totalVisits: 1});
    t.deepEqual((await shortener.accounts.stats('ann')).conversions, conversions);
  });

  check(
    'orders of customers, and their refunds, whose calls were killed count once each after a move of the store and a repeat',
    async (t, engine) => {
      const {shortener, options, sites} = await together(t, engine, {start, size: 1, limits: {attribution: {}}});
      const {apiKey} = await shortener.accounts.create('ann');
      const rules = [{share: 50, name: 'other page', url: urlOf(1)}];
      const {shortUrl: link} = await shortener.links.create('ann', {url: urlOf(0), rules});
      const site = inTurn(sites, 0);
      const via = viaOf((await site.visit(link)).headers['set-cookie']) ?? '';
      const callsOf = (number: number) => {
        const order = {name: 'order', id: String(number)};
        return [
          ['record_conversion', {...order, via, value: 3, customer: `customer ${number}`}],
          ['refund_conversion', {...order, refund: 'a', value: 1}],
        ] as const;
      };
      await crowd(range(count), 20, async (number) => {
        for (const [operation, body] of callsOf(number))
          await site.post(apiKey, operation, body).catch(() => undefined);
        // The others are under way.
        if (number === count / 2) await site.kill();
      });
      const from = {store: options.store, namespace: options.namespace};
      const copied = new Map();
      await copyStore({from: from.store, namespace: from.namespace, to: copied});
      const imported = new Map();
      const {text} = await exported({...from, account: 'ann'});
      t.is((await importNdjson({store: imported, namespace: from.namespace, file: partsOf(text)})).rejected, 0);
      for (const store of [copied, imported]) {
        const moved = shortUrl({baseUrl: 'https://example.com', ...options, store});
        t.teardown(() => moved.close());
        const ask = await visitorOf(t, new Koa().use(moved));
        const headers = {Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json'};
        const call = async (operation: string, body: object) => {
          const address = `https://example.com/api/v1/shorturl/${operation}`;
          return dataOf(await ask(address, {method: 'POST', headers, body: JSON.stringify(body)}));
        };
        await crowd(range(count), 20, async (number) => {
          for (const [operation, body] of callsOf(number)) await call(operation, body);
          const {was_known} = (await call('forget_customer', {customer: `customer ${number}`})) as {
            was_known?: boolean;
          };
          t.true(was_known);
        });
        const counted = {conversions: count, value: 3 * count, refunds: count, refunded: count};
        const conversions = [sold({recordedBy: 'account', ...counted})];
        const {variants = [], ...stats} = await moved.links.stats('ann', link);
        t.deepEqual(stats.conversions, conversions);
        t.deepEqual(
          variants.flatMap((variant) => variant.conversions),
          conversions,
        );
        t.deepEqual((await moved.accounts.stats('ann')).conversions, conversions);
      }
    },
  );
});
