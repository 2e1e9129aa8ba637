import {once} from 'node:events';
import {type AddressInfo, connect as connectTo, createServer} from 'node:net';
import test from 'ava';
import {PostgresConnection} from '../../../src/store/postgres/connection.ts';
import {PostgresDriver} from '../../../src/store/postgres/driver.ts';
import {postgresOptions} from '../../../src/store/postgres/open.ts';
import {postgresTables} from '../../../src/store/postgres/statements.ts';
import {ask, connection, missingPostgres, ownPostgres} from '../../support/store/postgres-server.ts';
import {testSqlContract} from '../../support/store/sql-contract.ts';
import {soon, type SqlEngine} from '../../support/store/sql-engine.ts';
import {testSqlFaults} from '../../support/store/sql-faults.ts';
import {testSqlRaces} from '../../support/store/sql-races.ts';

const skip = await missingPostgres();
const url = ownPostgres('one', skip);
const check = skip === undefined ? test.serial : test.serial.skip;

/** Milliseconds; long enough for a busy machine. */
const timeout = 20_000;

function driverAt(address: string, limit = timeout, table?: string): PostgresDriver {
  return new PostgresDriver(new PostgresConnection(postgresOptions(address), limit), postgresTables(table));
}

const engine: SqlEngine = {
  title: 'Postgres',
  url,
  skip,
  keyColumn: 'key',
  momentType: 'timestamptz',
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

check('Postgres plans for tables that grow', async (t) => {
  const own = new PostgresConnection({...postgresOptions(url), options: '-c work_mem=5MB'}, timeout);
  t.teardown(() => own.close());
  for (const [name, value] of [
    ['enable_seqscan', 'off'],
    ['jit', 'off'],
    ['work_mem', '5MB'],
  ] as const) {
    t.deepEqual(await own.send({statements: [[`show ${name}`]]}, soon()), [{rows: [{[name]: value}], changed: 1}]);
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
