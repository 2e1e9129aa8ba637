import {dayCounter, visitsCounter} from '../../../src/link/counters.ts';
import {linkCounters, linkRecords} from '../../../src/link/records.ts';
import {linkPositions} from '../../../src/accounts/records.ts';
import {removeAll} from '../../../src/links/change/every-link.ts';
import test from 'ava';
import {type LinkRecord} from '../../../src/link/record.ts';
import {
  account,
  block,
  domain,
  noon,
  recordOf,
  spring,
  start,
  unblock,
  url,
  type World,
} from '../../support/links-world.ts';
import {countsOf, memoryStore} from '../../support/store-stub.ts';
import {turnsOf} from '../../support/turns.ts';

test('disabling a disabled link, or enabling an active one, changes nothing and sends no event', async (t) => {
  const {links, events, asked, forgotten} = start();
  const {shortUrl} = await links.create(account, {url, customUrl: 'spring'});
  for (const [operation, status] of [
    ['enable', 'active'],
    ['disable', 'disabled'],
    ['disable', 'disabled'],
  ] as const) {
    t.is((await links[operation](account, shortUrl)).status, status);
  }
  const kinds = events.map(([kind]) => kind);
  t.deepEqual(kinds, ['create', 'disable']);
  t.is(asked.filter((operation) => operation === 'replace').length, 1);
  t.deepEqual(new Set(forgotten), new Set([linkRecords.key(spring)]));
});

test('the refusal of an unknown link takes at least ten milliseconds, and other answers do not wait', async (t) => {
  const world = start();
  const {shortUrl} = await world.links.create(account, {url});
  const started = performance.now();
  await t.throwsAsync(world.links.info(account, 'https://example.com/none'), {code: 'unknown_short_url'});
  // A timer may fire a millisecond early.
  t.true(performance.now() - started >= 9);
  // Counted in turns of the event loop, because a busy machine makes any time long: ten milliseconds are many turns.
  const turns = await turnsOf(() => world.links.info(account, shortUrl));
  t.true(turns < 20, `${turns} turns`);
});

test('removing the links of an account removes their visits', async (t) => {
  const store = memoryStore();
  const world = start({store});
  const {links} = world;
  const other = {id: 'user-43', generation: 'life-2'};
  await links.create(other, {url, customUrl: 'other'});
  await links.create(account, {url, customUrl: 'spring'});
  const records = await store.getMany<LinkRecord>([spring, {domain, slug: 'other'}].map(linkRecords.key));
  const keys = records.map((entry) => linkCounters.key(entry?.value ?? t.fail()));
  const adds = keys.map(() => ({[visitsCounter]: 3}));
  await store.count({writer: 'a writer', number: 1, additions: [{keys, adds, at: noon}]});
  world.forgotten.length = 0;
  await removeAll(world.services, account);
  t.deepEqual(await countsOf(store, keys, visitsCounter), [0, 3]);
  t.like(await links.info(other, 'https://example.com/other'), {status: 'active', totalVisits: 3});
  t.is((await recordOf(world, spring))?.state, 'removed');
  t.true(world.forgotten.includes(linkRecords.key(spring)), 'an outage brings no visit to it');
});

test('reading and removing many links on a store in memory lets the event loop run', async (t) => {
  const world = start();
  for (let index = 0; index < 1000; index += 1) await world.links.create(account, {url});
  // One turn for each hundred records.
  t.true((await turnsOf(() => world.links.pageActive(account, {limit: 1000}))) >= 10);
  t.true((await turnsOf(() => removeAll(world.services, account))) >= 15);
});

test('a list has an end for a reader that creates a link for each one', async (t) => {
  const {links} = start();
  for (let index = 0; index < 501; index += 1) await links.create(account, {url});
  let listed = 0;
  for await (const {originalUrl} of links.list(account)) {
    if ((listed += 1) > 1500) break;
    await links.create(account, {url: `${originalUrl}?copy`});
  }
  t.is(listed, 501);
});

