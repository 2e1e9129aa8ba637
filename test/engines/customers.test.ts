import '../support/quick-scrypt.ts';
import {shortUrl} from '../../src/index.ts';
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
    const counted = {currency: 'EUR', conversions: 1, value: 1000, refunds: 3, refunded: 900};
    const conversions = [sold({recordedBy: 'account', ...counted})];
    t.deepEqual((await shortener.links.stats('ann', first)).conversions, conversions);
    t.deepEqual((await shortener.accounts.stats('ann')).conversions, conversions);
  });

  check('a customer counts 200 days later, in another process, and for nobody else', async (t, engine) => {
    const {shortener, sites, options} = await together(t, engine, {start, size: 2, limits: {attribution: {}}});
    const keys = await Promise.all(
      ['ann', 'bob'].map(async (account) => (await shortener.accounts.create(account)).apiKey),
    );
    const [ann = '', bob = ''] = keys;
    const {shortUrl: link} = await shortener.links.create('ann', {url: 'https://destination.example/'});
    const via = viaOf((await inTurn(sites, 0).visit(link)).headers['set-cookie']) ?? '';
    const customer = 'user-7';
    const linkOf = async (site: number, key: string, body: object) => {
      const reply = await inTurn(sites, site).post(key, 'identify_customer', body);
      return (reply.json().data as {link?: {short_url?: string} | null}).link?.short_url ?? null;
    };
    const forged = `${via.slice(0, -4)}AAAA`;
    t.is(await linkOf(0, ann, {via: forged, customer}), null);
    t.is(await linkOf(0, bob, {via, customer}), null);
    t.is(await linkOf(0, ann, {via, customer}), link);
    t.is(await linkOf(1, bob, {via: forged, customer}), null);
    t.is((await shortener.conversions.identify({via}, customer))?.link.shortUrl, link);

    const later = shortUrl({
      baseUrl: 'https://example.com',
      ...options,
      now: () => Date.now() + 200 * 24 * 60 * 60_000,
    });
    t.teardown(() => later.close());
    const renewal = {name: 'renewal', id: 1, value: 990};
    t.is(await later.conversions.record({via}, renewal), undefined);
    for (let repeat = 0; repeat < 2; repeat += 1) {
      t.is((await later.conversions.record({customer}, renewal))?.link.shortUrl, link);
      t.like(await later.conversions.refund({name: 'renewal', id: 1, refund: 'a', value: 90}), {value: 90});
    }
    const refund = {name: 'renewal', id: '1', refund: 'b'};
    for (const key of keys) {
      const reply = await inTurn(sites, 1).post(key, 'refund_conversion', refund);
      t.like(reply.json().data, {link: null, value: null});
    }
    const conversions = [sold({name: 'renewal', conversions: 1, value: 990, refunds: 1, refunded: 90})];
    t.deepEqual((await shortener.accounts.stats('ann')).conversions, conversions);
    t.deepEqual((await shortener.accounts.stats('bob')).conversions, []);
    t.true(await shortener.conversions.forget(customer));
    t.is(await later.conversions.find({customer}), undefined);
    // The customers of the account's API calls are others.
    t.is(await linkOf(1, ann, {customer, via: forged}), link);
  });
});
