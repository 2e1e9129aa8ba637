import {setImmediate} from 'node:timers/promises';
import type {Addition, Entry, Increments, ToolStore} from '../../../src/store/port.ts';
import type {Check} from './conformance.ts';

const none = {at: undefined};

/** What the port promises about counters. */
export function checkCounters(check: Check): void {
  check('additions to counters are summed up, and the latest time is kept', async (t, store) => {
    t.deepEqual(await store.getCounters([]), []);
    t.deepEqual(await read(store, ['visited', 'never']), [none, none]);
    await count(store, 'a', 1, [add('visited', {visits: 2, d7: 2}, 5000), add('other', {visits: 1}, 1)]);
    await count(store, 'b', 1, [add('visited', {visits: 1, d8: 1, 'a:b-c_D': 3}, 6000)]);
    // Late, and in the combinations of the batches before.
    await count(store, 'a', 2, [add('visited', {visits: 2, d7: 2}, 4000)]);
    await count(store, 'b', 2, [add('visited', {visits: 1, d8: 1, 'a:b-c_D': 3}, 3000)]);
    t.deepEqual(await read(store, ['other', 'visited', 'never']), [
      {visits: 1, at: 1},
      {visits: 6, d7: 4, d8: 2, 'a:b-c_D': 6, at: 6000},
      none,
    ]);
    const named = await read(store, ['visited', 'never'], ['a:b-c_D', 'absent', 'visits']);
    t.deepEqual(named, [{visits: 6, 'a:b-c_D': 6, at: 6000}, none]);
    const absent = await store.getCounters(['visited', 'never'], ['absent']);
    t.true(absent.every(({counts}) => counts.size === 0));
  });

  check('a visit is counted only while its link is unchanged', async (t, store) => {
    const seen = await link(store, 'link:{a}');
    t.deepEqual(await count(store, 'a', 1, [visit(seen)]), [true]);
    await store.replace('link:{a}', seen.entry.revision, {state: 'disabled'});
    t.deepEqual(await count(store, 'a', 2, [visit(seen), visit(await linkAt(store, 'link:{a}'))]), [false, true]);
    await store.remove('link:{a}');
    t.deepEqual(await count(store, 'a', 3, [visit(seen), add('visits:{a}', {visits: 1})]), [false, true]);
    t.is(await visitsOf(store, 'visits:{a}'), 3);
  });

  check('a record that differs in one letter, accent or space is another one', async (t, store) => {
    const alike = [
      ...[
        ['e', 'E'],
        ['e', 'é'],
        ['é', 'e\u0301'],
        ['e', 'ｅ'],
        ['e', 'e '],
        ['e', 'e\u200b'],
      ],
      ...[
        ['ss', 'ß'],
        ['i', 'ı'],
        ['I', 'İ'],
      ],
    ];
    for (const [index, [text, other]] of alike.entries()) {
      const key = `link:{${index}}`;
      await store.insert(key, {text});
      const seen = await linkAt(store, key);
      t.truthy(await store.replace(key, seen.entry.revision, {text: other}));
      t.falsy(await store.replace(key, seen.entry.revision, {text: 'lost'}), `${text} and ${other}`);
      t.false(await store.removeUnchanged(key, seen.entry.revision), `${text} and ${other}`);
      t.deepEqual(await count(store, 'a', index + 1, [visit(seen)]), [false], `${text} and ${other}`);
    }
  });

  check('a refused visit leaves no trace in any counters', async (t, store) => {
    const [seen, other] = [await link(store, 'link:{a}'), await link(store, 'link:{b}')];
    await store.remove('link:{a}');
    const visitAt = (visited: TestLink, day: string, at: number): Addition =>
      withTotals(visit(visited, at), 'totals:x', {visits: 1, [day]: 1});
    t.deepEqual(await count(store, 'a', 1, [visitAt(seen, 'd1', 1000)]), [false]);
    t.deepEqual(await read(store, ['totals:x']), [none]);
    t.deepEqual(await count(store, 'a', 2, [visitAt(other, 'd1', 2000)]), [true]);
    const refused = visitAt(seen, 'd2', 3000);
    t.deepEqual(await count(store, 'a', 3, [refused]), [false]);
    t.deepEqual(await count(store, 'a', 3, [refused]), [false], 'sent again');
    t.deepEqual(await read(store, ['totals:x']), [{d1: 1, visits: 1, at: 2000}]);
    const both = [visitAt(seen, 'd3', 5000), visitAt(other, 'd2', 4000)];
    t.deepEqual(await count(store, 'a', 4, both), [false, true]);
    t.deepEqual(await read(store, ['totals:x']), [{d1: 1, d2: 1, visits: 2, at: 4000}]);
  });

  check('a batch of two hundred links with several counters each is counted completely', async (t, store) => {
    const links = await Promise.all(Array.from({length: 200}, (_, index) => link(store, `link:{${index}}`)));
    const own = {visits: 1, d20000: 1, d20001: 2};
    const additions = links.map((seen, index) =>
      withTotals({...visit(seen, index + 1), adds: [own]}, `totals:${index % 3}`, {visits: 1, [`d${index % 2}`]: 2}),
    );
    await store.remove('link:{150}');
    t.is((await count(store, 'a', 1, additions)).filter(Boolean).length, 199);
    const keys = links.map(({counters}) => counters);
    const expected = keys.map((_, index) => (index === 150 ? none : {...own, at: index + 1}));
    t.deepEqual(await read(store, keys), expected);
    t.deepEqual(await read(store, ['totals:0', 'totals:1', 'totals:2']), [
      {visits: 66, d0: 66, d1: 66, at: 199},
      {visits: 67, d0: 66, d1: 68, at: 200},
      {visits: 66, d0: 66, d1: 66, at: 198},
    ]);
  });

  check('counters can be removed and set, and are added to from there', async (t, store) => {
    await count(store, 'a', 1, [add('copied', {visits: 5, d1: 2, d4: 4}, 5000)]);
    await store.removeCounters('copied', ['d4', 'absent']);
    await store.removeCounters('never', ['d1']);
    await count(store, 'a', 2, [add('copied', {d4: 1}, 5000)]);
    await store.increment('sequence');
    await store.setCounters([
      ['copied', {counts: byName({visits: 3, d2: 3}), at: 6000}],
      ['sequence', {counts: byName({next: 41}), at: undefined}],
      ['new', {counts: byName({visits: 1, __proto: 2}), at: 1}],
      ['empty', {counts: byName({}), at: undefined}],
    ]);
    await store.setCounters([]);
    t.deepEqual(await read(store, ['copied', 'new', 'empty', 'never']), [
      {d1: 2, d2: 3, d4: 1, visits: 3, at: 6000},
      {visits: 1, __proto: 2, at: 1},
      none,
      none,
    ]);
    t.is(await store.increment('sequence'), 42);
    await store.setCounters([['new', {counts: byName({visits: 2}), at: 9}]]);
    t.deepEqual(await read(store, ['new'], ['visits']), [{visits: 2, at: 9}], 'with the time of the counter');
  });

  check('counters that were raised in hundreds of combinations are read, removed and set exactly', async (t, store) => {
    const expected: Record<string, number> = {};
    const combination = (index: number): Record<string, number> => ({
      visits: 1,
      [`d${index % 5}`]: 1,
      [`referrer:"\\${index % 90}`]: 1,
      [`country:${index % 7}`]: 1 + (index % 2),
    });
    for (let index = 0; index < 300; index += 1) {
      await count(store, 'a', index + 1, [add('combined', combination(index), index)]);
      for (const [name, n] of Object.entries(combination(index))) expected[name] = (expected[name] ?? 0) + n;
    }
    const {visits, d3, 'country:5': country, 'referrer:"\\3': referrer = 0} = expected;
    for (let times = 0; times < 2; times += 1) {
      const some = await read(store, ['combined'], ['visits', 'd3', 'country:5', 'absent']);
      t.deepEqual(some, [{visits, d3, 'country:5': country, at: 299}]);
      t.deepEqual(await read(store, ['combined']), [{...expected, at: 299}]);
    }
    await count(store, 'a', 301, [add('combined', combination(2), 400)]);
    await store.removeCounters('combined', ['d3', 'country:3']);
    t.deepEqual(await read(store, ['combined'], ['visits']), [{visits: 301, at: 400}]);
    await store.setCounters([['combined', {counts: byName({visits: 5}), at: 500}]]);
    await count(store, 'a', 302, [add('combined', combination(3), 600)]);
    t.deepEqual(await read(store, ['combined'], ['visits', 'd3', 'country:3', 'referrer:"\\3']), [
      {visits: 6, d3: 1, 'country:3': 2, 'referrer:"\\3': referrer + 1, at: 600},
    ]);
  });

  check('every read agrees with itself while many writers raise combinations of counters', async (t, store) => {
    const [writers, batches] = [4, 60];
    let isOver = false;
    const reading = Array.from({length: 3}, async () => {
      for (let before = 0; !isOver;) {
        const [counters] = await store.getCounters(['read']);
        const {visits = 0, ...others} = Object.fromEntries(counters?.counts ?? []);
        t.is(
          Object.values(others).reduce((sum, n) => sum + n, 0),
          2 * visits,
        );
        t.true(visits >= before);
        before = visits;
        await setImmediate();
      }
    });
    const writing = Array.from({length: writers}, async (_, writer) => {
      for (let number = 1; number <= batches; number += 1) {
        const names = {visits: 1, [`d${number % 6}`]: 1, [`referrer:${writer}-${number % 23}`]: 1};
        await count(store, `-w_${writer}`, number, [add('read', names, number), add('unread', names, number)]);
      }
    });
    await Promise.all(writing);
    isOver = true;
    await Promise.all(reading);
    const sum = {visits: writers * batches, at: batches};
    t.deepEqual(await read(store, ['read', 'unread'], ['visits']), [sum, sum]);
  });

  check('counters that are raised while others of their key are removed or set stay exact', async (t, store) => {
    const [writers, rounds] = [3, 12];
    let isOver = false;
    const visiting = Array.from({length: writers}, async (_, writer) => {
      let number = 0;
      while (!isOver) {
        number += 1;
        await count(store, `v_${writer}`, number, [add('raised', {visits: 1, d1: 1, [`from:${number % 5}`]: 1})]);
        await setImmediate();
      }
      return number;
    });
    const selling = Array.from({length: writers}, async (_, writer) => {
      for (let number = 1; number <= rounds; number += 1) {
        const mark = `mark:${writer}-${number}`;
        await count(store, `s_${writer}`, number, [add('raised', {orders: 1, [mark]: 1, value: 124})]);
        // On SQL this moves the amounts of joint rows.
        await store.removeCounters('raised', [mark]);
        await store.setCounters([['raised', {counts: byName({[`set${writer}`]: number}), at: 1}]]);
      }
    });
    await Promise.all(selling);
    isOver = true;
    const visits = (await Promise.all(visiting)).reduce((sum, n) => sum + n, 0);
    const orders = writers * rounds;
    const [{at, ...counters} = {at: undefined}] = (await read(store, ['raised'])) as Array<Record<string, number>>;
    const named = Object.entries(counters);
    const sumOf = (prefix: string): number =>
      named.reduce((sum, [name, n]) => sum + (name.startsWith(prefix) ? n : 0), 0);
    t.like(counters, {visits, d1: visits, orders, value: 124 * orders, set0: rounds, set1: rounds, set2: rounds});
    t.is(sumOf('from:'), visits);
    t.false(named.some(([name]) => name.startsWith('mark:')));
    t.is(at, 1);
  });

  check('a batch that is sent again changes nothing and gets the same result', async (t, store) => {
    const [kept, changed] = [await link(store, 'link:{a}'), await link(store, 'link:{b}')];
    await store.replace('link:{b}', changed.entry.revision, 'other');
    const additions = [visit(kept), visit(changed)];
    t.deepEqual(await count(store, 'a', 7, additions), [true, false]);
    await store.replace('link:{a}', kept.entry.revision, 'other');
    await store.replace('link:{b}', (await linkAt(store, 'link:{b}')).entry.revision, changed.entry.value);
    const again = await Promise.all(Array.from({length: 5}, () => count(store, 'a', 7, additions)));
    // A store that is exact within one process may decide a refused addition again.
    const isCounted = store.guarantee === 'process' && again[0]?.[1] === true;
    t.deepEqual(
      again,
      Array.from({length: 5}, () => [true, isCounted]),
    );
    await count(store, 'a', 6, [add('visits:{a}', {visits: 1})]);
    t.is(await visitsOf(store, 'visits:{a}'), 1);
    t.is(await visitsOf(store, 'visits:{b}'), isCounted ? 1 : 0);
  });

  check('no visit is counted after a change of its link was acknowledged', async (t, store) => {
    for (let round = 0; round < 10; round += 1) {
      const seen = await link(store, `link:{round-${round}}`);
      let counted = 0;
      const visits = Array.from({length: 20}, async (_, index) => {
        const [isCounted] = await count(store, `w-${round}-${index}`, 1, [visit(seen)]);
        if (isCounted === true) counted += 1;
      });
      await store.replace(seen.key, seen.entry.revision, 'changed');
      const atChange = await visitsOf(store, seen.counters);
      await Promise.all(visits);
      t.is(await visitsOf(store, seen.counters), atChange);
      t.is(counted, atChange);
    }
  });
}