test('a removal finds links after the store lost the position counter', async (t) => {
  const world = start();
  for (const customUrl of ['first', 'second']) await world.links.create(account, {url, customUrl});
  await world.store.removeCounters(linkPositions.key(account.generation), ['next']);
  await removeAll(world.services, account);
  for (const slug of ['first', 'second']) {
    t.is((await recordOf(world, {domain, slug}))?.state, 'removed', slug);
  }
});

test('a page with days has the visits of each link on so many last days, today included, in one read', async (t) => {
  const world = start();
  const {links} = world;
  await links.create(account, {url, customUrl: 'spring'});
  await links.create(account, {url, customUrl: 'quiet'});
  const today = Math.floor(noon / 86_400_000);
  await visited(world, 'spring', 9, {[dayCounter(today)]: 2, [dayCounter(today - 2)]: 3, [dayCounter(today - 3)]: 4});
  world.asked.length = 0;
  const daysOf = async (days?: number): Promise<unknown> =>
    (await links.page(account, {days})).links.map((link) => [link.shortUrlPart, link.totalVisits, link.days]);
  t.deepEqual(await daysOf(3), [
    ['quiet', 0, []],
    [
      'spring',
      9,
      [
        {date: '2031-05-04', visits: 3},
        {date: '2031-05-06', visits: 2},
      ],
    ],
  ]);
  t.is(world.asked.filter((each) => each === 'getCounters').length, 1);
  t.deepEqual(await daysOf(), [
    ['quiet', 0, undefined],
    ['spring', 9, undefined],
  ]);
  for (const days of [0, 32, 1.5, '3'] as number[]) {
    await t.throwsAsync(links.page(account, {days}), {code: 'malformed_parameter'}, String(days));
  }
});

type Act = (world: World, shortUrl: string) => Promise<unknown>;

const reversals: ReadonlyArray<readonly [name: string, first: Act, change: Act, back: Act]> = [
  [
    'updated and updated back',
    () => Promise.resolve(),
    ({links}, shortUrl) => links.update(account, shortUrl, {url: 'https://other.example/'}),
    ({links}, shortUrl) => links.update(account, shortUrl, {url}),
  ],
  [
    'enabled and disabled again',
    ({links}, shortUrl) => links.disable(account, shortUrl),
    ({links}, shortUrl) => links.enable(account, shortUrl),
    ({links}, shortUrl) => links.disable(account, shortUrl),
  ],
  ['unblocked and blocked again', block, unblock, block],
];

for (const [name, first, change, back] of reversals) {
  test(`info counts all visits of a link that is ${name} meanwhile`, async (t) => {
    const world = start();
    const {shortUrl} = await world.links.create(account, {url, customUrl: 'spring'});
    await first(world, shortUrl);
    const uninterrupted = async (act: Act): Promise<void> => {
      const {before} = world;
      world.before = () => undefined;
      await act(world, shortUrl);
      world.before = before;
    };
    let readings = 0;
    world.before = async (operation) => {
      if (readings === 2) return;
      if (operation === 'getCounters') {
        readings = 1;
        await uninterrupted(change);
        await visited(world, 'spring', 1, {}, 1);
      } else if (readings === 1) {
        readings = 2;
        await visited(world, 'spring', 1, {}, 2);
        await uninterrupted(back);
      }
    };
    t.like(await world.links.info(account, shortUrl), {originalUrl: url, totalVisits: 2});
  });
}

async function visited(
  world: World,
  slug: string,
  visits: number,
  days: Record<string, number> = {},
  number = 1,
): Promise<void> {
  const record = await recordOf(world, {domain, slug});
  if (record === undefined) throw new Error('The link was created before');
  const addition = {keys: [linkCounters.key(record)], adds: [{[visitsCounter]: visits, ...days}], at: noon};
  await world.store.count({writer: `visitors of ${slug}`, number, additions: [addition]});
}
