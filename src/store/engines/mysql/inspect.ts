import {type Finding, isAtLeast, problem} from '../../findings.ts';
import type {Inspection} from '../../port.ts';
import type {SqlRow} from '../sql/connection.ts';

const lowestMysql = '8.0';
const lowestMariadb = '10.6';

/** The longest batch of visits, in bytes: 200 links with long URLs. */
const neededPacket = 8 * 2 ** 20;

export function judgeMysql(facts: SqlRow): Omit<Inspection, 'clockOffset'> {
  const findings: Finding[] = [];
  const version = String(facts['version']);
  const [product, lowest] = /mariadb/i.test(version) ? ['MariaDB', lowestMariadb] : ['MySQL', lowestMysql];
  if (!isAtLeast(version, lowest)) {
    const remedy = `Upgrade to ${product} ${lowest} or later.`;
    findings.push(problem('old_version', `The version ${version} is too old.`, remedy));
  }
  if (Number(facts['is_read_only']) > 0) {
    const remedy = 'set global read_only = off; or use the address of the primary server.';
    findings.push(problem('read_only', 'The server is read-only, perhaps a replica.', remedy));
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
  for (const table of parts(facts['without_transactions'])) {
    const message = `The table ${table} is on an engine without transactions: a crash of the server loses links or counts.`;
    findings.push(problem('no_transactions', message, `alter table ${table} engine = InnoDB;`));
  }
  const packet = Number(facts['packet']);
  if (packet < neededPacket) {
    const message = `max_allowed_packet is ${packet} bytes: a batch of visits to links with long URLs may be refused.`;
    const remedy = `set global max_allowed_packet = ${2 * neededPacket}; and the same in my.cnf`;
    findings.push(problem('small_packets', message, remedy));
  }
  return {version: `${product} ${/^[\d.]+/.exec(version)?.[0] ?? version}`, findings};
}

/** The parts of a list with commas between them; none for null, which is an empty one. */
function parts(list: unknown): string[] {
  return typeof list === 'string' ? list.split(',') : [];
}
