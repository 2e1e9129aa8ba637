import '../../support/quick-scrypt.ts';
import test, {type ExecutionContext} from 'ava';
import {type ShortUrl, shortUrl} from '../../../src/index.ts';
import {toWebHandler} from '../../../src/web.ts';
import {collect} from '../../support/collect.ts';
import {spoil} from '../../support/spoil.ts';
import {browserAgent, viaOf} from '../../support/visitor.ts';

const origin = 'https://example.com';
const link = `${origin}/spring`;

/** A site with two links, visits and conversions. */
async function scene(t: ExecutionContext): Promise<ShortUrl> {
  const site = shortUrl({
    baseUrl: origin,
    store: 'memory:',
    attribution: {},
    now: () => Date.parse('2031-05-06T12:00:00Z'),
  });
  t.teardown(() => site.close());
  const {accounts, admin, conversions, keys, links} = site;
  await accounts.create('ann');
  await keys.create('ann', {label: 'Report', scope: 'read'});
  const rules = [{share: 50, url: 'https://b.example/', name: 'b'}];
  const [tags, utm] = [['z', 'a'], {campaign: 'may', source: 'mail'}];
  await links.create('ann', {url: 'https://a.example/', customUrl: 'spring', tags, rules, utm, reference: 'order 1'});
  await links.create('ann', {url: 'https://c.example/', customUrl: 'plain', tags: ['z', 'quiet']});
  const answer = await toWebHandler(site)(new Request(link, {headers: {'User-Agent': browserAgent}}));
  const via = viaOf(answer?.headers.getSetCookie()[0]) ?? '';
  await conversions.record({via}, {name: 'order', id: 1, value: 900, currency: 'EUR', customer: 7});
  await collect(
    admin.recheck(({shortUrlPart}) => ({result: shortUrlPart === 'plain' ? 'broken' : 'ok', reason: 'gone'})),
  );
  return site;
}

/** What a program can read. */
const readings: Readonly<Record<string, (site: ShortUrl) => unknown>> = {
  'links.info': ({links}) => links.info('ann', link),
  'links.stats': ({links}) => links.stats('ann', link),
  'links.page': ({links}) => links.page('ann', {days: 2}),
  'links.page by visits': ({links}) => links.page('ann', {order: 'visits'}),
  'links.list': ({links}) => collect(links.list('ann')),
  'links.listActive': ({links}) => collect(links.listActive('ann')),
  'links.tags': ({links}) => links.tags('ann'),
  'links.compare': ({links}) => links.compare('ann', {order: 'value'}),
  'links.compareTags': ({links}) => links.compareTags('ann'),
  'links.compareTags by campaign': ({links}) => links.compareTags('ann', {by: 'campaign'}),
  'accounts.stats': ({accounts}) => accounts.stats('ann'),
  'accounts.stats of a tag': ({accounts}) => accounts.stats('ann', {tag: 'z'}),
  'keys.list': ({keys}) => keys.list('ann'),
  'conversions.find': ({conversions}) => conversions.find({customer: 7}),
  'admin.find': ({admin}) => admin.find(link),
  'admin.account': ({admin}) => admin.account('ann'),
  'admin.pageLinks': ({admin}) => admin.pageLinks(),
  'admin.pageLinks by visits': ({admin}) => admin.pageLinks({order: 'visits'}),
  'admin.pageAccounts': ({admin}) => admin.pageAccounts({order: 'visits'}),
  'admin.compareAccounts': ({admin}) => admin.compareAccounts(),
  'admin.stats': ({admin}) => admin.stats(),
  'admin.accounts': ({admin}) => collect(admin.accounts()),
  'admin.recheck': ({admin}) => collect(admin.recheck(({broken}) => (broken ? 'broken' : 'ok'))),
  'admin.sweep': ({admin}) => collect(admin.sweep({unvisitedFor: 1, dryRun: true})),
  baseUrls: ({baseUrls}) => baseUrls,
  operations: ({operations}) => operations,
};

for (const [name, read] of Object.entries(readings)) {
  test(`what a program does to the result of ${name} changes no later one, also of another account`, async (t) => {
    const site = await scene(t);
    const first = structuredClone(await read(site));
    spoil(await read(site));
    t.deepEqual(structuredClone(await read(site)), first);
    await site.accounts.create('bob');
    await site.links.create('bob', {url: 'https://d.example/', tags: ['new']});
    t.false(JSON.stringify([await site.links.page('bob'), await site.links.compareTags('bob')]).includes('spoiled'));
  });
}

for (const result of ['ok', 'broken', 'forbidden'] as const) {
  test(`the result ${result} of a check that changes the link it gets is applied`, async (t) => {
    const {admin} = await scene(t);
    const check = (given: object): typeof result => {
      spoil(given);
      return result;
    };
    const checked = await collect(admin.recheck(check));
    t.deepEqual(
      checked.map((each) => each.result),
      [result, result],
    );
  });
}

test('a caller may use the same object for its next call at once', async (t) => {
  const {accounts, conversions, links} = await scene(t);
  const numbers = [1, 2, 3];
  const [link, change] = [{url: ''}, {title: ''}];
  const order = {name: 'order', id: 0, value: 0};
  const made = await Promise.all(
    numbers.map((number) => {
      link.url = `https://new.example/${number}`;
      return links.create('ann', link);
    }),
  );
  t.deepEqual(
    made.map(({originalUrl}) => originalUrl),
    numbers.map((number) => `https://new.example/${number}`),
  );
  const changed = await Promise.all(
    made.map(({shortUrl: short, urlId}) => {
      change.title = `Link ${urlId}`;
      return links.update('ann', short, change);
    }),
  );
  t.deepEqual(
    changed.map(({title}) => title),
    made.map(({urlId}) => `Link ${urlId}`),
  );
  await Promise.all(
    numbers.map((number) => {
      Object.assign(order, {id: 100 + number, value: number});
      return conversions.record({customer: 7}, order);
    }),
  );
  const sums = (await accounts.stats('ann')).conversions.find(({currency}) => currency === null);
  t.like(sums, {conversions: 3, value: 6});
});
