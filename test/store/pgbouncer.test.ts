import {type ChildProcess, spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {chmod, mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test from 'ava';
import {openStore} from '../../src/store/open.ts';
import {range} from '../engines/crowd.ts';
import {run} from './conformance.ts';
import {eventually} from './eventually.ts';
import {missingPostgres, ownPostgres} from './postgres-server.ts';
import {freePort} from './redis-server.ts';

const skip = (await missingPostgres()) ?? whyNoPooler();
const url = ownPostgres('pgbouncer', skip);
const check = skip === undefined ? test : test.skip;

/** PgBouncer as Debian has it: 1.18, which knows nothing of the statements that a client has prepared. */
function whyNoPooler(): string | undefined {
  const {error} = spawnSync('pgbouncer', ['--version']);
  if (error === undefined) return undefined;
  if (process.env['CI'] === 'true') throw error;
  const reason = 'PgBouncer is not installed';
  console.warn(`Tests on it are skipped: ${reason}`);
  return reason;
}

/** A pooler that hands each statement to another connection of the server, if it likes. */
async function startPooler(): Promise<{port: number; stop: () => Promise<void>}> {
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
default_pool_size = 3
`,
  );
  // As root it refuses to run.
  const asUser = process.getuid?.() === 0 ? ['--user', 'nobody'] : [];
  if (asUser.length > 0) await chmod(folder, 0o755);
  const pooler: ChildProcess = spawn('pgbouncer', [...asUser, file], {stdio: 'ignore'});
  return {
    port: ownPort,
    async stop() {
      const end = once(pooler, 'exit');
      pooler.kill('SIGKILL');
      await end;
      await rm(folder, {recursive: true, force: true});
    },
  };
}

check('behind a pooler that knows no prepared statements everything works as without it', async (t) => {
  const {port, stop} = await startPooler();
  const through = `postgres://postgres@127.0.0.1:${port}/shop`;
  const store = openStore(through, {namespace: run, timeout: 10_000});
  t.teardown(async () => {
    await store.close();
    await stop();
  });
  await eventually(() => store.ping());
  const numbers = await Promise.all(range(30).map(() => store.increment('sequence')));
  t.deepEqual(
    numbers.toSorted((one, other) => one - other),
    range(30).map((index) => index + 1),
  );
  const records = range(60).map((index) => `record-${index}`);
  t.true((await Promise.all(records.map((key) => store.insert(key, key)))).every(Boolean));
  t.deepEqual(
    (await Promise.all(records.map((key) => store.get(key)))).map((entry) => entry?.value),
    records,
  );
  for (const number of range(20)) {
    await Promise.all([
      store.addVisits({writer: 'one', number: number + 1, additions: [{key: 'visits:1', visits: 2, lastVisit: 1}]}),
      store.addVisits({writer: 'two', number: number + 1, additions: [{key: 'visits:1', visits: 3, lastVisit: 1}]}),
    ]);
  }
  t.is((await store.getTallies(['visits:1']))[0]?.visits, 100);
});
