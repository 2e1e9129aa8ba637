import {spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {chmod, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import test from 'ava';
import {Deadline} from '../../../src/store/failing/deadline.ts';
import {PostgresConnection} from '../../../src/store/engines/postgres/connection.ts';
import {PostgresDriver} from '../../../src/store/engines/postgres/driver.ts';
import {postgresOptions} from '../../../src/store/engines/postgres/open.ts';
import {openStore} from '../../../src/store/opening/open.ts';
import type {Owner} from '../../support/owner.ts';
import {askPostgres as ask, connectPostgres, newPostgres} from '../../support/engines/servers.ts';
import {testStore} from '../../support/store/conformance.ts';
import {eventually} from '../../support/store/eventually.ts';
import {temporaryFolder} from '../../support/folder.ts';
import {forThisFile, missing} from '../../support/store/own.ts';
import {thisFile} from '../../support/this-file.ts';
import {freePort} from '../../support/store/redis-server.ts';

const skip = (await missing('postgres')) ?? whyNoPooler();
const url = forThisFile(newPostgres(), skip);
const check = skip === undefined ? test.serial : test.serial.skip;
const ofFile = thisFile();

/** PgBouncer of Debian: 1.18, which does not support prepared statements. */
function whyNoPooler(): string | undefined {
  const {error} = spawnSync('pgbouncer', ['--version']);
  if (error === undefined) return undefined;
  if (process.env['CI'] === 'true') throw error;
  const reason = 'PgBouncer is not installed';
  console.warn(`Tests on it are skipped: ${reason}`);
  return reason;
}

/** Starts a pooler that may send each statement over another connection of the server, and returns its address. */
async function startPooler(owner: Owner, serverConnections: number): Promise<string> {
  const {hostname, port, pathname} = new URL(url);
  const folder = await temporaryFolder(owner);
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
  const child = spawn('pgbouncer', [...asUser, file], {stdio: 'ignore'});
  owner.teardown(async () => {
    const end = once(child, 'exit');
    child.kill('SIGKILL');
    await end;
  });
  const address = `postgres://postgres@127.0.0.1:${ownPort}/shop`;
  await eventually(() => ask(address, 'select 1'));
  return address;
}

const timeout = 10_000;
const soon = (): Deadline => new Deadline(timeout);
let pooler: string;

if (skip === undefined) {
  test.before(async () => {
    pooler = await startPooler(ofFile, 3);
  });
}

testStore({
  title: 'behind a pooler without prepared statements',
  guarantee: 'store',
  skip,
  open: (namespace, now) => openStore(pooler, {namespace, now, timeout: 20_000}),
});

check('behind a pooler a write that waits for a lock never happens after the timeout of its user', async (t) => {
  const user = `alter role postgres in database "${new URL(url).pathname.slice(1)}"`;
  await ask(url, 'create table late (key varchar(255) primary key, value text, expires timestamptz)');
  await ask(url, `${user} set statement_timeout = '200ms'`);
  t.teardown(() => ask(url, `${user} reset statement_timeout`));
  const alone = await startPooler(t, 1);
  const driver = new PostgresDriver(new PostgresConnection(postgresOptions(alone), timeout), 'late');
  t.teardown(() => driver.close());
  const session = await connectPostgres(url);
  t.teardown(() => session.end());
  await driver.insert([['key', 'before']], soon());
  await session.query('begin; select from late for update');
  await t.throwsAsync(async () => driver.replace(['key', 'after'], 'before', soon()), {code: '57014'});
  await session.query('commit');
  t.deepEqual(await driver.read(['key'], soon()), ['before']);
});
