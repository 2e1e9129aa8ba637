import {countsOf, keysOf, soon, visit, type SqlDriver, type SqlEngine, SqlTests} from './sql-engine.ts';

/** Tests several processes that use an SQL server at once. */
export function testSqlRaces(engine: SqlEngine): void {
  const {title, keyColumn, ask} = engine;
  const tests = new SqlTests(engine);

  tests.check(`${title} gives a retry the result of the first attempt, which is still under way`, async (t) => {
    const driver = tests.driverOf(t);
    const [link = '', counters = ''] = keysOf('link', 'counters');
    await driver.insert([[link, 'record']], soon());
    const batch = {writer: `${link}:w`, number: 1, additions: [visit(link, 'record', counters)]};
    await driver.count(batch, soon());
    const holder = await tests.holder(t, 'short_url_counters', counters);
    const second = {...batch, number: 2};
    const attempts = [driver.count(second, soon())];
    await tests.untilWaiting(1);
    attempts.push(driver.count(second, soon()), driver.count(second, soon()));
    await tests.untilWaiting(3);
    await holder.query('commit');
    t.deepEqual(await Promise.all(attempts), [[true], [true], [true]]);
    t.deepEqual(await countsOf(driver, [counters]), [{visits: 2}]);
  });

  tests.check(`${title} counts nothing for a link after its change was acknowledged`, async (t) => {
    const writers = [tests.driverOf(t), tests.driverOf(t), tests.driverOf(t)];
    const changer = tests.driverOf(t);
    const [link = '', counters = '', totals = ''] = keysOf('link', 'counters', 'totals');
    await changer.insert([[link, '0']], soon());
    const over = new AbortController();
    let counted = 0;
    const enabled = async (driver: SqlDriver): Promise<string> => {
      for (;;) {
        const record = String((await driver.read([link], soon()))[0]);
        if (record !== 'disabled') return record;
      }
    };
    const counting = writers.map(async (driver, index) => {
      for (let batch = 1, revision = '0'; !over.signal.aborted; batch += 1) {
        const additions = [visit(link, revision, counters, totals)];
        const [isCounted] = await driver.count({writer: `${link}:${index}`, number: batch, additions}, soon());
        if (isCounted) counted += 1;
        else revision = await enabled(driver);
      }
    });
    const total = async (): Promise<unknown> => (await countsOf(changer, [totals]))[0]?.['visits'];
    const visitBy = (number: number, revision: string): Promise<readonly boolean[]> => {
      const additions = [visit(link, revision, counters, totals)];
      return changer.count({writer: `${link}:c`, number, additions}, soon());
    };
    for (let round = 0; round < 40; round += 1) {
      t.true(await changer.replace([link, 'disabled'], `${round}`, soon()));
      const atOnce = await total();
      t.deepEqual(await visitBy(2 * round + 1, `${round}`), [false]);
      t.is(await total(), atOnce);
      t.true(await changer.replace([link, `${round + 1}`], 'disabled', soon()));
      t.deepEqual(await visitBy(2 * round + 2, `${round + 1}`), [true]);
      counted += 1;
    }
    over.abort();
    await Promise.all(counting);
    t.deepEqual(await countsOf(changer, [counters, totals]), [{visits: counted}, {visits: counted}]);
  });

  tests.check(`${title} makes a change of a link wait for the visits that are being counted`, async (t) => {
    const [driver, changer] = [tests.driverOf(t), tests.driverOf(t)];
    const [link = '', other = '', totals = ''] = keysOf('link', 'other', 'totals');
    await driver.insert([[link, 'record']], soon());
    await driver.count(
      {writer: `${link}:w`, number: 1, additions: [{keys: [totals], adds: [{visits: 1}], at: 1}]},
      soon(),
    );
    const holder = await tests.holder(t, 'short_url_counters', totals);
    const additions = [visit(link, 'record', totals), visit(other, 'record', totals)];
    const counting = driver.count({writer: `${link}:w`, number: 2, additions}, soon());
    await tests.untilWaiting(1);
    let isReplaced = false;
    const replacing = changer.replace([link, 'disabled'], 'record', soon());
    void replacing.then(() => (isReplaced = true));
    await tests.untilWaiting(2);
    t.deepEqual(await changer.insert([[other, 'record']], soon()), [true], 'an absent link is not locked');
    t.false(isReplaced);
    await holder.query('commit');
    t.true(await replacing);
    t.deepEqual(await countsOf(changer, [totals]), [{visits: 2}], 'the change is acknowledged after the count');
    t.deepEqual(await counting, [true, false]);
  });

  tests.check(`${title} counts everything exactly once when many batches of many links meet`, async (t) => {
    const first = tests.driverOf(t);
    const drivers = [first, tests.driverOf(t), tests.driverOf(t), tests.driverOf(t)];
    const links = keysOf(...Array.from({length: 12}, (_, index) => `link-${index}`));
    const [totals = ''] = keysOf('totals');
    await first.insert(
      links.map((key) => [key, 'record']),
      soon(),
    );
    const counted = await Promise.all(
      drivers.map(async (driver, writer) => {
        let sum = 0;
        for (let batch = 1; batch <= 25; batch += 1) {
          const shifted = [...links.slice(batch % 12), ...links.slice(0, batch % 12)];
          const additions = shifted.map((key) => visit(key, 'record', `${key}:visits`, totals));
          const sent = {writer: `${totals}:${writer}`, number: batch, additions};
          const [result] = await Promise.all([driver.count(sent, soon()), driver.count(sent, soon())]);
          sum += result.filter(Boolean).length;
        }
        return sum;
      }),
    );
    t.is(
      counted.reduce((one, other) => one + other),
      4 * 25 * 12,
    );
    t.deepEqual(await countsOf(first, [totals]), [{visits: 4 * 25 * 12}]);
  });

  tests.check(`${title} counts a batch again that lost a deadlock`, async (t) => {
    const driver = tests.driverOf(t);
    const [a = '', b = ''] = keysOf('a', 'b');
    const additions = [{keys: [a, b], adds: [{visits: 1}, {visits: 1}], at: 1}];
    await driver.count({writer: a, number: 1, additions}, soon());
    const holder = await tests.holder(t, 'short_url_counters', b);
    const lock = (key: string): Promise<unknown> =>
      holder.query(`update short_url_counters set n = n + 10 where ${keyColumn} = '${key}'`);
    await lock(b);
    const counting = driver.count({writer: a, number: 2, additions}, soon());
    await tests.untilWaiting(1);
    // Each holds a row that the other needs. If this session loses, the batch goes on.
    const isWinner = await lock(a).then(
      () => holder.query('commit').then(() => true),
      () => holder.query('rollback').then(() => false),
    );
    t.deepEqual(await counting, [true]);
    const visits = isWinner ? 12 : 2;
    t.deepEqual(await countsOf(driver, [a, b]), [{visits}, {visits}]);
  });

  tests.check(`${title} creates missing tables at any time, once for all callers`, async (t) => {
    const first = tests.driverOf(t);
    const drivers = [first, tests.driverOf(t), tests.driverOf(t)];
    const [link = '', counters = ''] = keysOf('link', 'counters');
    for (let round = 1; round <= 8; round += 1) {
      await ask('drop table if exists short_url');
      await ask('drop table if exists short_url_counters');
      await ask('drop table if exists short_url_batches');
      const additions = [{keys: [counters], adds: [{visits: 1}], at: 1}];
      const results = await Promise.all(
        drivers.flatMap((driver, index) => [
          driver.insert([[`${link}:${index}`, 'record']], soon()),
          driver.increment([[link, 1]], soon()),
          driver.count({writer: `${link}:${index}`, number: round, additions}, soon()),
          driver.read([`${link}:absent`], soon()),
          driver.ping(soon()),
        ]),
      );
      t.deepEqual(
        [0, 1, 2].map((index) => [results[5 * index], results[5 * index + 2], results[5 * index + 3]]),
        [0, 1, 2].map(() => [[true], [true], [undefined]]),
      );
      t.deepEqual(await countsOf(first, [counters, link]), [{visits: 3}, {next: 3}]);
    }
  });
}
