import test, {type ExecutionContext} from 'ava';
import {Deadline} from '../../src/store/deadline.ts';
import type {MysqlDriver} from '../../src/store/mysql.ts';
import type {Addition} from '../../src/store/port.ts';
import type {PostgresDriver} from '../../src/store/postgres.ts';
import {run} from './run.ts';
import {eventually} from './eventually.ts';
import {TcpProxy} from './tcp-proxy.ts';

type Driver = MysqlDriver | PostgresDriver;

/** A connection of a test's own. */
interface Session {
  query(text: string): Promise<unknown>;
  end(): Promise<void>;
}

export interface SqlEngine {
  readonly title: string;
  /** A database of the test's own. */
  readonly url: string;
  readonly skip: string | undefined;
  readonly keyColumn: 'key' | 'id';
  /** A driver with a pool of its own. */
  readonly open: (url: string, timeout: number, table?: string) => Driver;
  readonly connect: () => Promise<Session>;
  readonly ask: (text: string) => Promise<Array<Record<string, unknown>>>;
  /** The statements of the test's database that wait for a lock. */
  readonly waiting: () => Promise<number>;
}

/** So that a machine with more to do than these tests does not fail them, in milliseconds. */
const timeout = 20_000;

/** More than a column of thirty characters holds. */
const refused = 'A refused record, which is too long';

const soon = (): Deadline => new Deadline(timeout);

