import '../../support/quick-scrypt.ts';
import test, {type ExecutionContext} from 'ava';
import {type ShortUrl, shortUrl, type ShortUrlOptions} from '../../../src/index.ts';
import {toWebHandler} from '../../../src/web.ts';
import {browserAgent, viaOf} from '../../support/visitor.ts';

const origin = 'https://example.com';
const noon = Date.parse('2031-05-06T12:00:00Z');
const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000] as const;
const customerAge = 30 * 86_400;

interface Scene {
  readonly site: ShortUrl;
  readonly clock: {now: number};
  readonly via: string;
  /** The status of the answer to a visitor; 404 for a page of the site. */
  readonly visit: (url: string) => Promise<number>;
}

async function scene(t: ExecutionContext, options: Partial<ShortUrlOptions> = {}): Promise<Scene> {
  const clock = {now: noon};
  const site = shortUrl({
    baseUrl: origin,
    store: 'memory:',
    attribution: {customerAge},
    now: () => clock.now,
    ...options,
  });
  site.events.on('error', () => undefined);
  t.teardown(() => site.close());
  await site.accounts.create('ann');
  await site.links.create('ann', {url: 'https://destination.example/', customUrl: 'spring'});
  const handle = toWebHandler(site);
  const ask = async (url: string) =>
    handle(new Request(url, {headers: {'User-Agent': browserAgent, Host: new URL(url).host}}));
  const via = viaOf((await ask(`${origin}/spring`))?.headers.getSetCookie()[0]) ?? '';
  return {site, clock, via, visit: async (url) => (await ask(url))?.status ?? 404};
}

/** How the site uses a customer that it knows. */
const uses: Readonly<Record<string, (scene: Scene, round: number) => Promise<unknown>>> = {
  identify: ({site, via}) => site.conversions.identify({via}, 'user-7'),
  'identify without a link': ({site}) => site.conversions.identify({via: 'forged', customer: 'user-7'}, 'user-7'),
  'record of the customer': ({site}, id) => site.conversions.record({customer: 'user-7'}, {name: 'order', id}),
  'record with the customer': ({site, via}, id) =>
    site.conversions.record({via}, {name: 'order', id, customer: 'user-7'}),
};

for (const [name, use] of Object.entries(uses)) {
  test(`a customer who is used again and again by ${name} is kept, and lost once that ends`, async (t) => {
    const found = await scene(t);
    const {site, clock, via} = found;
    await site.conversions.identify({via}, 'user-7');
    for (let round = 0; round < 4; round += 1) {
      clock.now += (customerAge - 86_400) * second;
      await use(found, round);
    }
    clock.now += (customerAge - 86_400) * second;
    t.is((await site.conversions.find({customer: 'user-7'}))?.account, 'ann');
    clock.now += 3 * day;
    t.is(await site.conversions.find({customer: 'user-7'}), undefined);
  });
}

/** What the site says of the domain of a user, and how often it is asked in a minute of visits. */
const answers = {
  served: [() => true, 1],
  'not served': [() => false, 1],
  failing: [() => Promise.reject(new Error('away')), 12],
} as const;

for (const [what, [answer, perMinute]] of Object.entries(answers)) {
  test(`a domain that is ${what} is asked about ${perMinute} times in each minute of steady visits`, async (t) => {
    const asked: number[] = [];
    const {clock, visit} = await scene(t, {
      domains: (_, account) => account !== undefined || (asked.push(clock.now), answer()),
    });
    for (let round = 0; round < 3 * 60; round += 1) {
      clock.now += second;
      await visit('https://go.ann.example/spring');
    }
    t.is(asked.length, 3 * perMinute);
  });
}

test('a domain of a user is served for an hour of each outage with steady visits, and asked about again in the second', async (t) => {
  let isAway = false;
  const {site, clock, visit} = await scene(t, {
    domains: async () => (isAway ? Promise.reject(new Error('away')) : true),
  });
  await site.links.create('ann', {url: 'https://destination.example/', customUrl: 'own', baseDomain: 'go.ann.example'});
  for (const round of [1, 2]) {
    isAway = false;
    clock.now += minute;
    t.is(await visit('https://go.ann.example/own'), 302, `${round}`);
    isAway = true;
    const begin = clock.now;
    for (const step of [second, 7 * second, minute, 10 * minute]) {
      for (; clock.now + step < begin + hour; clock.now += step) {
        if ((clock.now - begin) / step > 200) break;
        t.is(await visit('https://go.ann.example/own'), 302, `${round} ${clock.now - begin}`);
      }
    }
    clock.now = begin + hour + second;
    for (let late = 0; late < 20; late += 1, clock.now += 7 * second)
      t.is(await visit('https://go.ann.example/own'), 404);
  }
});

test('what a comparison and an order remember is never older than a minute, also with steady reads', async (t) => {
  const {site, clock, visit} = await scene(t);
  const reads = [
    async () => (await site.links.compare('ann')).visits,
    async () => (await site.links.compareTags('ann')).visits,
    async () => (await site.links.page('ann', {order: 'visits'})).links[0]?.totalVisits ?? 0,
    async () => (await site.accounts.stats('ann')).totalVisits,
    async () => (await site.admin.stats()).totalVisits,
    async () => (await site.admin.compareAccounts()).visits,
  ];
  const counts: Array<readonly [at: number, visits: number]> = [];
  for (let round = 0; round < 20; round += 1) {
    clock.now += 20 * second;
    await visit(`${origin}/spring`);
    counts.push([clock.now, (await site.links.info('ann', `${origin}/spring`)).totalVisits]);
    for (const [index, read] of reads.entries()) {
      const [, least = 0] = counts.findLast(([at]) => at <= clock.now - minute) ?? [];
      t.true((await read()) >= least, `${index} ${round}`);
    }
  }
});

test('a repeat does not make the day of an idempotency key longer, and a quota begins with each day', async (t) => {
  const {site, clock} = await scene(t, {createQuota: 2});
  const make = (idempotencyKey?: string): Promise<number> =>
    site.links.create('ann', {url: 'https://destination.example/once'}, {idempotencyKey}).then(
      ({urlId}) => urlId,
      () => 0,
    );
  clock.now += day;
  const first = await make('once');
  for (let round = 0; round < 3; round += 1) {
    clock.now += 7 * hour;
    t.is(await make('once'), first);
  }
  clock.now += 7 * hour;
  t.not(await make('once'), first);
  for (const round of [1, 2, 3]) {
    clock.now += day;
    const made = [await make(), await make(), await make()];
    t.deepEqual(
      made.map((id) => id > 0),
      [true, true, false],
      `${round}`,
    );
  }
});
