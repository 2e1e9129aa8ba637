import {once} from 'node:events';
import {type AddressInfo, connect as connectTo, createServer} from 'node:net';
import test from 'ava';
import type {KeyvStoreAdapter} from 'keyv';
import {Deadline} from '../../../src/store/failing/deadline.ts';
import type {Driver} from '../../../src/store/driver.ts';
import {PostgresConnection} from '../../../src/store/postgres/connection.ts';
import {PostgresDriver} from '../../../src/store/postgres/driver.ts';
import {openPostgresAdapter, postgresAdapterOptions, postgresOptions} from '../../../src/store/postgres/open.ts';
import {postgresTables} from '../../../src/store/postgres/statements.ts';
import {ask, connection, hostPostgres, missingPostgres, ownPostgres} from '../../support/store/postgres-server.ts';
import {testSqlContract} from '../../support/store/sql-contract.ts';
import type {SqlEngine} from '../../support/store/sql-engine.ts';
import {testSqlFaults} from '../../support/store/sql-faults.ts';
import {testSqlRaces} from '../../support/store/sql-races.ts';

const skip = await missingPostgres();
const url = ownPostgres('one', skip);
const check = skip === undefined ? test.serial : test.serial.skip;

/** Milliseconds; long enough for a busy machine. */
const timeout = 20_000;
const soon = (): Deadline => new Deadline(timeout);

function driverAt(address: string, limit = timeout, table = 'keyv'): PostgresDriver {
  return new PostgresDriver(
    new PostgresConnection(postgresOptions(address), limit),
    postgresTables({schema: 'public', table}),
  );
}

function driverOfAdapter(adapter: KeyvStoreAdapter): Driver {
  const {driver} = openPostgresAdapter(adapter, {timeout, onError: () => undefined}) ?? {};
  if (!driver) throw new Error('The adapter was not recognised');
  return driver;
}

const engine: SqlEngine = {
  title: 'Postgres',
  url,
  skip,
  keyColumn: 'key',
  open: driverAt,
  connect: () => connection(url),
  ask: (text) => ask(url, text),
  waiting: async () => {
    const text = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    return (await ask(url, text)).length;
  },
};
testSqlContract(engine);
testSqlRaces(engine);
testSqlFaults(engine);

check('Postgres a read-only server does not answer a ping', async (t) => {
  const driver = driverAt(`${url}?options=-c%20default_transaction_read_only%3Don`);
  t.teardown(() => driver.close());
  await t.throwsAsync(async () => driver.ping(soon()), {code: '25006'});
});

check('Postgres plans for tables that grow', async (t) => {
  const own = new PostgresConnection({...postgresOptions(url), options: '-c work_mem=5MB'}, timeout);
  t.teardown(() => own.close());
  for (const [name, value] of [
    ['enable_seqscan', 'off'],
    ['jit', 'off'],
    ['work_mem', '5MB'],
  ] as const) {
    t.deepEqual(await own.send({text: `show ${name}`, values: []}, soon()), [{[name]: value}]);
  }
});

check(
  "Postgres keeps links and counters in the schema of a host's table and beside it, with the host's options",
  async (t) => {
    const adapter = hostPostgres(url, {
      ...{schema: '"Host\'s own"', table: '"My Links"', keySize: 80, useUnloggedTable: true},
      ...{max: 2, application_name: 'the host', binary: true, types: {getTypeParser: () => () => 'odd'}},
    });
    const driver = driverOfAdapter(adapter);
    const keys = ['a', 'b'].map((end) => `${'k'.repeat(150)}${end}`);
    t.deepEqual(
      await driver.insert(
        keys.map((key) => [key, 'record']),
        soon(),
      ),
      [true, true],
    );
    const additions = keys.map((key) => ({
      link: {key, revision: 'record'},
      counters: [{key: key, add: {visits: 1}}],
      at: 5,
    }));
    t.deepEqual(await driver.count({writer: 'w', number: 1, additions}, soon()), [true, true]);
    t.deepEqual((await driver.getCounters(keys, undefined, soon()))[1], {counts: new Map([['visits', 1]]), at: 5});
    const options = postgresAdapterOptions(adapter.opts as object);
    t.like(options, {connectionString: url, max: 2, application_name: 'the host', binary: false, types: undefined});
    await driver.close();
    t.is(await adapter.get('absent'), undefined, 'the adapter still works');
    const tables = await ask(url, 'select tablename from pg_tables where schemaname = $1 order by 1', ["Host's own"]);
    t.deepEqual(
      tables.map(({tablename}) => tablename),
      ['My Links', 'My Links_batches', 'My Links_counters'],
    );
  },
);

check('Postgres an adapter whose connections cannot be opened again is refused without showing its options', (t) => {
  const adapter = hostPostgres(url);
  for (const opts of [{uri: undefined}, {uri: {host: 's3cret'}}, {stream: {password: 's3cret'}}]) {
    const odd = Object.assign(Object.create(adapter) as typeof adapter, {opts: {...(adapter.opts as object), ...opts}});
    const error = t.throws(() => driverOfAdapter(odd), {instanceOf: TypeError, message: /^Expected the Postgres/});
    t.notRegex(error.message, /s3cret/);
  }
});

check('Postgres a pooler that refuses statement_timeout gets connections without it', async (t) => {
  const {port} = new URL(url);
  const pooler = createServer((client) => {
    client.on('error', () => undefined);
    client.once('data', (startup) => {
      if (startup.includes('statement_timeout')) {
        const fields = 'SFATAL\0C08P01\0Munsupported startup parameter: statement_timeout\0\0';
        const head = Buffer.from('E\0\0\0\0');
        head.writeUInt32BE(4 + fields.length, 1);
        client.end(Buffer.concat([head, Buffer.from(fields)]));
        return;
      }
      const server = connectTo(Number(port), '127.0.0.1').on('error', () => undefined);
      server.write(startup);
      client.pipe(server).pipe(client);
    });
  }).listen(0, '127.0.0.1');
  await once(pooler, 'listening');
  const through = new URL(url);
  through.port = `${(pooler.address() as AddressInfo).port}`;
  const driver = driverAt(through.href);
  t.teardown(async () => {
    await driver.close();
    pooler.close();
  });
  const inserts = Array.from({length: 20}, async (_, index) => driver.insert([[`pooler-${index}`, '1']], soon()));
  t.true((await Promise.all(inserts)).every(([isInserted]) => isInserted === true));
});