interface TestLink {
  readonly key: string;
  readonly counters: string;
  readonly entry: Entry<unknown>;
}

async function link(store: ToolStore, key: string): Promise<TestLink> {
  await store.insert(key, {state: 'active', key});
  return linkAt(store, key);
}

async function linkAt(store: ToolStore, key: string): Promise<TestLink> {
  const entry = await store.get(key);
  if (entry === undefined) throw new Error('The link was inserted before');
  return {key, counters: key.replace('link', 'visits'), entry};
}

function visit({key, counters, entry}: TestLink, at = 1): Addition {
  return {link: {key, revision: entry.revision}, ...add(counters, {visits: 1}, at)};
}

/** The visit also adds to the totals under another key. */
function withTotals({keys, adds, ...rest}: Addition, key: string, totals: Increments): Addition {
  return {...rest, keys: [...keys, key], adds: [...adds, totals]};
}

function add(key: string, what: Increments, at = 1): Addition {
  return {keys: [key], adds: [what], at};
}

function count(
  store: ToolStore,
  writer: string,
  number: number,
  additions: readonly Addition[],
): Promise<readonly boolean[]> {
  return store.count({writer, number, additions});
}

/** The counters of each key, with their time. */
async function read(store: ToolStore, keys: readonly string[], names?: readonly string[]): Promise<object[]> {
  const found = await store.getCounters(keys, names);
  return found.map(({counts, at}) => ({...Object.fromEntries(counts), at}));
}

async function visitsOf(store: ToolStore, key: string): Promise<number> {
  const [counters] = await store.getCounters([key]);
  return counters?.counts.get('visits') ?? 0;
}

function byName(counts: Record<string, number>): Map<string, number> {
  return new Map(Object.entries(counts));
}
