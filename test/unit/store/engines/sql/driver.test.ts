import test from 'ava';
import {Deadline} from '../../../../../src/store/failing/deadline.ts';
import {MysqlConnection} from '../../../../../src/store/engines/mysql/connection.ts';
import {MysqlDriver} from '../../../../../src/store/engines/mysql/driver.ts';
import {mysqlOptions} from '../../../../../src/store/engines/mysql/open.ts';
import {PostgresConnection} from '../../../../../src/store/engines/postgres/connection.ts';
import {PostgresDriver} from '../../../../../src/store/engines/postgres/driver.ts';
import {postgresOptions} from '../../../../../src/store/engines/postgres/open.ts';
import type {SqlReply, SqlRow} from '../../../../../src/store/engines/sql/connection.ts';

/** A driver whose connection gives these rows for reads, and takes every batch. */
function driverOf(engine: 'Postgres' | 'MySQL', rows: readonly SqlRow[] = []) {
  const sent: Array<{readonly isRead: boolean; readonly values: readonly unknown[]; readonly deadline: Deadline}> = [];
  const [connection, driver] = engine === 'Postgres' ? postgres() : mysql();
  connection.run = async ({statements: [[, values = []] = ['']], isTimed = false}, _create, deadline) => {
    sent.push({isRead: !isTimed, values, deadline});
    const taken: SqlReply = {rows: [{number: 2, counted: []}], changed: 1};
    return [isTimed ? taken : {rows, changed: 0}];
  };
  return {driver, sent};
}

function postgres() {
  const connection = new PostgresConnection(postgresOptions('postgres://host/db'), 20_000);
  return [connection, new PostgresDriver(connection)] as const;
}

function mysql() {
  const connection = new MysqlConnection(mysqlOptions('mysql://host/db'), 20_000);
  return [connection, new MysqlDriver(connection)] as const;
}

/** So many that one of them is looked at. */
const additions = Array.from({length: 300}, (_, index) => ({
  keys: [`key ${index}`],
  adds: [{v: 1}],
  at: 1,
}));

for (const engine of ['Postgres', 'MySQL'] as const) {
  test(`${engine} splits joint rows with another deadline than that of the batch, which ends when the batch is stored`, async (t) => {
    const {driver, sent} = driverOf(engine);
    const deadline = new Deadline(20_000);
    await deadline.bound(driver.count({writer: 'writer', number: 2, additions}, deadline));
    t.is(sent.filter(({isRead}) => isRead).length, 1);
    for (const {isRead, deadline: given} of sent) t.is(given === deadline, !isRead);
  });
}

test('a listing goes on after its last key up to the end of the prefix, unless the part is the last one', async (t) => {
  const rows = Array.from({length: 1000}, (_, index) => ({key: `a:${index}`}));
  for (const found of [rows, rows.slice(1)]) {
    const {driver, sent} = driverOf('Postgres', found);
    const next = driver.keys('records', 'a:');
    const deadline = new Deadline(20_000);
    const keys = found.map(({key}) => key);
    t.deepEqual(await next(deadline), keys);
    t.deepEqual(await next(deadline), found === rows ? keys : undefined);
    t.deepEqual(
      sent.map(({values}) => values[0]),
      found === rows ? ['a:', 'a:999'] : ['a:'],
    );
    const end = sent[0]?.values[1] as string;
    t.true('a:~~~' < end && end < 'a;', 'after every key with the prefix, and before any other');
  }
});
