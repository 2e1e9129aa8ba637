import {countsOf, keysOf, refused, soon, type SqlEngine, SqlTests} from './sql-engine.ts';

/** Tests what is special about SQL servers. The conformance suite has the operations themselves. */
export function testSqlContract(engine: SqlEngine): void {
  const {title, ask} = engine;
  const tests = new SqlTests(engine);

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
    t.false(await driver.replace([key, 'other'], 'éA', soon()));
    t.true(await driver.replace([key, 'Éa'], 'Éa', soon()));
    t.true(await driver.replace([key, 'new'], 'Éa', soon()));
    t.false(await driver.replace([key, 'Éa'], 'Éa', soon()));
    t.false(await driver.replace([absent, 'newer'], 'new', soon()));
    t.deepEqual(await driver.read([key, absent], soon()), ['new', undefined]);
    await driver.remove(key, soon());
    await driver.remove(key, soon());
    t.deepEqual(await driver.read([key], soon()), [undefined]);
  });

  tests.check(`${title} tells links and counters apart that differ only in case or accents`, async (t) => {
    const driver = tests.driverOf(t);
    const [link = '', counters = ''] = keysOf('link', 'counters');
    await driver.insert([[link, 'Été']], soon());
    const add = {visits: 2, 'day:1': 2, 'Day:1': 1};
    const additions = ['été', 'Ete', 'Été'].map((revision) => ({
      link: {key: link, revision},
      keys: [counters],
      adds: [add],
      at: 2000,
    }));
    t.deepEqual(await driver.count({writer: `${link}:w`, number: 1, additions}, soon()), [false, false, true]);
    t.deepEqual(await countsOf(driver, [counters]), [add]);
    await driver.removeCounters(counters, ['day:1'], soon());
    t.deepEqual(await countsOf(driver, [counters]), [{visits: 2, 'Day:1': 1}]);
  });

  tests.check(`${title} deletes batches after a day, when a new writer comes`, async (t) => {
    const driver = tests.driverOf(t);
    const [old = '', young = '', next = ''] = keysOf('old', 'young', 'next');
    const additions = [{keys: [old], adds: [{visits: 1}], at: 1}];
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
