/** What is special about SQL servers. The conformance suite has the operations themselves. */
import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';
import {MysqlConnection} from '../../../src/store/engines/mysql/connection.ts';
import {MysqlDriver} from '../../../src/store/engines/mysql/driver.ts';
import {mysqlOptions} from '../../../src/store/engines/mysql/open.ts';
import {PostgresConnection} from '../../../src/store/engines/postgres/connection.ts';
import {PostgresDriver} from '../../../src/store/engines/postgres/driver.ts';
import {postgresOptions} from '../../../src/store/engines/postgres/open.ts';
import {countsOf, keysOf, soon, sqlEngines, timeout, visit} from '../../support/store/sql-engine.ts';
import {TcpProxy} from '../../support/store/tcp-proxy.ts';

const engines = await sqlEngines();

interface ParserCache {
  getParser(...given: unknown[]): unknown;
}

/** Counts the parsers of rows that `mysql2` compiles. It has no public way to learn that. */
function countParsers(): () => number {
  const {resolve} = createRequire(import.meta.url);
  const path = join(dirname(resolve('mysql2/package.json')), 'lib/parsers/parser_cache.js');
  const cache = createRequire(import.meta.url)(path) as ParserCache;
  const getParser = cache.getParser.bind(cache);
  let compiled = 0;
  cache.getParser = (...given) => {
    const compile = given.at(-1) as (...values: unknown[]) => unknown;
    const counting = (...values: unknown[]): unknown => {
      compiled += 1;
      return compile(...values);
    };
    return getParser(...given.slice(0, -1), counting);
  };
  return () => compiled;
}

const compiledParsers = countParsers();

