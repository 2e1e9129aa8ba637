import {setTimeout as delay} from 'node:timers/promises';
import test, {type ExecutionContext} from 'ava';
import {Redis} from 'ioredis';
import type {PoolConnection} from 'mysql2';
import {createPool, type PoolConnection as PromiseConnection} from 'mysql2/promise';
import type {Driver} from '../../../src/store/driver.ts';
import {MysqlDriver} from '../../../src/store/engines/mysql/driver.ts';
import {MysqlHostConnection, mysqlPoolOf} from '../../../src/store/engines/mysql/host-pool.ts';
import {PostgresDriver} from '../../../src/store/engines/postgres/driver.ts';
import {PostgresHostConnection} from '../../../src/store/engines/postgres/host-pool.ts';
import {Deadline} from '../../../src/store/failing/deadline.ts';
import {openStore} from '../../../src/store/opening/open.ts';
import type {StoreOption} from '../../../src/store/opening/option.ts';
import type {Batch, SeenLink, ToolStore} from '../../../src/store/port.ts';
import {hostEngines, storeOn, whyMissing} from '../../support/engines/engines.ts';
import {mysqlPool, postgresPool, redisClient} from '../../support/engines/host-clients.ts';
import {
  askMysql,
  askPostgres,
  connectMysql,
  connectPostgres,
  mysqlDatabase,
  postgresDatabase,
  redisNamespace,
} from '../../support/engines/servers.ts';
import type {SqlDriver} from '../../support/store/sql-engine.ts';
import {testStore} from '../../support/store/conformance.ts';
import {cleanSharedRedis, missing} from '../../support/store/own.ts';
import {thisFile} from '../../support/this-file.ts';

const onPostgres = (await missing('postgres')) === undefined ? test.serial : test.serial.skip;
const noRedis = await missing('redis');
const onRedis = noRedis === undefined ? test.serial : test.serial.skip;
const onMysql = (await missing('mysql')) === undefined ? test.serial : test.serial.skip;
const reasons = await Promise.all(hostEngines.map(whyMissing));
const file = thisFile();
cleanSharedRedis(noRedis);

for (const [index, engine] of hostEngines.entries()) {
  const skip = reasons[index];
  let client: StoreOption | undefined;
  if (skip === undefined) {
    test.before(`${engine.name} is opened`, async () => {
      const {store} = await engine.fresh(file);
      client = storeOn(engine, store, file);
    });
  }
  testStore({
    title: engine.name,
    guarantee: 'store',
    skip,
    open: (namespace, now) => openStore(client, {namespace, now, timeout: 20_000}),
  });
}

function opened(t: ExecutionContext, option: StoreOption, timeout = 20_000): ToolStore {
  const store = openStore(option, {namespace: 'links', timeout});
  t.teardown(() => store.close());
  return store;
}

/** Reads, writes, is refused a write, and counts. */
async function use(t: ExecutionContext, store: ToolStore): Promise<void> {
  t.true(await store.insert('link', "it's a \\ and a '"));
  t.false(await store.insert('link', 2));
  const entry = await store.get('link');
  t.is(entry?.value, "it's a \\ and a '");
  t.truthy(await store.replace('link', entry?.revision, 'changed'));
  t.falsy(await store.replace('link', entry?.revision, 'late'));
  const addition = {keys: ['k'], adds: [{v: 1, d: 1}], at: 1};
  const changed = {...addition, link: {key: 'link', revision: entry?.revision}};
  t.deepEqual(await store.count({writer: 'w', number: 1, additions: [addition, changed]}), [true, false]);
  t.is(await store.increment('sequence'), 1);
}

/** @param state what a session of the pool remembers */
async function leavesNothing(t: ExecutionContext, pool: StoreOption, state: () => Promise<unknown>): Promise<void> {
  const before = await state();
  const store = opened(t, pool);
  await use(t, store);
  t.deepEqual(await state(), before);
  await store.close();
  t.deepEqual(await state(), before);
}

/** @param free releases the connections of the pool, which the site has used up */
async function needsConnection(t: ExecutionContext, pool: StoreOption, free: () => void): Promise<void> {
  const store = opened(t, pool, 300);
  const message = /^The store got no connection from the pool of the site\./;
  await t.throwsAsync(store.get('a'), {code: 'store_unavailable', message});
  free();
  await store.whenBack();
  await use(t, store);
}

