import type {ExecutionContext} from 'ava';
import {Deadline} from '../../../src/store/failing/deadline.ts';
import {eventually} from './eventually.ts';
import {countsOf, keysOf, soon, visit, type SqlEngine, SqlTests} from './sql-engine.ts';
import {TcpProxy} from './tcp-proxy.ts';

/** Tests an SQL driver with a server that is slow, away or refuses. */
export function testSqlFaults(engine: SqlEngine): void {
  const {title, url} = engine;
  const tests = new SqlTests(engine);

  /** A batch whose writer has sent one before and is locked, and a driver whose connections can be broken. */
  async function lockedWriter(t: ExecutionContext) {
    const proxy = await TcpProxy.start(t, Number(new URL(url).port));
    const [driver, steady] = [tests.driverOf(t, proxy.through(url)), tests.driverOf(t)];
    const [counters = '', writer = ''] = keysOf('counters', 'writer');
    const batch = {writer, number: 1, additions: [{keys: [counters], adds: [{visits: 1}], at: 1000}]};
    await driver.count(batch, soon());
    const holder = await tests.holder(t, 'short_url_batches', writer, 'writer');
    return {proxy, driver, steady, counters, batch, holder};
  }

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
    const proxy = await TcpProxy.start(t, Number(new URL(url).port));
    const driver = tests.driverOf(t, proxy.through(url));
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
}