/** States the contract of a driver on an SQL server, against a real one. */
export function testSqlDriver({title, url, skip, keyColumn, open, connect, ask, waiting}: SqlEngine): void {
  const check = skip === undefined ? test.serial : test.serial.skip;
  let number = 0;

  function driverOf(t: ExecutionContext, address = url): Driver {
    const driver = open(address, timeout);
    t.teardown(() => driver.close());
    return driver;
  }

  /** A driver over a table of the host's whose records have thirty characters at most. */
  async function narrowDriver(t: ExecutionContext): Promise<Driver> {
    await ask(`create table if not exists narrow (${keyColumn} varchar(255) primary key, value varchar(30))`);
    const driver = open(url, timeout, 'narrow');
    t.teardown(() => driver.close());
    return driver;
  }

  /** Keys of this test alone. */
  function keysOf(...names: string[]): string[] {
    number += 1;
    return names.map((name) => `${run}:${number}:${name}`);
  }

  async function session(t: ExecutionContext): Promise<Session> {
    const own = await connect();
    t.teardown(() => own.end());
    return own;
  }

  async function untilWaiting(count: number): Promise<void> {
    await eventually(async () => {
      const now = await waiting();
      if (now !== count) throw new Error(`${now} statements wait, not ${count}`);
    });
  }

  async function countsOf(driver: Driver, keys: readonly string[]): Promise<Array<Record<string, number>>> {
    const counters = await driver.getCounters(keys, undefined, soon());
    return counters.map(({counts}) => Object.fromEntries(counts));
  }

  function visit(key: string, revision: unknown, ...counters: string[]): Addition {
    return {link: {key, revision}, counters, add: {visits: 1}, at: 1000};
  }

  check(`${title} keeps text that is read by other processes, and works at a distance`, (t) => {
    const {guarantee, keepsObjects, isRemote} = driverOf(t);
    t.deepEqual({guarantee, keepsObjects, isRemote}, {guarantee: 'store', keepsObjects: false, isRemote: true});
  });

  check(`${title} reads records in the order of the keys, which differ by case`, async (t) => {
    const driver = driverOf(t);
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

  check(`${title} inserts the records whose keys are absent, and keeps the others`, async (t) => {
    const driver = driverOf(t);
    const [a = '', b = '', c = ''] = keysOf('a', 'b', 'c');
    t.deepEqual(await driver.insert([[b, 'first']], soon()), [true]);
    t.deepEqual(await driver.insert([[b, 'first']], soon()), [false]);
    const rows = [c, b, a].map((key) => [key, 'second'] as const);
    t.deepEqual(await driver.insert(rows, soon()), [true, false, true]);
    t.deepEqual(await driver.read([a, b, c], soon()), ['second', 'first', 'second']);
  });

  check(`${title} inserts each of fifty records once when several pools race for them`, async (t) => {
    const drivers = [driverOf(t), driverOf(t), driverOf(t)];
    const keys = keysOf(...Array.from({length: 50}, (_, index) => `record-${index}`));
    const results = await Promise.all(
      drivers.flatMap((driver, index) => [
        driver.insert(
          keys.map((key) => [key, `${index}`]),
          soon(),
        ),
        driver.insert(
          keys.toReversed().map((key) => [key, `${index}`]),
          soon(),
        ),
      ]),
    );
    const inserted = results.flatMap((result, index) =>
      (index % 2 === 0 ? keys : keys.toReversed()).filter((_, place) => result[place] === true),
    );
    t.deepEqual(inserted.toSorted(), keys.toSorted());
  });

  check(`${title} inserts the other rows when the server refuses one, and says which`, async (t) => {
    const driver = await narrowDriver(t);
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
    await t.throwsAsync(async () => driver.insert([[b, refused]], soon()));
  });

  check(`${title} replaces a record only if it is the expected one`, async (t) => {
    const driver = driverOf(t);
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

  check(`${title} lets one of many replace a record`, async (t) => {
    const [driver, other] = [driverOf(t), driverOf(t)];
    const [key = ''] = keysOf('key');
    await driver.insert([[key, 'old']], soon());
    const racers = Array.from({length: 10}, (_, index) => [
      driver.replace(key, 'old', `${index}`, soon()),
      other.replace(key, 'old', `other ${index}`, soon()),
    ]);
    t.is((await Promise.all(racers.flat())).filter(Boolean).length, 1);
  });

  check(`${title} never gives a number of a sequence twice`, async (t) => {
    const drivers = [driverOf(t), driverOf(t), driverOf(t)];
    const [a = '', b = '', c = ''] = keysOf('a', 'b', 'c');
    t.deepEqual(await drivers[0]?.increment([[c, 3]], soon()), [3]);
    const sums = await Promise.all(
      Array.from({length: 30}, async (_, index) => {
        const keys = index % 2 === 0 ? [a, b, c] : [c, b, a];
        const numbers = await drivers[index % 3]?.increment(
          keys.map((key) => [key, key === c ? 2 : 1]),
          soon(),
        );
        return keys.map((key, place) => `${key} ${numbers?.[place]}`);
      }),
    );
    const expected = Array.from({length: 30}, (_, index) => [
      `${a} ${index + 1}`,
      `${b} ${index + 1}`,
      `${c} ${2 * index + 5}`,
    ]);
    t.deepEqual(sums.flat().toSorted(), expected.flat().toSorted());
    t.is((await drivers[0]?.getCounters([a], ['next'], soon()))?.[0]?.at, undefined);
  });

  check(`${title} adds to the counters of links that are unchanged, and says which`, async (t) => {
    const driver = driverOf(t);
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
      {link: {key: same, revision: 'record'}, counters: [counters, totals], add, at: 2000},
      visit(changed, 'new', other, totals),
      visit(gone, 'record', other, totals),
      {counters: [totals], add: {visits: 1}, at: 3000},
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
  });

  check(`${title} keeps the latest time of additions that come in any order`, async (t) => {
    const driver = driverOf(t);
    const [key = ''] = keysOf('key');
    for (const [index, at] of [5000, 7000, 6000].entries()) {
      await driver.count(
        {writer: key, number: index + 1, additions: [{counters: [key], add: {visits: 1}, at}]},
        soon(),
      );
    }
    t.is((await driver.getCounters([key], undefined, soon()))[0]?.at, 7000);
  });

  check(`${title} takes a batch once, gives its result again, and takes no late twin`, async (t) => {
    const driver = driverOf(t);
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

  check(`${title} gives a retry the result of a first attempt that is still under way`, async (t) => {
    const driver = driverOf(t);
    const [link = '', counters = ''] = keysOf('link', 'counters');
    await driver.insert([[link, 'record']], soon());
    const batch = {writer: `${link}:w`, number: 1, additions: [visit(link, 'record', counters)]};
    await driver.count(batch, soon());
    const holder = await session(t);
    await holder.query('begin');
    await holder.query(`select n from keyv_counters where ${keyColumn} = '${counters}' for update`);
    const second = {...batch, number: 2};
    const attempts = [driver.count(second, soon())];
    await untilWaiting(1);
    attempts.push(driver.count(second, soon()), driver.count(second, soon()));
    await untilWaiting(3);
    await holder.query('commit');
    t.deepEqual(await Promise.all(attempts), [[true], [true], [true]]);
    t.deepEqual(await countsOf(driver, [counters]), [{visits: 2}]);
  });

  check(`${title} counts nothing for a link after its change was acknowledged`, async (t) => {
    const writers = [driverOf(t), driverOf(t), driverOf(t)];
    const changer = driverOf(t);
    const [link = '', counters = '', totals = ''] = keysOf('link', 'counters', 'totals');
    await changer.insert([[link, '0']], soon());
    const over = new AbortController();
    let counted = 0;
    const enabled = async (driver: Driver): Promise<string> => {
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
    for (let round = 0; round < 40; round += 1) {
      t.true(await changer.replace(link, `${round}`, 'disabled', soon()));
      const atOnce = await total();
      const additions = [visit(link, `${round}`, counters, totals)];
      t.deepEqual(await changer.count({writer: `${link}:c`, number: round + 1, additions}, soon()), [false]);
      t.is(await total(), atOnce);
      t.true(await changer.replace(link, 'disabled', `${round + 1}`, soon()));
    }
    over.abort();
    await Promise.all(counting);
    t.deepEqual(await countsOf(changer, [counters, totals]), [{visits: counted}, {visits: counted}]);
  });

  check(`${title} makes a change of a link wait for the visits that are being counted`, async (t) => {
    const [driver, changer] = [driverOf(t), driverOf(t)];
    const [link = '', other = '', totals = ''] = keysOf('link', 'other', 'totals');
    await driver.insert([[link, 'record']], soon());
    await driver.count(
      {writer: `${link}:w`, number: 1, additions: [{counters: [totals], add: {visits: 1}, at: 1}]},
      soon(),
    );
    const holder = await session(t);
    await holder.query('begin');
    await holder.query(`select n from keyv_counters where ${keyColumn} = '${totals}' for update`);
    const additions = [visit(link, 'record', totals), visit(other, 'record', totals)];
    const counting = driver.count({writer: `${link}:w`, number: 2, additions}, soon());
    await untilWaiting(1);
    let isReplaced = false;
    const replacing = changer.replace(link, 'record', 'disabled', soon());
    void replacing.then(() => (isReplaced = true));
    await untilWaiting(2);
    t.deepEqual(await changer.insert([[other, 'record']], soon()), [true], 'a link that was absent is not locked');
    t.false(isReplaced);
    await holder.query('commit');
    t.true(await replacing);
    t.deepEqual(await countsOf(changer, [totals]), [{visits: 2}], 'the change is acknowledged after the count');
    t.deepEqual(await counting, [true, false]);
  });

  check(`${title} counts two hundred links of several accounts in one batch`, async (t) => {
    const driver = driverOf(t);
    const links = keysOf(...Array.from({length: 200}, (_, index) => `link-${index}`));
    await driver.insert(
      links.map((key) => [key, 'record']),
      soon(),
    );
    const additions = links.map((key, index) => ({
      link: {key, revision: index === 150 ? 'old' : 'record'},
      counters: [`${key}:visits`, `${run}:totals:${index % 3}`],
      add: {visits: index, 'day:1': 1},
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

  check(`${title} loses and doubles nothing when many batches of many links meet`, async (t) => {
    const first = driverOf(t);
    const drivers = [first, driverOf(t), driverOf(t), driverOf(t)];
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

  check(`${title} counts a batch again that lost a deadlock`, async (t) => {
    const driver = driverOf(t);
    const [a = '', b = ''] = keysOf('a', 'b');
    const additions = [{counters: [a, b], add: {visits: 1}, at: 1}];
    await driver.count({writer: a, number: 1, additions}, soon());
    const holder = await session(t);
    await holder.query('begin');
    const lock = (key: string): Promise<unknown> =>
      holder.query(`update keyv_counters set n = n + 10 where ${keyColumn} = '${key}'`);
    await lock(b);
    const counting = driver.count({writer: a, number: 2, additions}, soon());
    await untilWaiting(1);
    // Each has a row that the other one wants. If this session loses, the batch goes on.
    const isWinner = await lock(a).then(
      () => holder.query('commit').then(() => true),
      () => holder.query('rollback').then(() => false),
    );
    t.deepEqual(await counting, [true]);
    const visits = isWinner ? 12 : 2;
    t.deepEqual(await countsOf(driver, [a, b]), [{visits}, {visits}]);
  });

  check(`${title} forgets batches after a day, when a new writer comes`, async (t) => {
    const driver = driverOf(t);
    const [old = '', young = '', next = ''] = keysOf('old', 'young', 'next');
    const additions = [{counters: [old], add: {visits: 1}, at: 1}];
    for (const writer of [old, young]) await driver.count({writer, number: 1, additions}, soon());
    await ask(`update keyv_batches set at = '2020-01-01' where writer = '${old}'`);
    await driver.count({writer: young, number: 2, additions}, soon());
    const writers = async (): Promise<unknown[]> =>
      (await ask(`select writer from keyv_batches where writer in ('${old}', '${young}', '${next}')`)).map(
        ({writer}) => writer,
      );
    t.is((await writers()).length, 2);
    await driver.count({writer: next, number: 1, additions}, soon());
    t.deepEqual((await writers()).toSorted(), [next, young].toSorted());
  });

  check(`${title} creates tables that are missing, at any time and once for all callers`, async (t) => {
    const first = driverOf(t);
    const drivers = [first, driverOf(t), driverOf(t)];
    const [link = '', counters = ''] = keysOf('link', 'counters');
    for (let round = 1; round <= 8; round += 1) {
      await ask('drop table if exists keyv');
      await ask('drop table if exists keyv_counters');
      await ask('drop table if exists keyv_batches');
      const additions = [{counters: [counters], add: {visits: 1}, at: 1}];
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

  check(`${title} never sends a statement that had no connection before its deadline`, async (t) => {
    const driver = driverOf(t);
    const [held = '', ...keys] = keysOf('held', ...Array.from({length: 30}, (_, index) => `late-${index}`));
    await driver.insert([[held, 'record']], soon());
    const holder = await session(t);
    await holder.query('begin');
    await holder.query(`select ${keyColumn} from keyv where ${keyColumn} = '${held}' for update`);
    // They take every connection of the pool.
    const stuck = Array.from({length: 5}, () => driver.replace(held, 'record', 'record 2', soon()));
    await untilWaiting(5);
    const deadline = new Deadline(1);
    const late = keys.map((key) => driver.insert([[key, 'record']], deadline));
    await t.throwsAsync(deadline.bound(Promise.all(late)), {message: 'No answer within 1 ms'});
    await holder.query('commit');
    t.is((await Promise.all(stuck)).filter(Boolean).length, 1);
    const outcomes = await Promise.allSettled(late);
    t.true(outcomes.every(({status}) => status === 'rejected'));
    t.true((await driver.read(keys, soon())).every((record) => record === undefined));
  });

  check(`${title} lets go of a connection whose statement is late, and works on`, async (t) => {
    const driver = driverOf(t);
    const [key = ''] = keysOf('held');
    await driver.insert([[key, 'record']], soon());
    const holder = await session(t);
    await holder.query('begin');
    await holder.query(`select ${keyColumn} from keyv where ${keyColumn} = '${key}' for update`);
    for (let time = 0; time < 8; time += 1) {
      const deadline = new Deadline(50);
      await t.throwsAsync(deadline.bound(driver.remove(key, deadline)), {message: /No answer/});
    }
    t.deepEqual(await driver.read([key], soon()), ['record']);
    await holder.query('commit');
  });

  check(`${title} counts a batch once whose reply was lost, and finds the server again after a cut`, async (t) => {
    const proxy = await TcpProxy.start(Number(new URL(url).port));
    const through = new URL(url);
    through.port = `${proxy.port}`;
    const driver = driverOf(t, through.href);
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
    proxy.endConnections();
    await eventually(async () => driver.ping(soon()));
    t.deepEqual(await driver.count({...batch, number: 3}, soon()), [true]);
  });

  check(`${title} tells neither values nor options in its errors`, async (t) => {
    const [key = ''] = keysOf('s3cret');
    const refusal = await t.throwsAsync(async () => (await narrowDriver(t)).insert([[key, refused]], soon()));
    const absent = new URL(url);
    absent.password = 's3cret';
    absent.pathname = '/absent';
    const failure = await t.throwsAsync(async () => driverOf(t, absent.href).ping(soon()));
    for (const error of [refusal, failure]) {
      t.like(Object.keys(error), ['code', 'errno', 'sqlState']);
      t.truthy((error as {code?: unknown}).code);
      t.notRegex(JSON.stringify([error.message, error.stack, error]), /s3cret|refused record|insert into/);
      t.is(error.cause, undefined);
    }
  });

  check(`${title} sends nothing once it is closed`, async (t) => {
    const driver = open(url, timeout);
    await driver.ping(soon());
    await driver.close();
    await t.throwsAsync(driver.ping(soon()), {message: /is closed$/});
    const unused = open(url, timeout);
    await unused.close();
    await t.throwsAsync(unused.ping(soon()), {message: /is closed$/});
  });
}
