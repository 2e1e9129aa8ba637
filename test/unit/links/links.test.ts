import {dayCounter, visitsCounter} from '../../../src/link/counters.ts';
import {countersKey, linkIds, linkKey, totalsKey} from '../../../src/keys.ts';
import test, {type ExecutionContext} from 'ava';
import {ShortUrlError} from '../../../src/host/errors.ts';
import {type LinkRecord} from '../../../src/link/record.ts';
import {collect} from '../../support/collect.ts';
import {account, domain, noon, recordOf, spring, start, url, type World} from '../../support/links-world.ts';
import {memoryStore} from '../../support/store-stub.ts';
import {turnsOf} from '../../support/turns.ts';

const isUnknown = async (t: ExecutionContext, asked: Promise<unknown>, message?: string): Promise<void> => {
  await t.throwsAsync(asked, {instanceOf: ShortUrlError, code: 'unknown_short_url'}, message);
};

test('a create and each change are announced with the account, the link and the time', async (t) => {
  const world = start();
  const {links, clock, events} = world;
  const {shortUrl} = await links.create(account, {url, customUrl: 'spring'});
  await visited(world, 'spring', 3);
  clock.now += 1000;
  t.is((await links.disable(account, shortUrl)).status, 'disabled');
  t.is((await recordOf(world, spring))?.state, 'disabled');
  clock.now += 1000;
  t.is((await links.enable(account, shortUrl)).status, 'active');
  t.deepEqual(
    events.map(([kind, {account: id, link, at}]) => [kind, id, link.status, link.totalVisits, at.getTime()]),
    [
      ['create', 'user-42', 'active', 0, noon],
      ['disable', 'user-42', 'disabled', 3, noon + 1000],
      ['enable', 'user-42', 'active', 3, noon + 2000],
    ],
  );
  t.is(world.forgotten.length, 2);
});

test('disabling a disabled link, or enabling an active one, changes nothing and sends no event', async (t) => {
  const {links, events, asked} = start();
  const {shortUrl} = await links.create(account, {url});
  for (const [operation, status] of [
    ['enable', 'active'],
    ['disable', 'disabled'],
    ['disable', 'disabled'],
  ] as const) {
    t.is((await links[operation](account, shortUrl)).status, status);
  }
  t.deepEqual(
    events.map(([kind]) => kind),
    ['create', 'disable'],
  );
  t.is(asked.filter((operation) => operation === 'replace').length, 1);
});

test('the refusal of an unknown link takes at least ten milliseconds, and other answers do not wait', async (t) => {
  const world = start();
  const {shortUrl} = await world.links.create(account, {url});
  const started = performance.now();
  await isUnknown(t, world.links.info(account, 'https://example.com/none'));
  // A timer may fire a millisecond early.
  t.true(performance.now() - started >= 9);
  // Counted in turns of the event loop, because a busy machine makes any time long: ten milliseconds are many turns.
  const turns = await turnsOf(() => world.links.info(account, shortUrl));
  t.true(turns < 20, `${turns} turns`);
});

test('removing an account removes the visits of its links, and its totals', async (t) => {
  const store = memoryStore();
  const {links} = start({store});
  const kept = await links.create({id: 'user-43', generation: 'life-2'}, {url, customUrl: 'other'});
  await links.create(account, {url, customUrl: 'spring'});
  const records = await store.getMany<LinkRecord>([spring, {domain, slug: 'other'}].map(linkKey));
  const keys = records.map((entry) => countersKey(entry?.value ?? t.fail()));
  const all = [...keys, totalsKey(account.generation, 0), totalsKey('life-2', 0)];
  const adds = all.map(() => ({[visitsCounter]: 3}));
  await store.count({writer: 'a writer', number: 1, additions: [{keys: all, adds, at: noon}]});
  await links.removeAll(account);
  const left = await store.getCounters(all);
  t.deepEqual(
    left.map(({counts}) => counts.get(visitsCounter)),
    [undefined, 3, undefined, 3],
  );
  t.is((await links.info({id: 'user-43', generation: 'life-2'}, kept.shortUrl)).totalVisits, 3);
});

test('removing an account removes all its links and no others, and makes visits forget them', async (t) => {
  const world = start();
  const other = {id: 'user-43', generation: 'life-2'};
  for (const customUrl of ['one', 'two']) await world.links.create(account, {url, customUrl});
  await world.links.create(other, {url, customUrl: 'three'});
  await world.links.removeAll(account);
  const states = await Promise.all(
    ['one', 'two', 'three'].map(async (slug) => (await recordOf(world, {domain, slug}))?.state),
  );
  t.deepEqual(states, ['removed', 'removed', 'active']);
  t.deepEqual(world.forgotten.toSorted(), [linkKey({domain, slug: 'one'}), linkKey({domain, slug: 'two'})]);
});

test('the list has every link with its own visits and its status', async (t) => {
  const world = start();
  const {links, store} = world;
  for (const [index, customUrl] of ['one', 'two', 'three'].entries()) {
    await links.create(account, {url, customUrl});
    await visited(world, customUrl, 10 * (index + 1));
  }
  await links.disable(account, 'https://example.com/two');
  const listed = await collect(links.list(account));
  const shown = listed.map(({shortUrlPart, totalVisits, status}) => [shortUrlPart, totalVisits, status]);
  t.deepEqual(shown, [
    ['one', 10, 'active'],
    ['two', 20, 'disabled'],
    ['three', 30, 'active'],
  ]);
  t.is(await store.current(linkIds), 3);
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
  [
    'unblocked and blocked again',
    ({links}, shortUrl) => links.block(account, shortUrl),
    ({links}, shortUrl) => links.unblock(account, shortUrl),
    ({links}, shortUrl) => links.block(account, shortUrl),
  ],
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
  const addition = {keys: [countersKey(record)], adds: [{[visitsCounter]: visits, ...days}], at: noon};
  await world.store.count({writer: `visitors of ${slug}`, number, additions: [addition]});
}
