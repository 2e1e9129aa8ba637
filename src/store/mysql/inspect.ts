import {advice, type Finding, isAtLeast, offsetOf, problem} from '../findings.ts';
import type {Inspection} from '../port.ts';
import type {MysqlRow} from './connection.ts';
import type {MysqlTables} from './statements.ts';

const lowestMysql = '8.0';
const lowestMariadb = '10.6';

/** The longest batch of visits: 200 links with long URLs. */
const wantedPacket = 8 * 2 ** 20;
const neededPacket = 2 ** 20;

/** The query about the server. */
const factsOfServer = `
  select version() as version, @@global.read_only as is_read_only, @@global.max_allowed_packet as packet,
    @@global.innodb_flush_log_at_trx_commit as flush, @@global.log_bin as has_binlog, @@global.sync_binlog as sync_binlog,
    @@session.sql_mode as mode, database() as name,
    current_user() as user, unix_timestamp(now(3)) * 1000 as time`;

/** The query about the tables, with a row for each column. A missing table has none. */
const columnsOfTables = `
  select c.table_name as \`table\`, column_name as name, collation_name as collation,
    character_maximum_length as size, column_key as is_key, engine
  from information_schema.columns as c join information_schema.tables as t using (table_schema, table_name)
  where c.table_schema = database() and c.table_name in (?)`;

/** @param ask runs a query */
export async function inspectMysql(
  ask: (text: string, values: readonly unknown[]) => Promise<readonly MysqlRow[]>,
  tables: MysqlTables,
): Promise<Inspection> {
  let facts: MysqlRow = {};
  const clockOffset = await offsetOf(async () => {
    [facts = {}] = await ask(factsOfServer, []);
    return Number(facts['time']);
  });
  const columns = await ask(columnsOfTables, [Object.values(tables)]);
  const version = String(facts['version']);
  const product = /mariadb/i.test(version) ? 'MariaDB' : 'MySQL';
  const findings = judgeMysql(facts, columns, tables);
  return {version: `${product} ${/^[\d.]+/.exec(version)?.[0] ?? version}`, clockOffset, findings};
}

export function judgeMysql(facts: MysqlRow, columns: readonly MysqlRow[], tables: MysqlTables): Finding[] {
  const findings: Finding[] = [];
  const version = String(facts['version']);
  const isMariadb = /mariadb/i.test(version);
  const lowest = isMariadb ? lowestMariadb : lowestMysql;
  if (!isAtLeast(version, lowest)) {
    const remedy = `Upgrade to ${isMariadb ? 'MariaDB' : 'MySQL'} ${lowest} or later.`;
    findings.push(problem('old_version', `The version ${version} is too old.`, remedy));
  }
  if (Number(facts['is_read_only']) > 0) {
    const message = 'The server is read-only, perhaps a replica.';
    findings.push(
      problem('read_only', message, 'set global read_only = off; or use the address of the primary server.'),
    );
  }
  if (Number(facts['flush']) !== 1) {
    const message = `innodb_flush_log_at_trx_commit is ${String(facts['flush'])}: a crash loses acknowledged links and visits.`;
    const remedy = 'set global innodb_flush_log_at_trx_commit = 1; and the same in my.cnf';
    findings.push(problem('asynchronous_commit', message, remedy));
  }
  if (Number(facts['has_binlog']) > 0 && Number(facts['sync_binlog']) !== 1) {
    const message = `sync_binlog is ${String(facts['sync_binlog'])}: a power cut loses acknowledged links and visits.`;
    const remedy = 'set global sync_binlog = 1; and the same in my.cnf';
    findings.push(problem('asynchronous_commit', message, remedy));
  }
  if (!/STRICT_(ALL|TRANS)_TABLES/.test(String(facts['mode']))) {
    const message = 'Connections do not keep the strict sql_mode: values that are too long are cut off.';
    findings.push(problem('sql_mode', message, "set global sql_mode = 'STRICT_ALL_TABLES'; and the same in my.cnf"));
  }
  const packet = Number(facts['packet']);
  if (packet < wantedPacket) {
    const message = `max_allowed_packet is ${packet} bytes: a batch of visits to links with long URLs may be refused.`;
    const remedy = `set global max_allowed_packet = ${2 * wantedPacket}; and the same in my.cnf`;
    findings.push((packet < neededPacket ? problem : advice)('small_packets', message, remedy));
  }
  return [...findings, ...ofTables(columns, tables)];
}

function ofTables(columns: readonly MysqlRow[], tables: MysqlTables): Finding[] {
  const keys = [
    [tables.records, 'id'],
    [tables.counters, 'id'],
    [tables.counters, 'name'],
    [tables.batches, 'writer'],
  ] as const;
  const findings: Finding[] = [];
  for (const table of Object.values(tables) as string[]) {
    const engine = columns.find((column) => column['table'] === table)?.['engine'] as string | undefined;
    if (engine === undefined) {
      const message = `The table ${table} is missing. The site creates it at its first start.`;
      const remedy = 'grant create, select, insert, update, delete on <database>.* to <user>;';
      findings.push(advice('missing_tables', message, remedy));
    } else if (engine.toLowerCase() !== 'innodb') {
      const message = `The table ${table} has the engine ${engine}, which has no transactions.`;
      findings.push(problem('no_transactions', message, `alter table ${table} engine = InnoDB;`));
    }
  }
  for (const [table, name] of keys) {
    const column = columns.find((one) => one['table'] === table && one['name'] === name);
    if (column === undefined) continue;
    if (column['is_key'] !== 'PRI') {
      const message = `The column ${name} of ${table} is not in a primary key: links and numbers may be given twice.`;
      findings.push(problem('missing_primary_key', message, 'Restore the table from a backup that has the key.'));
    }
    const {collation, size} = column;
    if (!String(collation).endsWith('_bin')) {
      const message = `The collation ${String(collation)} of ${table}.${name} treats different keys as equal.`;
      const remedy = `alter table ${table} modify ${name} varchar(${String(size)}) character set ascii collate ascii_bin not null;`;
      findings.push(problem('case_insensitive_keys', message, remedy));
    }
  }
  return findings;
}
