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

/** The query about the table of records. Without the table it returns no rows. */
const columnsOfRecords = `
  select column_name as name, collation_name as collation, character_maximum_length as size, data_type as type,
    (select engine from information_schema.tables as t
      where t.table_schema = c.table_schema and t.table_name = c.table_name) as engine
  from information_schema.columns as c where table_schema = coalesce(?, database()) and table_name = ?`;

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
  const [name, schema = null] = tables.table.split('.').reverse();
  const columns = await ask(columnsOfRecords, [schema, name]);
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
    const message = 'The server is read-only, as a replica is: it takes no writes.';
    findings.push(
      problem('read_only', message, 'set global read_only = off; or give the address of the primary server.'),
    );
  }
  if (Number(facts['flush']) !== 1) {
    const message = `innodb_flush_log_at_trx_commit is ${String(facts['flush'])}: a crash loses links and visits that were answered.`;
    const remedy = 'set global innodb_flush_log_at_trx_commit = 1; and the same in my.cnf';
    findings.push(problem('asynchronous_commit', message, remedy));
  }
  if (Number(facts['has_binlog']) > 0 && Number(facts['sync_binlog']) !== 1) {
    const message = `sync_binlog is ${String(facts['sync_binlog'])}: a power cut loses links and visits that were answered.`;
    const remedy = 'set global sync_binlog = 1; and the same in my.cnf';
    findings.push(problem('asynchronous_commit', message, remedy));
  }
  if (!/STRICT_(ALL|TRANS)_TABLES/.test(String(facts['mode']))) {
    const message = 'The strict sql_mode does not last on connections: values that are too long are cut off.';
    findings.push(problem('sql_mode', message, "set global sql_mode = 'STRICT_ALL_TABLES'; and the same in my.cnf"));
  }
  const packet = Number(facts['packet']);
  if (packet < wantedPacket) {
    const message = `max_allowed_packet is ${packet} bytes: a batch of visits of links with long URLs may be refused.`;
    const remedy = `set global max_allowed_packet = ${2 * wantedPacket}; and the same in my.cnf`;
    findings.push((packet < neededPacket ? problem : advice)('small_packets', message, remedy));
  }
  return [...findings, ...ofTable(columns, tables)];
}

function ofTable(columns: readonly MysqlRow[], {records, keySize}: MysqlTables): Finding[] {
  const findings: Finding[] = [];
  const [key, value] = ['id', 'value'].map((name) => columns.find((column) => column['name'] === name));
  if (key === undefined || value === undefined) {
    const message = 'Tables are missing. The site creates them at its first start.';
    return [
      advice('missing_tables', message, 'grant create, select, insert, update, delete on <database>.* to <user>;'),
    ];
  }
  if (String(key['engine']).toLowerCase() !== 'innodb') {
    const message = `The table of records has the engine ${String(key['engine'])}, which has no transactions.`;
    findings.push(problem('no_transactions', message, `alter table ${records} engine = InnoDB;`));
  }
  if (Number(key['size']) < keySize) {
    const message = `The key column holds ${String(key['size'])} characters, and keys may have ${keySize}: some links cannot be created.`;
    findings.push(problem('narrow_key_column', message, `alter table ${records} modify id varchar(${keySize});`));
  }
  const collation = String(key['collation']);
  if (collation.endsWith('_ci')) {
    const message =
      `The collation ${collation} of the key column ignores case. Links stay apart, because capitals are escaped in ` +
      'their keys; other programs that use the table may mix up keys.';
    const remedy = `alter table ${records} modify id varchar(${keySize}) character set utf8mb4 collate utf8mb4_bin not null;`;
    findings.push(advice('case_insensitive_keys', message, remedy));
  }
  if (value['type'] !== 'longtext' && value['type'] !== 'mediumtext') {
    const message = `The value column is ${String(value['type'])}: longer records are refused.`;
    findings.push(advice('short_value_column', message, `alter table ${records} modify value longtext;`));
  }
  return findings;
}