onPostgres('nothing of a call remains on a session of a pool of pg, and close() leaves the pool open', async (t) => {
  const {store: url} = await postgresDatabase(t);
  const pool = postgresPool(url, t, 1);
  const state = async (): Promise<unknown> => {
    const {rows} = await pool.query(
      `select pg_backend_pid() as pid, (select count(*)::int from pg_prepared_statements) as prepared,
        (select count(*)::int from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()) as locks,
        (select count(*)::int from pg_listening_channels()) as channels,
        (select array_agg(name || setting order by name) from pg_settings where source = 'session') as settings`,
    );
    const client = await pool.connect();
    const listeners = client.listenerCount('error');
    client.release();
    return [rows, listeners];
  };
  await leavesNothing(t, pool, state);
});

onMysql('nothing of a call remains on a session of a pool of mysql2, and close() leaves the pool open', async (t) => {
  const {store: url} = await mysqlDatabase(t);
  const pool = mysqlPool(url, t, 1).promise();
  const state = async (): Promise<unknown> => {
    const connection = (await pool.getConnection()) as PromiseConnection & {connection: PoolConnection};
    const [rows] = await connection.query(
      `select connection_id(), @@sql_mode, @@autocommit, @@time_zone, @@tx_isolation, @@innodb_lock_wait_timeout,
        @@lock_wait_timeout, @timely, @joint, release_all_locks()`,
    );
    const listeners = connection.connection.listenerCount('error');
    connection.release();
    return [rows, listeners];
  };
  await leavesNothing(t, pool, state);
});

/** The table of the site beside ours, on the only connection of its pool. */
interface OwnTable {
  readonly driver: SqlDriver;
  /** Takes every request for a late one. */
  readonly late: SqlDriver;
  /** Inserts a row without a transaction, as the site does. */
  readonly insert: (n: number) => Promise<unknown>;
  /** Reads the rows on another connection. */
  readonly rows: () => Promise<unknown[]>;
  /** Locks a counter in another session, and returns what ends the lock. */
  readonly lock: (key: string) => Promise<() => Promise<unknown>>;
  /** Runs a statement in another session. */
  readonly ask: (sql: string) => Promise<unknown>;
  /** Ends the session of the pool on the server. */
  readonly cut: () => Promise<unknown>;
}

type Call = (driver: SqlDriver) => unknown;

/** A call of each operation of a driver. The compiler asks for a new one. */
const calls: Readonly<
  Record<Exclude<keyof Driver, 'engine' | 'guarantee' | 'isRemote' | 'keyPrefix' | 'close'>, Call>
> = {
  insert: (driver) => driver.insert([['called', 'one']], soon()),
  read: (driver) => driver.read(['called', 'absent'], soon()),
  replace: (driver) => driver.replace(['called', 'two'], 'another', soon()),
  replaceMany: (driver) => driver.replaceMany([[['called', 'two'], 'one']], soon()),
  collect: (driver) => driver.collect(10, soon()),
  count: (driver) => driver.count(batchOf('called'), soon()),
  increment: (driver) => driver.increment([['called', 1]], soon()),
  getCounters: (driver) => driver.getCounters(['raised'], undefined, soon()),
  setCounters: (driver) => driver.setCounters([['raised', {counts: new Map([['v', 1]]), at: 1}]], soon()),
  removeCounters: (driver) => driver.removeCounters('raised', ['v'], soon()),
  keys: (driver) => driver.keys('records', '')(soon()),
  remove: (driver) => driver.remove('called', soon()),
  plan: (driver) => driver.plan(soon()),
  inspect: (driver) => driver.inspect(soon()),
  ping: (driver) => driver.ping(soon()),
};

