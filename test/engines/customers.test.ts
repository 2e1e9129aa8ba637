import {crowd, inTurn, range} from '../support/engines/crowd.ts';
import {eachOf, racingEngines} from '../support/engines/each.ts';
import {siteProcesses} from '../support/engines/site-processes.ts';
import {together} from '../support/engines/together.ts';
import {sold} from '../support/sold.ts';
import {viaOf} from '../support/visitor.ts';

const onEach = await eachOf(racingEngines);
const start = siteProcesses();

onEach((check) => {
  check('refunds and customers at once in several processes', async (t, engine) => {
    const {shortener, sites} = await together(t, engine, {start, size: 2, limits: {attribution: {currency: 'EUR'}}});
    const {apiKey} = await shortener.accounts.create('ann');
    const links = await Promise.all(
      range(5).map((number) => shortener.links.create('ann', {url: `https://destination.example/${number}`})),
    );
    const tokens = await crowd(links, 5, async ({shortUrl}, index) => {
      return viaOf((await inTurn(sites, index).visit(shortUrl)).headers['set-cookie']) ?? '';
    });
    const call = async (index: number, operation: string, body: object) =>
      inTurn(sites, index).post(apiKey, operation, body);

    // The first link stays, and every caller learns which it is.
    const found = await crowd(range(10), 10, async (index) => {
      const reply = await call(index, 'identify_customer', {via: inTurn(tokens, index), customer: 'user-7'});
      const {link} = reply.json().data as {link?: {short_url?: string}};
      return link?.short_url;
    });
    t.is(new Set(found).size, 1);
    const [first = ''] = found;

    const order = {name: 'order', id: '1'};
    await crowd(range(10), 10, async (index) => {
      const reply = await call(index, 'record_conversion', {...order, customer: 'user-7', value: 1000});
      t.like(reply.json().data, {link: {short_url: first}});
    });
    // Each refund is sent twice, and three of ten fit.
    const refunds = await crowd(range(20), 20, async (index) => {
      const reply = await call(index, 'refund_conversion', {...order, refund: String(index >> 1), value: 300});
      return reply.status === 200 ? 'refunded' : (reply.json().data as {error?: string}).error;
    });
    t.deepEqual(refunds.toSorted(), [...range(14).map(() => 'refund_too_large'), ...range(6).map(() => 'refunded')]);
    const conversions = [sold({currency: 'EUR', conversions: 1, value: 1000, refunds: 3, refunded: 900})];
    t.deepEqual((await shortener.links.stats('ann', first)).conversions, conversions);
    t.deepEqual((await shortener.accounts.stats('ann')).conversions, conversions);
  });
});
