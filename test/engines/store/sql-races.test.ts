/** Several processes that use an SQL server at once. */
import {countsOf, keysOf, soon, sqlEngines, visit} from '../../support/store/sql-engine.ts';

const engines = await sqlEngines();

for (const engine of engines) {
  engine.check('a retry gets the result of the first attempt, which is still under way', async (t) => {
    const driver = engine.driverOf(t);
    const [link = '', counters = ''] = keysOf('link', 'counters');
    await driver.insert([[link, 'record']], soon());
    const batch = {writer: `${link}:w`, number: 1, additions: [visit(link, 'record', counters)]};
    await driver.count(batch, soon());
    const holder = await engine.holder(t, 'short_url_counters', counters);
    const second = {...batch, number: 2};
    const attempts = [driver.count(second, soon())];
    await engine.untilWaiting(1);
    attempts.push(driver.count(second, soon()), driver.count(second, soon()));
    await engine.untilWaiting(3);
    await holder.query('commit');
    t.deepEqual(await Promise.all(attempts), [[true], [true], [true]]);
    t.deepEqual(await countsOf(driver, [counters]), [{visits: 2}]);
  });

  engine.check('a change of a link waits for the visits that are being counted', async (t) => {
    const [driver, changer] = [engine.driverOf(t), engine.driverOf(t)];
    const [link = '', other = '', totals = ''] = keysOf('link', 'other', 'totals');
    await driver.insert([[link, 'record']], soon());
    await driver.count(
      {writer: `${link}:w`, number: 1, additions: [{keys: [totals], adds: [{visits: 1}], at: 1}]},
      soon(),
    );
    const holder = await engine.holder(t, 'short_url_counters', totals);
    const additions = [visit(link, 'record', totals), visit(other, 'record', totals)];
    const counting = driver.count({writer: `${link}:w`, number: 2, additions}, soon());
    await engine.untilWaiting(1);
    let isReplaced = false;
    const replacing = changer.replace([link, 'disabled'], 'record', soon());
    void replacing.then(() => (isReplaced = true));
    await engine.untilWaiting(2);
    t.deepEqual(await changer.insert([[other, 'record']], soon()), [true], 'an absent link is not locked');
    t.false(isReplaced);
    await holder.query('commit');
    t.true(await replacing);
    t.deepEqual(await countsOf(changer, [totals]), [{visits: 2}], 'the change is acknowledged after the count');
    t.deepEqual(await counting, [true, false]);
  });

  engine.check('everything counts exactly once when many batches of many links meet', async (t) => {
    const first = engine.driverOf(t);
    const drivers = [first, engine.driverOf(t), engine.driverOf(t), engine.driverOf(t)];
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

  engine.check('a batch that lost a deadlock is counted again', async (t) => {
    const driver = engine.driverOf(t);
    const [a = '', b = ''] = keysOf('a', 'b');
    const additions = [{keys: [a, b], adds: [{visits: 1}, {visits: 1}], at: 1}];
    await driver.count({writer: a, number: 1, additions}, soon());
    const holder = await engine.holder(t, 'short_url_counters', b);
    const lock = (key: string): Promise<unknown> =>
      holder.query(`update short_url_counters set n = n + 10 where ${engine.keyColumn} = '${key}'`);
    await lock(b);
    const counting = driver.count({writer: a, number: 2, additions}, soon());
    await engine.untilWaiting(1);
    // Each holds a row that the other needs. If this session loses, the batch goes on.
    const isWinner = await lock(a).then(
      () => holder.query('commit').then(() => true),
      () => holder.query('rollback').then(() => false),
    );
    t.deepEqual(await counting, [true]);
    const visits = isWinner ? 12 : 2;
    t.deepEqual(await countsOf(driver, [a, b]), [{visits}, {visits}]);
  });

  engine.check('missing tables are created at any time, once for all callers', async (t) => {
    const first = engine.driverOf(t);
    const drivers = [first, engine.driverOf(t), engine.driverOf(t)];
    const [link = '', counters = ''] = keysOf('link', 'counters');
    for (let round = 1; round <= 8; round += 1) {
      for (const table of ['short_url', 'short_url_counters', 'short_url_batches'])
        await engine.ask(`drop table if exists ${table}`);
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
