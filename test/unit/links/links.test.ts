import {dayCounter, visitsCounter} from '../../../src/link/counters.ts';
import {countersKey, linkIds, linkKey, totalsKey} from '../../../src/keys.ts';
import test, {type ExecutionContext} from 'ava';
import {ShortUrlError} from '../../../src/host/errors.ts';
import {type LinkRecord} from '../../../src/link/record.ts';
import {collect} from '../../support/collect.ts';
import {account, domain, noon, put, recordOf, spring, start, url, type World} from '../../support/links-world.ts';
import {range} from '../../support/engines/crowd.ts';
import {memoryStore, outage} from '../../support/store-stub.ts';
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

test('a link can be enabled until the end of its last day', async (t) => {
  const {links, clock} = start();
  const {shortUrl} = await links.create(account, {url, expiryDate: '2031-05-06'});
  await links.disable(account, shortUrl);
  clock.now = Date.UTC(2031, 4, 7) - 1;
  t.is((await links.enable(account, shortUrl)).status, 'active');
  await links.disable(account, shortUrl);
  clock.now = Date.UTC(2031, 4, 7);
  await t.throwsAsync(links.enable(account, shortUrl), {instanceOf: ShortUrlError, code: 'link_expired'});
});

test('the error for less than a full short URL shows its form', async (t) => {
  const {links} = start();
  const {shortUrl} = await links.create(account, {url, customUrl: 'spring'});
  for (const name of ['spring', '/spring', shortUrl.replace('https://', ''), `${shortUrl}/`]) {
    await t.throwsAsync(links.info(account, name), {
      code: 'unknown_short_url',
      message: new RegExp(`in full, such as ${shortUrl.replace('spring', '')}\\w`),
    });
  }
  await t.throwsAsync(links.info(account, `${shortUrl}x`), {
    code: 'unknown_short_url',
    message: 'This account has no such short URL.',
  });
});

test('a link that is removed while it is being changed is unknown', async (t) => {
  const world = start();
  const {shortUrl} = await world.links.create(account, {url, customUrl: 'spring'});
  const record = await recordOf(world, spring);
  for (const meanwhile of [record && {...record, state: 'removed' as const}, undefined]) {
    for (const operation of ['disable', 'enable'] as const) {
      await put(world, spring, record);
      world.before = async (name) => {
        if (name === 'getCounters') await put(world, spring, meanwhile);
      };
      await isUnknown(t, world.links[operation](account, shortUrl), operation);
      t.deepEqual(await recordOf(world, spring), meanwhile);
    }
  }
  t.is(world.events.length, 1);
});