/** Every way in which a request ends. After each of them, no transaction of ours is open on the session. */
const ends: ReadonlyArray<readonly [how: string, end: (t: ExecutionContext, table: OwnTable) => Promise<unknown>]> = [
  ['stored', async (t, {driver}) => t.deepEqual(await driver.count(batchOf('stored'), soon()), [true])],
  [
    'refused because a link has changed',
    async (t, {driver}) => {
      const batch = batchOf('refused', {key: 'absent', revision: 'record'});
      t.deepEqual(await driver.count(batch, soon()), [false]);
    },
  ],
  [
    'refused because a row does not fit',
    async (t, {driver}) => {
      const [result] = await driver.insert([['k'.repeat(9000), 'record']], soon());
      // Postgres takes it.
      t.true(result === true || result instanceof Error);
    },
  ],
  [
    'given up for a lock, and repeated',
    async (_t, {driver, lock}) => {
      const end = await lock('raised');
      const counting = driver.count(batchOf('locked'), soon());
      // Longer than the session waits for a lock.
      await delay(1500);
      await end();
      // Postgres reports the time limit of the site instead of repeating the request.
      await Promise.allSettled([counting]);
    },
  ],
  [
    'late',
    async (t, {late}) => {
      const deadline = new Deadline(300);
      await t.throwsAsync(deadline.bound(late.count(batchOf('late'), deadline)));
    },
  ],
  ...Object.entries(calls).map(
    ([name, call]) => [`a call of ${name}`, async (_t: ExecutionContext, {driver}: OwnTable) => call(driver)] as const,
  ),
  [
    'stored in a table that was missing',
    async (t, {driver, ask}) => {
      await ask('drop table short_url_counters');
      t.deepEqual(await driver.count(batchOf('made'), soon()), [true]);
    },
  ],
  [
    'cut by the server while it waited',
    async (t, {driver, lock, cut}) => {
      const end = await lock('raised');
      const counting = t.throwsAsync(async () => driver.count(batchOf('cut'), new Deadline(3000)));
      await delay(100);
      await cut();
      await counting;
      await end();
    },
  ],
];

/** Connections to a server whose clock seems to stand at the beginning. */
class LateMysql extends MysqlHostConnection {
  protected override clock(): Promise<number> {
    return Promise.resolve(0);
  }
}

class LatePostgres extends PostgresHostConnection {
  protected override clock(): Promise<number> {
    return Promise.resolve(0);
  }
}

function batchOf(writer: string, link?: SeenLink): Batch {
  return {writer, number: 1, additions: [{link, keys: ['raised'], adds: [{v: 1}], at: 1}]};
}

function soon(): Deadline {
  return new Deadline(20_000);
}

async function commitsForTheSite(t: ExecutionContext, table: OwnTable): Promise<void> {
  await table.driver.count(batchOf('first'), soon());
  const written: number[] = [];
  for (const [n, [how, end]] of ends.entries()) {
    await end(t, table);
    await table.insert(n);
    written.push(n);
    t.deepEqual(await table.rows(), written, `after a request that was ${how}`);
  }
}

onMysql(
  'what the site writes on a session of a pool of mysql2 is committed, however the last request ended',
  async (t) => {
    const {store: url} = await mysqlDatabase(t);
    const pool = createPool({uri: url, connectionLimit: 1});
    t.teardown(() => pool.end());
    await pool.query('set session innodb_lock_wait_timeout = 1');
    await pool.query('create table own (n int)');
    const session = await connectMysql(url);
    t.teardown(() => session.end());
    const host = mysqlPoolOf(pool);
    if (host === undefined) return void t.fail();
    await commitsForTheSite(t, {
      driver: new MysqlDriver(new MysqlHostConnection(host, 20_000), undefined, true),
      late: new MysqlDriver(new LateMysql(host, 20_000), undefined, true),
      insert: (n) => pool.query('insert into own values (?)', [n]),
      rows: async () => (await askMysql(url, 'select n from own order by n')).map(({n}) => n),
      lock: async (key) => {
        await session.query('begin');
        await session.query('select n from short_url_counters where id = ? for update', [key]);
        return () => session.query('commit');
      },
      ask: (sql) => session.query(sql),
      cut: async () => {
        const others = 'select id from information_schema.processlist where db = database() and id <> connection_id()';
        for (const {id} of await askMysql(url, others))
          if (id !== session.threadId) await session.query(`kill ${String(id)}`);
      },
    });
  },
);

