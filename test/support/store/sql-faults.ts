import type {ExecutionContext} from 'ava';
import {Deadline} from '../../../src/store/failing/deadline.ts';
import {eventually} from './eventually.ts';
import {countsOf, keysOf, refused, soon, visit, type SqlEngine, SqlTests} from './sql-engine.ts';
import {TcpProxy} from './tcp-proxy.ts';

/** Tests an SQL driver with a server that is slow, away or refuses. */
export function testSqlFaults(engine: SqlEngine): void {
  const {title, url} = engine;
  const tests = new SqlTests(engine);

  /** A batch whose writer has sent one before and is locked, and a driver whose connections can be broken. */
  async function lockedWriter(t: ExecutionContext) {
    const proxy = await TcpProxy.start(Number(new URL(url).port));
    const [driver, steady] = [tests.driverOf(t, proxy.through(url)), tests.driverOf(t)];
    t.teardown(() => proxy.cut());
    const [counters = '', writer = ''] = keysOf('counters', 'writer');
    const batch = {writer, number: 1, additions: [{keys: [counters], adds: [{visits: 1}], at: 1000}]};
    await driver.count(batch, soon());
    const holder = await tests.holder(t, 'short_url_batches', writer, 'writer');
    return {proxy, driver, steady, counters, batch, holder};
  }

  tests.check(`${title} does not send a statement that got no connection before its deadline`, async (t) => {
    const driver = tests.driverOf(t);
    const [held = '', ...keys] = keysOf('held', ...Array.from({length: 30}, (_, index) => `late-${index}`));
    await driver.insert([[held, 'record']], soon());
    const holder = await tests.holder(t, 'short_url', held);
    // They occupy every connection of the pool.
    const stuck = Array.from({length: 5}, () => driver.replace([held, 'record 2'], 'record', soon()));
    await tests.untilWaiting(5);
    const deadline = new Deadline(1);
    const late = keys.map((key) => driver.insert([[key, 'record']], deadline));
    await t.throwsAsync(deadline.bound(Promise.all(late)), {message: 'No answer within 1 ms'});
    await holder.query('commit');
    t.is((await Promise.all(stuck)).filter(Boolean).length, 1);
    const outcomes = await Promise.allSettled(late);
    t.true(outcomes.every(({status}) => status === 'rejected'));
    t.true((await driver.read(keys, soon())).every((record) => record === undefined));
  });

  tests.check(`${title} closes the connection of a late statement, and goes on`, async (t) => {
    const driver = tests.driverOf(t);
    const [key = ''] = keysOf('held');
    await driver.insert([[key, 'record']], soon());
    const holder = await tests.holder(t, 'short_url', key);
    for (let time = 0; time < 8; time += 1) {
      const deadline = new Deadline(50);
      await t.throwsAsync(deadline.bound(driver.remove(key, deadline)), {message: /No answer/});
    }
    t.deepEqual(await driver.read([key], soon()), ['record']);
    await holder.query('commit');
  });

  tests.check(`${title} counts a batch once although its reply was lost, and reconnects after a cut`, async (t) => {
    const proxy = await TcpProxy.start(Number(new URL(url).port));
    const driver = tests.driverOf(t, proxy.through(url));
    t.teardown(() => proxy.cut());
    const [link = '', counters = ''] = keysOf('link', 'counters');
    await driver.insert([[link, 'record']], soon());
    const batch = {writer: `${link}:w`, number: 1, additions: [visit(link, 'record', counters)]};
    await driver.count(batch, soon());
    proxy.dropAnswers();
    const deadline = new Deadline(500);
    await t.throwsAsync(deadline.bound(driver.count({...batch, number: 2}, deadline)));
    await proxy.cut();
    await t.throwsAsync(driver.ping(soon()));
    await proxy.mend();
    t.deepEqual(await eventually(async () => driver.count({...batch, number: 2}, soon())), [true]);
    t.deepEqual(await countsOf(driver, [counters]), [{visits: 2}]);
    void proxy.endConnections();
    await eventually(async () => driver.ping(soon()));
    t.deepEqual(await driver.count({...batch, number: 3}, soon()), [true]);
  });

  tests.check(`${title} stores all of a batch although its connection breaks while it is being stored`, async (t) => {
    const {proxy, driver, steady, counters, batch, holder} = await lockedWriter(t);
    // The server goes on with a batch whose client is gone, and fails to send its first reply after the lock.
    const deadline = soon();
    const broken = t.throwsAsync(deadline.bound(driver.count({...batch, number: 2}, deadline)));
    await tests.untilWaiting(1);
    await proxy.resetConnections();
    await broken;
    const retry = steady.count({...batch, number: 2}, soon());
    await tests.untilWaiting(2);
    await holder.query('commit');
    t.deepEqual(await retry, [true]);
    t.deepEqual(await countsOf(steady, [counters]), [{visits: 2}]);
  });

  tests.check(
    `${title} changes nothing with a retry whose connection breaks while the first attempt is stored`,
    async (t) => {
      const {proxy, driver, steady, counters, batch, holder} = await lockedWriter(t);
      const first = steady.count({...batch, number: 2}, soon());
      await tests.untilWaiting(1);
      const deadline = soon();
      const broken = t.throwsAsync(deadline.bound(driver.count({...batch, number: 2}, deadline)));
      await tests.untilWaiting(2);
      await proxy.resetConnections();
      await broken;
      await holder.query('commit');
      t.deepEqual(await first, [true]);
      t.deepEqual(await steady.count({...batch, number: 3}, soon()), [true], 'the retry holds no lock');
      t.deepEqual(await countsOf(steady, [counters]), [{visits: 3}]);
    },
  );

  tests.check(`${title} has neither values nor options in its errors`, async (t) => {
    const [key = ''] = keysOf('s3cret');
    const [refusal] = await (await tests.narrowDriver(t)).insert([[key, refused]], soon());
    const absent = new URL(url);
    absent.password = 's3cret';
    absent.pathname = '/absent';
    const failure = await t.throwsAsync(async () => tests.driverOf(t, absent.href).ping(soon()));
    for (const error of [refusal as Error, failure]) {
      t.like(Object.keys(error), ['code', 'errno', 'sqlState']);
      t.truthy((error as {code?: unknown}).code);
      t.notRegex(JSON.stringify([error.message, error.stack, error]), /s3cret|refused record|insert into/);
      t.is(error.cause, undefined);
    }
  });

  tests.check(`${title} sends nothing once it is closed`, async (t) => {
    const driver = engine.open(url, 1000);
    await driver.ping(soon());
    await driver.close();
    await t.throwsAsync(driver.ping(soon()), {message: /is closed$/});
    const unused = engine.open(url, 1000);
    await unused.close();
    await t.throwsAsync(unused.ping(soon()), {message: /is closed$/});
  });
}