test('a removed link is unknown to its account too', async (t) => {
  const world = start();
  const {shortUrl} = await world.links.create(account, {url, customUrl: 'spring'});
  await world.links.removeAll(account);
  t.is((await recordOf(world, spring))?.state, 'removed');
  t.is((await recordOf(world, spring))?.url, '');
  for (const operation of ['disable', 'enable', 'info', 'stats'] as const) {
    await isUnknown(t, world.links[operation](account, shortUrl), operation);
  }
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

test('a change whose outcome is unknown makes visits forget the link', async (t) => {
  for (const operation of ['disable', 'remove'] as const) {
    const world = start();
    const {shortUrl} = await world.links.create(account, {url, customUrl: 'spring'});
    world.before = (name) => {
      if (name === 'replace') throw outage();
    };
    const changed = operation === 'disable' ? world.links.disable(account, shortUrl) : world.links.removeAll(account);
    await t.throwsAsync(changed, {instanceOf: ShortUrlError, code: 'store_unavailable'});
    t.deepEqual(world.forgotten, [linkKey(spring)]);
  }
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

test('a page has as many active links as the limit, and a cursor to the rest', async (t) => {
  const {links} = start();
  const parts = ['one', 'two', 'three', 'four', 'five'];
  for (const customUrl of parts) await links.create(account, {url, customUrl});
  await links.disable(account, 'https://example.com/two');
  const first = await links.pageActive(account, {limit: 2});
  t.deepEqual(
    first.urls.map(({shortUrl}) => shortUrl),
    ['https://example.com/one', 'https://example.com/three'],
  );
  const second = await links.pageActive(account, {limit: 2, cursor: first.nextCursor});
  t.deepEqual(second, {
    urls: [{shortUrl: 'https://example.com/four'}, {shortUrl: 'https://example.com/five'}],
    nextCursor: undefined,
  });
});

test('info never shows the visits of one state of a link with another state', async (t) => {
  const world = start();
  const {shortUrl} = await world.links.create(account, {url, customUrl: 'spring'});
  const record = await recordOf(world, spring);
  let changes = 0;
  let changesWanted = 30;
  // A visit, and then a change, between the reading of the visits and the second reading of the record.
  world.before = async (name) => {
    if (name !== 'get' || world.asked.at(-2) !== 'getCounters' || changes === changesWanted) return;
    changes += 1;
    await visited(world, 'spring', 1, {}, changes);
    await put(world, spring, record && {...record, url: `${url}/${changes}`});
  };
  t.like(await world.links.info(account, shortUrl), {originalUrl: `${url}/30`, totalVisits: 30});
  changesWanted = Infinity;
  await t.throwsAsync(world.links.info(account, shortUrl), {instanceOf: ShortUrlError, code: 'store_unavailable'});
});

test('info of a link with a limit does not wait until no visit is granted', async (t) => {
  const world = start();
  const {shortUrl} = await world.links.create(account, {url, customUrl: 'spring', maxVisits: 1000});
  const record = await recordOf(world, spring);
  let used = 0;
  world.before = async (name) => {
    if (name === 'get' && record) await put(world, spring, {...record, used: (used += 1)});
  };
  t.like(await world.links.info(account, shortUrl), {status: 'active', maxVisits: 1000});
  t.is(used, 2);
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

/** A visit on each of 401 days up to today: one more than the statistics have. */
function visitsOn401Days(): Record<string, number> {
  const today = Math.floor(noon / 86_400_000);
  return Object.fromEntries(range(401).map((index) => [dayCounter(today - index), 1]));
}

test('the counters of days that are too old are removed when they are read', async (t) => {
  const world = start();
  const {shortUrl} = await world.links.create(account, {url, customUrl: 'spring'});
  await visited(world, 'spring', 401, visitsOn401Days());
  t.is((await world.links.stats(account, shortUrl)).days.length, 400);
  const record = await recordOf(world, spring);
  const [counters] = await world.store.getCounters([record ? countersKey(record) : '']);
  t.is(counters?.counts.size, 401);
  t.false(counters?.counts.has(dayCounter(Math.floor(noon / 86_400_000) - 400)));
  t.is((await world.links.stats(account, shortUrl)).totalVisits, 401);
});

test('the visits are read although old counters cannot be removed', async (t) => {
  const world = start();
  const {shortUrl} = await world.links.create(account, {url, customUrl: 'spring'});
  await visited(world, 'spring', 401, visitsOn401Days());
  let failure: Error = outage();
  world.before = (operation) => {
    if (operation === 'removeCounters') throw failure;
  };
  t.is((await world.links.stats(account, shortUrl)).totalVisits, 401);
  failure = new TypeError('a fault');
  await t.throwsAsync(world.links.stats(account, shortUrl), {is: failure});
});

test('a link that is created again after the store lost it does not get the visits of the old one', async (t) => {
  const world = start();
  const {shortUrl} = await world.links.create(account, {url, customUrl: 'spring'});
  await visited(world, 'spring', 3);
  // As if the store had come back empty.
  await put(world, spring, undefined);
  await world.links.create(account, {url, customUrl: 'spring'});
  t.is((await world.links.info(account, shortUrl)).totalVisits, 0);
});

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
