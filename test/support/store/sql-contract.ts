import type {Addition} from '../../../src/store/port.ts';
import {run} from './run.ts';
import {countsOf, keysOf, refused, soon, visit, type SqlEngine, SqlTests} from './sql-engine.ts';

/** Tests each operation of an SQL driver on a real server. */
export function testSqlContract(engine: SqlEngine): void {
  const {title, ask} = engine;
  const tests = new SqlTests(engine);

  tests.check(`${title} is remote and stores its records as text`, (t) => {
    const {guarantee, keepsObjects, isRemote} = tests.driverOf(t);
    t.deepEqual({guarantee, keepsObjects, isRemote}, {guarantee: 'store', keepsObjects: false, isRemote: true});
  });

  tests.check(`${title} reads records in the order of the keys, which are case-sensitive`, async (t) => {
    const driver = tests.driverOf(t);
    const [small = '', mixed = '', absent = ''] = keysOf('abc', 'aBc', 'absent');
    t.deepEqual(
      await driver.insert(
        [
          [small, "é “quoted” \\ ' ? record"],
          [mixed, 'other'],
        ],
        soon(),
      ),
      [true, true],
    );
    const expected = ['other', undefined, "é “quoted” \\ ' ? record"];
    t.deepEqual(await driver.read([mixed, absent, small], soon()), expected);
  });

  tests.check(`${title} inserts the records whose keys are absent, and keeps the others`, async (t) => {
    const driver = tests.driverOf(t);
    const [a = '', b = '', c = ''] = keysOf('a', 'b', 'c');
    t.deepEqual(await driver.insert([[b, 'first']], soon()), [true]);
    t.deepEqual(await driver.insert([[b, 'first']], soon()), [false]);
    const rows = [c, b, a].map((key) => [key, 'second'] as const);
    t.deepEqual(await driver.insert(rows, soon()), [true, false, true]);
    t.deepEqual(await driver.read([a, b, c], soon()), ['second', 'first', 'second']);
  });

  tests.check(`${title} inserts the other rows when the server refuses one, and names the refused one`, async (t) => {
    const driver = await tests.narrowDriver(t);
    const [a = '', b = '', c = ''] = keysOf('a', 'b', 'c');
    const rows = [
      [a, '1'],
      [b, refused],
      [c, '3'],
    ] as const;
    const [first, second, third] = await driver.insert(rows, soon());
    t.deepEqual([first, third], [true, true]);
    t.true(second instanceof Error);
    t.deepEqual(await driver.read([a, b, c], soon()), ['1', undefined, '3']);
    t.true((await driver.insert([[b, refused]], soon()))[0] instanceof Error);
  });

  tests.check(`${title} replaces a record only if it is the expected one`, async (t) => {
    const driver = tests.driverOf(t);
    const [key = '', absent = ''] = keysOf('key', 'absent');
    await driver.insert([[key, 'Éa']], soon());
    t.false(await driver.replace(key, 'éA', 'other', soon()));
    t.true(await driver.replace(key, 'Éa', 'Éa', soon()));
    t.true(await driver.replace(key, 'Éa', 'new', soon()));
    t.false(await driver.replace(key, 'Éa', 'Éa', soon()));
    t.false(await driver.replace(absent, 'new', 'newer', soon()));
    t.deepEqual(await driver.read([key, absent], soon()), ['new', undefined]);
    await driver.remove(key, soon());
    await driver.remove(key, soon());
    t.deepEqual(await driver.read([key], soon()), [undefined]);
  });

  tests.check(`${title} adds to the counters of unchanged links, and says which those are`, async (t) => {
    const driver = tests.driverOf(t);
    const [same = '', changed = '', gone = '', counters = '', other = '', totals = ''] = keysOf(
      ...['same', 'changed', 'gone', 'counters', 'other', 'totals'],
    );
    await driver.insert(
      [
        [same, 'record'],
        [changed, 'New'],
      ],
      soon(),
    );
    const add = {visits: 2, 'day:1': 2, 'Day:1': 1};
    const additions: Addition[] = [
      {
        link: {key: same, revision: 'record'},
        counters: [
          {key: counters, add},
          {key: totals, add},
        ],
        at: 2000,
      },
      visit(changed, 'new', other, totals),
      visit(gone, 'record', other, totals),
      {counters: [{key: totals, add: {visits: 1}}], at: 3000},
      visit(same, 'record', counters, totals),
    ];
    t.deepEqual(await driver.count({writer: `${same}:w`, number: 1, additions}, soon()), [
      true,
      false,
      false,
      true,
      true,
    ]);
    t.deepEqual(await countsOf(driver, [totals, other, counters]), [
      {visits: 4, 'day:1': 2, 'Day:1': 1},
      {},
      {visits: 3, 'day:1': 2, 'Day:1': 1},
    ]);
    t.deepEqual(
      (await driver.getCounters([totals, counters, other], ['visits', 'absent'], soon())).map(({at}) => at),
      [3000, 2000, undefined],
    );
    await driver.removeCounters(totals, ['visits', 'day:1', 'absent'], soon());
    t.deepEqual(await countsOf(driver, [totals, counters]), [{'Day:1': 1}, {visits: 3, 'day:1': 2, 'Day:1': 1}]);
    await driver.removeCounters(counters, undefined, soon());
    t.deepEqual(await countsOf(driver, [totals, counters]), [{'Day:1': 1}, {}]);
  });

  tests.check(`${title} keeps the latest time of additions in any order`, async (t) => {
    const driver = tests.driverOf(t);
    const [key = ''] = keysOf('key');
    for (const [index, at] of [5000, 7000, 6000].entries()) {
      await driver.count(
        {writer: key, number: index + 1, additions: [{counters: [{key: key, add: {visits: 1}}], at}]},
        soon(),
      );
    }
    t.is((await driver.getCounters([key], undefined, soon()))[0]?.at, 7000);
  });

  tests.check(`${title} counts a batch once, repeats its result, and ignores a late copy`, async (t) => {
    const driver = tests.driverOf(t);
    const [link = '', gone = '', counters = ''] = keysOf('link', 'gone', 'counters');
    await driver.insert([[link, 'record']], soon());
    const batch = {
      writer: `${link}:w`,
      number: 1,
      additions: [visit(gone, 'x', counters), visit(link, 'record', counters)],
    };
    t.deepEqual(await driver.count(batch, soon()), [false, true]);
    await driver.replace(link, 'record', 'changed', soon());
    await driver.insert([[gone, 'x']], soon());
    t.deepEqual(await driver.count(batch, soon()), [false, true]);
    const second = {
      ...batch,
      number: 2,
      additions: [visit(link, 'record', counters), visit(link, 'changed', counters)],
    };
    t.deepEqual(await driver.count(second, soon()), [false, true]);
    await driver.count(batch, soon());
    t.deepEqual(await driver.count(second, soon()), [false, true]);
    t.deepEqual(await countsOf(driver, [counters]), [{visits: 2}]);
  });

  tests.check(`${title} counts two hundred links of several accounts in one batch`, async (t) => {
    const driver = tests.driverOf(t);
    const links = keysOf(...Array.from({length: 200}, (_, index) => `link-${index}`));
    await driver.insert(
      links.map((key) => [key, 'record']),
      soon(),
    );
    const additions = links.map((key, index) => ({
      link: {key, revision: index === 150 ? 'old' : 'record'},
      counters: [`${key}:visits`, `${run}:totals:${index % 3}`].map((counters) => ({
        key: counters,
        add: {visits: index, 'day:1': 1},
      })),
      at: index,
    }));
    const counted = await driver.count({writer: `${links[0]}:w`, number: 1, additions}, soon());
    t.deepEqual(
      counted,
      links.map((_, index) => index !== 150),
    );
    t.deepEqual(await countsOf(driver, [`${links[7]}:visits`, `${links[150]}:visits`]), [{visits: 7, 'day:1': 1}, {}]);
    const totals = await countsOf(
      driver,
      [0, 1, 2].map((account) => `${run}:totals:${account}`),
    );
    t.is(
      totals.reduce((sum, {visits = 0}) => sum + visits, 0),
      (199 * 200) / 2 - 150,
    );
  });

  tests.check(`${title} deletes batches after a day, when a new writer comes`, async (t) => {
    const driver = tests.driverOf(t);
    const [old = '', young = '', next = ''] = keysOf('old', 'young', 'next');
    const additions = [{counters: [{key: old, add: {visits: 1}}], at: 1}];
    for (const writer of [old, young]) await driver.count({writer, number: 1, additions}, soon());
    await ask(`update short_url_batches set at = '2020-01-01' where writer = '${old}'`);
    await driver.count({writer: young, number: 2, additions}, soon());
    const writers = async (): Promise<unknown[]> =>
      (await ask(`select writer from short_url_batches where writer in ('${old}', '${young}', '${next}')`)).map(
        ({writer}) => writer,
      );
    t.is((await writers()).length, 2);
    await driver.count({writer: next, number: 1, additions}, soon());
    t.deepEqual((await writers()).toSorted(), [next, young].toSorted());
  });
}