for (const engine of engines) {
  engine.check('the other rows are stored when the server refuses one, and the refused one is named', async (t) => {
    const driver = await engine.narrowDriver(t);
    for (const refused of engine.refused) {
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
      t.true((await driver.replace([a, refused], '1', soon())) instanceof Error);
      t.true(await driver.replace([a, '2'], '1', soon()));
      const changes = [
        [[c, '4'], '3'],
        [[a, refused], '2'],
        [[b, '3'], '2'],
      ] as const;
      const [replaced, named, missing] = await driver.replaceMany(changes, soon());
      t.deepEqual([replaced, missing], [true, false]);
      t.true(named instanceof Error);
      t.deepEqual(await driver.read([a, b, c], soon()), ['2', undefined, '4']);
    }
  });

  engine.check('of records that are replaced together, those that have changed stay', async (t) => {
    const driver = engine.driverOf(t);
    const [a = '', b = '', c = '', d = ''] = keysOf('a', 'b', 'c', 'd');
    const rows = [a, b, c].map((key) => [key, `${key} 1`] as const);
    await driver.insert(rows, soon());
    const changes = [
      [[d, 'new'], 'record'],
      [[c, `${c} 1`], `${c} 1`],
      [[b, `${b} 2`], `${b} 0`],
      [[a, `${a} 2`, 60_000], `${a} 1`],
    ] as const;
    t.deepEqual(await driver.replaceMany(changes, soon()), [false, true, false, true]);
    t.deepEqual(await driver.read([a, b, c, d], soon()), [`${a} 2`, `${b} 1`, `${c} 1`, undefined]);
  });

  engine.check('of processes that replace the same records together, one replaces each', async (t) => {
    const drivers = [engine.driverOf(t), engine.driverOf(t), engine.driverOf(t)];
    const [first = engine.driverOf(t)] = drivers;
    const keys = keysOf(...Array.from({length: 12}, (_, index) => `record-${index}`));
    await first.insert(
      keys.map((key) => [key, '0']),
      soon(),
    );
    let records = keys.map(() => '0');
    for (let round = 1; round <= 10; round += 1) {
      const replaced = await Promise.all(
        drivers.map((driver, index) => {
          const changes = keys.map((key, place) => [[key, `${round} ${index}`], records[place]] as const);
          return driver.replaceMany(changes.toReversed(), soon());
        }),
      );
      t.is(replaced.flat().filter((isReplaced) => isReplaced === true).length, keys.length);
      records = (await first.read(keys, soon())) as string[];
    }
  });

  engine.check('links and counters that differ only in case or accents are told apart', async (t) => {
    const driver = engine.driverOf(t);
    const [link = '', counters = ''] = keysOf('link', 'counters');
    await driver.insert([[link, 'Été']], soon());
    t.false(await driver.replace([link, 'other'], 'éTÉ', soon()));
    t.true(await driver.replace([link, 'Été'], 'Été', soon()));
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

  engine.check('a writer is forgotten a day after its last batch, when a new one comes', async (t) => {
    const driver = engine.driverOf(t);
    const [old = '', young = '', next = ''] = keysOf('old', 'young', 'next');
    const additions = [{keys: [old], adds: [{visits: 1}], at: 1}];
    for (const writer of [old, young]) await driver.count({writer, number: 1, additions}, soon());
    await engine.ask(`update short_url_batches set at = '2020-01-01' where writer in ('${old}', '${young}')`);
    await driver.count({writer: young, number: 2, additions}, soon());
    const writers = async (): Promise<unknown[]> => {
      const text = `select writer from short_url_batches where writer in ('${old}', '${young}', '${next}')`;
      return (await engine.ask(text)).map(({writer}) => writer).toSorted();
    };
    t.is((await writers()).length, 2);
    await driver.count({writer: next, number: 1, additions}, soon());
    t.deepEqual(await writers(), [next, young].toSorted());
  });

  engine.check('all of a batch is stored although its connection breaks while it is being stored', async (t) => {
    const proxy = await TcpProxy.start(t, Number(new URL(engine.url).port));
    const [driver, steady] = [engine.driverOf(t, {url: proxy.through(engine.url)}), engine.driverOf(t)];
    const [counters = '', writer = ''] = keysOf('counters', 'writer');
    const batch = {writer, number: 1, additions: [{keys: [counters], adds: [{visits: 1}], at: 1000}]};
    await driver.count(batch, soon());
    const holder = await engine.holder(t, 'short_url_batches', writer, 'writer');
    // The server goes on with a batch whose client is gone, and fails to send its first reply after the lock.
    const deadline = soon();
    const broken = t.throwsAsync(deadline.bound(driver.count({...batch, number: 2}, deadline)));
    await engine.untilWaiting(1);
    await proxy.resetConnections();
    await broken;
    const retry = steady.count({...batch, number: 2}, soon());
    await engine.untilWaiting(2);
    await holder.query('commit');
    t.deepEqual(await retry, [true]);
    t.deepEqual(await countsOf(steady, [counters]), [{visits: 2}]);
  });

  engine.check('the same operations with other values compile and prepare nothing again', async (t) => {
    const [link = '', counters = ''] = keysOf('link', 'counters');
    const own =
      engine.name === 'postgres'
        ? new PostgresConnection({...postgresOptions(engine.url), max: 1}, timeout)
        : undefined;
    const driver = own ? new PostgresDriver(own) : engine.driverOf(t);
    t.teardown(() => driver.close());
    const prepared = async (): Promise<unknown> =>
      own?.send({statements: [['select count(*)::int as n from pg_prepared_statements']]}, soon());
    const use = async (number: number): Promise<void> => {
      const key = `${link}:${number}`;
      await driver.insert([[key, 'record', 60_000]], soon());
      await driver.replace([key, 'third'], 'record', soon());
      await driver.replaceMany(
        [
          [[key, 'other'], 'third'],
          [[link, 'other'], 'third'],
        ],
        soon(),
      );
      await driver.read([key], soon());
      await driver.increment([[key, number]], soon());
      const additions = [visit(key, 'other', `${counters}:${number}`)];
      await driver.count({writer: key, number, additions}, soon());
      await driver.removeCounters(`${counters}:${number}`, [`d${number}`], soon());
      await driver.setCounters([[counters, {counts: new Map([[`d${number}`, 1]]), at: number}]], soon());
      await driver.getCounters([counters], [`d${number}`], soon());
      await driver.remove(key, soon());
    };
    await use(2);
    const before = [compiledParsers(), await prepared()];
    await use(3);
    await use(4);
    t.deepEqual([compiledParsers(), await prepared()], before);
  });

  if (engine.name === 'postgres') {
    engine.check('the server plans for tables that grow', async (t) => {
      const own = new PostgresConnection({...postgresOptions(engine.url), options: '-c work_mem=5MB'}, timeout);
      t.teardown(() => own.close());
      for (const [name, value] of [
        ['enable_seqscan', 'off'],
        ['jit', 'off'],
        ['work_mem', '5MB'],
      ] as const) {
        t.deepEqual(await own.send({statements: [[`show ${name}`]]}, soon()), [{rows: [{[name]: value}], changed: 1}]);
      }
    });
    continue;
  }

  engine.check(
    'MariaDB cancels a write that waits for a lock longer than its caller, also within a second',
    async (t) => {
      const [{version = ''} = {}] = await engine.ask('select version() as version');
      if (!String(version).includes('MariaDB')) return void t.pass('MySQL counts whole seconds');
      const [held = ''] = keysOf('held');
      const driver = engine.driverOf(t, {limit: 200});
      await driver.insert([[held, 'record']], soon());
      const holder = await engine.holder(t, 'short_url', held);
      // ER_STATEMENT_TIMEOUT, whose name the client does not know.
      t.like(await t.throwsAsync(async () => driver.remove(held, soon())), {errno: 1969});
      await holder.query('commit');
      t.deepEqual(await driver.read([held], soon()), ['record']);
    },
  );

  engine.check('a connection is kept on which a batch was undone because a link has changed', async (t) => {
    const client = new MysqlConnection(mysqlOptions(engine.url), timeout);
    const driver = new MysqlDriver(client);
    t.teardown(() => driver.close());
    const [link = '', counters = ''] = keysOf('link', 'counters');
    await driver.insert([[link, 'record']], soon());
    const connectionId = (): Promise<unknown> => client.send({statements: [['select connection_id() as id']]}, soon());
    const before = await connectionId();
    const additions = [visit(link, 'changed', counters)];
    t.deepEqual(await driver.count({writer: `${link}:w`, number: 1, additions}, soon()), [false]);
    t.deepEqual(await connectionId(), before);
    t.true(await driver.replace([link, 'record 2'], 'record', soon()), 'the link is not locked any more');
  });
}
