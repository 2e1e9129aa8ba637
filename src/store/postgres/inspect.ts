import {advice, type Finding, isAtLeast, offsetOf, problem} from '../findings.ts';
import type {Inspection} from '../port.ts';
import type {PostgresRow} from './connection.ts';
import type {PostgresTables} from './statements.ts';

const lowestVersion = '12';

/** The query about the server, with one row. `to_regclass` returns null for a missing table. */
function factsOf({records, counters, batches}: PostgresTables): string {
  const tables = [records, counters, batches];
  const right = (name: string): string =>
    tables.map((table) => `coalesce(has_table_privilege(to_regclass('${table}'), '${name}'), true)`).join(' and ');
  const setting = (name: string): string => `current_setting('${name}', true) as ${name}`;
  const oids = `array[${tables.map((table) => `to_regclass('${table}')`).join(', ')}]::oid[]`;
  return `
    select current_setting('server_version') as version, pg_is_in_recovery() as is_standby, current_user as role,
      extract(epoch from clock_timestamp()) * 1000 as time,
      ${['synchronous_commit', 'fsync', 'full_page_writes', 'default_transaction_read_only'].map(setting).join(', ')},
      ${['select', 'insert', 'update', 'delete'].map((name) => `${right(name)} as can_${name}`).join(', ')},
      (select count(*) from unnest(${oids}) as t where t is null) as missing_tables,
      ${setting('autovacuum')}, ${setting('idle_session_timeout')},
      (select array_agg(oid::regclass::text) from pg_class
        where oid = any(${oids}) and relpersistence <> 'p') as unlogged_tables,
      (select array_agg(oid::regclass::text) from pg_class
        where oid = any(${oids})
          and not exists (select 1 from pg_index where indrelid = pg_class.oid and indisprimary)) as keyless_tables,
      (select array_agg(attrelid::regclass || '.' || attname)
        from pg_attribute join pg_collation on pg_collation.oid = attcollation
        where attrelid = any(${oids}) and not collisdeterministic) as loose_columns`;
}

/** @param ask runs a query */
export async function inspectPostgres(
  ask: (text: string) => Promise<readonly PostgresRow[]>,
  tables: PostgresTables,
): Promise<Inspection> {
  let facts: PostgresRow = {};
  const clockOffset = await offsetOf(async () => {
    [facts = {}] = await ask(factsOf(tables));
    return Number(facts['time']);
  });
  return {version: `Postgres ${String(facts['version'])}`, clockOffset, findings: judgePostgres(facts, tables)};
}

export function judgePostgres(facts: PostgresRow, {records, counters, batches}: PostgresTables): Finding[] {
  const findings: Finding[] = [];
  const {version, is_standby: isStandby, role} = facts;
  const names = (fact: string): readonly string[] => (facts[fact] as readonly string[] | null | undefined) ?? [];
  if (!isAtLeast(String(version), lowestVersion)) {
    const remedy = `Upgrade to Postgres ${lowestVersion} or later.`;
    findings.push(problem('old_version', `Postgres ${String(version)} is too old.`, remedy));
  }
  if (isStandby === true) {
    const message = 'The server is a standby and refuses writes.';
    findings.push(problem('replica', message, 'Use the address of the primary server.'));
  }
  if (isStandby !== true && facts['default_transaction_read_only'] === 'on') {
    const message = 'Transactions are read-only by default: nothing can be written.';
    findings.push(problem('read_only', message, `alter role ${String(role)} set default_transaction_read_only = off;`));
  }
  const missing = ['select', 'insert', 'update', 'delete'].filter((name) => facts[`can_${name}`] === false);
  if (missing.length > 0) {
    const message = `The role ${String(role)} has no right to ${missing.join(', ')}.`;
    const remedy = `grant ${missing.join(', ')} on ${[records, counters, batches].join(', ')} to ${String(role)};`;
    findings.push(problem('missing_rights', message, remedy));
  }
  if (facts['fsync'] === 'off' || facts['full_page_writes'] === 'off') {
    const name = facts['fsync'] === 'off' ? 'fsync' : 'full_page_writes';
    const message = `${name} is off: a crash of the machine may destroy the database.`;
    findings.push(problem('unsafe_writes', message, `alter system set ${name} = on; select pg_reload_conf();`));
  }
  if (facts['synchronous_commit'] === 'off') {
    const message = 'synchronous_commit is off: a crash loses acknowledged links and visits.';
    findings.push(problem('asynchronous_commit', message, `alter role ${String(role)} set synchronous_commit = on;`));
  }
  for (const table of names('unlogged_tables')) {
    const message = `The table ${table} is unlogged: a crash of the server empties it.`;
    findings.push(problem('unlogged_table', message, `alter table ${table} set logged;`));
  }
  for (const table of names('keyless_tables')) {
    const message = `The table ${table} has no primary key: links and numbers may be given twice.`;
    findings.push(problem('missing_primary_key', message, 'Restore the table from a backup that has the key.'));
  }
  for (const column of names('loose_columns')) {
    const [table, name] = [column.slice(0, column.lastIndexOf('.')), column.slice(column.lastIndexOf('.') + 1)];
    const message = `The collation of ${column} treats different keys as equal.`;
    const remedy = `alter table ${table} alter column ${name} type text collate "C";`;
    findings.push(problem('case_insensitive_keys', message, remedy));
  }
  if (facts['autovacuum'] === 'off') {
    const message = 'The setting autovacuum is off: every visit leaves a dead row, so the tables grow and become slow.';
    findings.push(problem('no_autovacuum', message, 'alter system set autovacuum = on; select pg_reload_conf();'));
  }
  const idle = facts['idle_session_timeout'];
  if (typeof idle === 'string' && !/^0\D*$/.test(idle)) {
    const message = `The setting idle_session_timeout is ${idle}: the server closes connections while the site has no visitors.`;
    findings.push(advice('idle_timeout', message, `alter role ${String(role)} set idle_session_timeout = 0;`));
  }
  if (Number(facts['missing_tables']) > 0) {
    const message = 'Tables are missing. The site creates them at its first start.';
    findings.push(advice('missing_tables', message, `grant create on schema public to ${String(role)};`));
  }
  return findings;
}
