import {type ChildProcess, spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {chmod, mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test from 'ava';
import {Deadline} from '../../../src/store/failing/deadline.ts';
import {PostgresConnection} from '../../../src/store/postgres/connection.ts';
import {PostgresDriver} from '../../../src/store/postgres/driver.ts';
import {postgresOptions} from '../../../src/store/postgres/open.ts';
import {postgresTables} from '../../../src/store/postgres/statements.ts';
import {run} from '../../support/store/run.ts';
import {eventually} from '../../support/store/eventually.ts';
import {ask, connection, missingPostgres, ownPostgres} from '../../support/store/postgres-server.ts';
import {freePort} from '../../support/store/redis-server.ts';

const skip = (await missingPostgres()) ?? whyNoPooler();
const url = ownPostgres('pgbouncer', skip);
const check = skip === undefined ? test : test.skip;
const checkAlone = skip === undefined ? test.serial : test.serial.skip;

/** PgBouncer of Debian: 1.18, which does not support prepared statements. */
function whyNoPooler(): string | undefined {
  const {error} = spawnSync('pgbouncer', ['--version']);
  if (error === undefined) return undefined;
  if (process.env['CI'] === 'true') throw error;
  const reason = 'PgBouncer is not installed';
  console.warn(`Tests on it are skipped: ${reason}`);
  return reason;
}

/** A pooler that may send each statement over another connection of the server. */
async function startPooler(serverConnections: number): Promise<{address: string; stop: () => Promise<void>}> {
  const {hostname, port, pathname} = new URL(url);
  const folder = await mkdtemp(join(tmpdir(), 'koa-short-url-'));
  const ownPort = await freePort();
  const file = join(folder, 'pgbouncer.ini');
  const database = `host=${hostname} port=${port} dbname=${pathname.slice(1)} user=postgres`;
  await writeFile(
    file,
    `[databases]
shop = ${database}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${ownPort}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${serverConnections}
`,
  );
  // PgBouncer refuses to run as root.
  const asUser = process.getuid?.() === 0 ? ['--user', 'nobody'] : [];
  if (asUser.length > 0) await chmod(folder, 0o755);
  const pooler: ChildProcess = spawn('pgbouncer', [...asUser, file], {stdio: 'ignore'});
  return {
    address: `postgres://postgres@127.0.0.1:${ownPort}/shop`,
    async stop() {
      const end = once(pooler, 'exit');
      pooler.kill('SIGKILL');
      await end;
      await rm(folder, {recursive: true, force: true});
    },
  };
}

const timeout = 10_000;
const soon = (): Deadline => new Deadline(timeout);

function driverAt(address: string): PostgresDriver {
  const tables = postgresTables();
  return new PostgresDriver(new PostgresConnection(postgresOptions(address), timeout), tables);
}

function range(length: number): number[] {
  return Array.from({length}, (_, index) => index);
}

check('the store works behind a pooler without prepared statements', async (t) => {
  const {address, stop} = await startPooler(3);
  const drivers = range(3).map(() => driverAt(address));
  const [first] = drivers as [PostgresDriver];
  t.teardown(async () => {
    await Promise.all(drivers.map((driver) => driver.close()));
    await stop();
  });
  await eventually(() => first.ping(soon()));
  const records = range(60).map((index) => `${run}:record-${index}`);
  const writes = drivers.flatMap((driver, index) => {
    const own = records.filter((_, place) => place % 3 === index);
    const operations = [
      () => Promise.all(own.map((key) => driver.insert([[key, key]], soon()))),
      () => Promise.all(range(20).map(() => driver.increment([[`${run}:sequence`, 1]], soon()))),
      () => Promise.all(range(20).map((place) => driver.remove(`${run}:absent-${place}`, soon()))),
      async () => {
        for (const number of range(20)) {
          const additions = [{keys: [`${run}:counters`], adds: [{visits: 1}], at: 1}];
          await driver.count({writer: `${run}:${index}`, number: number + 1, additions}, soon());
        }
      },
    ];
    return [...operations.slice(index), ...operations.slice(0, index)].map((operation) => operation());
  });
  await Promise.all(writes);
  t.deepEqual(await first.read(records, soon()), records);
  const counters = await first.getCounters([`${run}:counters`, `${run}:sequence`], undefined, soon());
  t.deepEqual(
    counters.map(({counts}) => Object.fromEntries(counts)),
    [{visits: 60}, {next: 60}],
  );
});

checkAlone('behind a pooler a write that waits for a lock never happens after the timeout of its user', async (t) => {
  const user = `alter role postgres in database "${new URL(url).pathname.slice(1)}"`;
  await ask(url, 'create table late (key varchar(255) primary key, value text, expires timestamptz)');
  await ask(url, `${user} set statement_timeout = '200ms'`);
  const {address, stop} = await startPooler(1);
  const tables = postgresTables('late');
  const driver = new PostgresDriver(new PostgresConnection(postgresOptions(address), timeout), tables);
  const session = await connection(url);
  t.teardown(async () => {
    await ask(url, `${user} reset statement_timeout`);
    await session.end();
    await driver.close();
    await stop();
  });
  await eventually(() => driver.ping(soon()));
  await driver.insert([['key', 'before']], soon());
  await session.query('begin; select from late for update');
  await t.throwsAsync(async () => driver.replace(['key', 'after'], 'before', soon()), {code: '57014'});
  await session.query('commit');
  t.deepEqual(await driver.read(['key'], soon()), ['before']);
});
