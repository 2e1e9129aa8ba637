import test from 'ava';
import {Deadline} from '../../../../src/store/failing/deadline.ts';
import {MysqlConnection, type MysqlReply, type MysqlRequest} from '../../../../src/store/mysql/connection.ts';
import {MysqlDriver} from '../../../../src/store/mysql/driver.ts';
import {mysqlOptions} from '../../../../src/store/mysql/open.ts';
import {mysqlTables} from '../../../../src/store/mysql/statements.ts';
import {
  PostgresConnection,
  type PostgresRow,
  type PostgresStatement,
} from '../../../../src/store/postgres/connection.ts';
import {PostgresDriver} from '../../../../src/store/postgres/driver.ts';
import {postgresOptions} from '../../../../src/store/postgres/open.ts';
import {postgresTables} from '../../../../src/store/postgres/statements.ts';

interface Sent {
  /** Whether the request reads counters. */
  readonly isRead: boolean;
  readonly deadline: Deadline;
}

class Postgres extends PostgresConnection {
  readonly sent: Sent[] = [];

  override async run(
    {isTimed = false}: PostgresStatement,
    _create: PostgresStatement,
    deadline: Deadline,
  ): Promise<readonly PostgresRow[]> {
    this.sent.push({isRead: !isTimed, deadline});
    return isTimed ? [{number: 2, counted: []}] : [];
  }
}

class Mysql extends MysqlConnection {
  readonly sent: Sent[] = [];

  override async run(
    {isTimed = false}: MysqlRequest,
    _create: MysqlRequest,
    deadline: Deadline,
  ): Promise<readonly MysqlReply[]> {
    this.sent.push({isRead: !isTimed, deadline});
    return [isTimed ? {affectedRows: 1} : []];
  }
}

/** So many that one of them is looked at. */
const additions = Array.from({length: 300}, (_, index) => ({
  keys: [`key ${index}`],
  adds: [{v: 1}],
  at: 1,
}));

for (const engine of ['Postgres', 'MySQL'] as const) {
  test(`${engine} folds with another deadline than that of the batch, which ends when the batch is stored`, async (t) => {
    const connection =
      engine === 'Postgres'
        ? new Postgres(postgresOptions('postgres://host/db'), 20_000)
        : new Mysql(mysqlOptions('mysql://host/db'), 20_000);
    const driver =
      connection instanceof Postgres
        ? new PostgresDriver(connection, postgresTables())
        : new MysqlDriver(connection, mysqlTables());
    const deadline = new Deadline(20_000);
    await deadline.bound(driver.count({writer: 'writer', number: 2, additions}, deadline));
    const {sent} = connection;
    t.is(sent.filter(({isRead}) => isRead).length, 1);
    for (const {isRead, deadline: given} of sent) t.is(given === deadline, !isRead);
  });
}