onPostgres(
  'what the site writes on a session of a pool of pg is committed, however the last request ended',
  async (t) => {
    const {store: url} = await postgresDatabase(t);
    const pool = postgresPool(`${url}?lock_timeout=300`, t, 1);
    await pool.query('create table public.own (n int)');
    const session = await connectPostgres(url);
    t.teardown(() => session.end());
    await commitsForTheSite(t, {
      driver: new PostgresDriver(new PostgresHostConnection(pool, 20_000)),
      late: new PostgresDriver(new LatePostgres(pool, 20_000)),
      insert: (n) => pool.query('insert into public.own values ($1)', [n]),
      rows: async () => (await askPostgres(url, 'select n from own order by n')).map(({n}) => n),
      lock: async (key) => {
        await session.query('begin');
        await session.query('select n from short_url_counters where key = $1 for update', [key]);
        return () => session.query('commit');
      },
      ask: (sql) => session.query(sql),
      cut: () =>
        session.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid()`,
        ),
    });
  },
);

onRedis('a client of redis that is not connected stays so, and close() closes only our connection', async (t) => {
  const {store: url, namespace} = await redisNamespace(t);
  const client = redisClient(`${url}/3`);
  const store = openStore(client, {namespace, timeout: 20_000});
  await use(t, store);
  t.false(client.isOpen);
  await client.connect();
  t.teardown(() => {
    client.destroy();
  });
  await store.close();
  // With the database of the client, and its other options unchanged.
  t.true(Buffer.isBuffer(await client.get(`short_url::${namespace}:link`)));
  t.regex(String(await client.sendCommand<Buffer>(['CLIENT', 'INFO'])), /name=site .*db=3 .*resp=3/);
  const names = ['link', 'k', 'sequence', 'batch:w'];
  await client.unlink(names.map((name) => `short_url::${namespace}:${name}`));
});

onRedis('a client of ioredis that is not connected stays so, and close() closes only our connection', async (t) => {
  const {store: url, namespace} = await redisNamespace(t);
  const client = new Redis(`${url}/3`, {lazyConnect: true, keyPrefix: 'site:', connectionName: 'site'});
  const plain = client.duplicate({keyPrefix: ''});
  t.teardown(() => {
    for (const each of [client, plain]) each.disconnect();
  });
  const store = openStore(client, {namespace, timeout: 20_000});
  await use(t, store);
  t.is(client.status, 'wait');
  await store.close();
  // In the database of the client, without its prefix.
  const names = ['link', 'k', 'sequence', 'batch:w'];
  t.is(await plain.unlink(names.map((name) => `short_url::${namespace}:${name}`)), names.length);
  t.is(await client.set(namespace, 'value'), 'OK');
  t.is(await plain.unlink(`site:${namespace}`), 1);
});

onPostgres('the tables of a pool are in the schema that it is given with, wherever search_path points', async (t) => {
  const {store: url} = await postgresDatabase(t);
  const pool = postgresPool(url, t);
  await use(t, opened(t, {client: pool, schema: 'Order'}));
  await use(t, opened(t, `${url}?schema=links`));
  const tables = await askPostgres(
    url,
    "select schemaname as s from pg_tables where tablename = 'short_url' order by 1",
  );
  t.deepEqual(tables, [{s: 'Order'}, {s: 'links'}]);
});

onPostgres('a pool of pg that the site uses up is an outage that says so, until a connection is free', async (t) => {
  const {store: url} = await postgresDatabase(t);
  const pool = postgresPool(url, t, 2);
  pool.options.connectionTimeoutMillis = 0;
  const clients = await Promise.all([pool.connect(), pool.connect()]);
  await needsConnection(t, pool, () => {
    for (const client of clients) client.release();
  });
});

onMysql('a pool of mysql2 that the site uses up is an outage that says so, until a connection is free', async (t) => {
  const {store: url} = await mysqlDatabase(t);
  const pool = createPool({uri: url, connectionLimit: 2});
  t.teardown(() => pool.end());
  const connections = [await pool.getConnection(), await pool.getConnection()];
  await needsConnection(t, pool, () => {
    for (const connection of connections) connection.release();
  });
});

onPostgres('a time limit of the host applies, and the error says so', async (t) => {
  const {store: url} = await postgresDatabase(t);
  const pool = postgresPool(`${url}?statement_timeout=200`, t);
  const store = opened(t, pool, 5000);
  await use(t, store);
  const [client, link] = [await pool.connect(), await store.get('link')];
  await client.query("begin; select 1 from public.short_url where key like '%link' for update");
  const message = /^The store ended an operation at a time limit/;
  await t.throwsAsync(store.replace('link', link?.revision, 3), {code: 'store_unavailable', message});
  await client.query('rollback');
  client.release();
});

onMysql('a pool of mysql2 in another character set is refused with what to set', async (t) => {
  const {store: url} = await mysqlDatabase(t);
  const pool = createPool({uri: url, charset: 'latin1'});
  t.teardown(() => pool.end());
  const message = /its character set is not utf8mb4\. Set `charset: 'utf8mb4'`/;
  await t.throwsAsync(opened(t, pool, 2000).get('a'), {code: 'store_unavailable', message});
});
