import {type Finding, isAtLeast, offsetOf, problem} from '../findings.ts';
import type {Inspection} from '../port.ts';
import type {PostgresRow} from './connection.ts';
import type {PostgresTables} from './statements.ts';

const lowestVersion = '12';

const rights = ['select', 'insert', 'update', 'delete'] as const;

/** The query about the server, with one row. `to_regclass` returns null for a missing table. */
function factsOf({records, counters, batches}: PostgresTables): string {
  const tables = [records, counters, batches];
  const right = (name: string): string =>
    tables.map((table) => `coalesce(has_table_privilege(to_regclass('${table}'), '${name}'), true)`).join(' and ');
  const settings = ['synchronous_commit', 'fsync', 'full_page_writes', 'default_transaction_read_only'];
  return `
    select current_setting('server_version') as version, pg_is_in_recovery() as is_standby, current_user as role,
      extract(epoch from clock_timestamp()) * 1000 as time,
      ${settings.map((name) => `current_setting('${name}', true) as ${name}`).join(', ')},
      ${rights.map((name) => `${right(name)} as can_${name}`).join(', ')},
      (select array_agg(oid::regclass::text) from pg_class
        where oid = any(array[${tables.map((table) => `to_regclass('${table}')`).join(', ')}]::oid[])
          and relpersistence <> 'p') as unlogged_tables`;
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
  if (!isAtLeast(String(version), lowestVersion)) {
    const remedy = `Upgrade to Postgres ${lowestVersion} or later.`;
    findings.push(problem('old_version', `Postgres ${String(version)} is too old.`, remedy));
  }
  if (isStandby === true) {
    const message = 'The server is a standby and refuses writes.';
    findings.push(problem('replica', message, 'Use the address of the primary server.'));
  } else if (facts['default_transaction_read_only'] === 'on') {
    const message = 'Transactions are read-only by default: nothing can be written.';
    findings.push(problem('read_only', message, `alter role ${String(role)} set default_transaction_read_only = off;`));
  }
  const missing = rights.filter((name) => facts[`can_${name}`] === false).join(', ');
  if (missing !== '') {
    const message = `The role ${String(role)} has no right to ${missing}.`;
    const remedy = `grant ${missing} on ${[records, counters, batches].join(', ')} to ${String(role)};`;
    findings.push(problem('missing_rights', message, remedy));
  }
  for (const name of ['fsync', 'full_page_writes'].filter((setting) => facts[setting] === 'off')) {
    const message = `${name} is off: a crash of the machine may destroy the database.`;
    findings.push(problem('unsafe_writes', message, `alter system set ${name} = on; select pg_reload_conf();`));
  }
  if (facts['synchronous_commit'] === 'off') {
    const message = 'synchronous_commit is off: a crash loses acknowledged links and visits.';
    findings.push(problem('asynchronous_commit', message, `alter role ${String(role)} set synchronous_commit = on;`));
  }
  for (const table of (facts['unlogged_tables'] as readonly string[] | null) ?? []) {
    const message = `The table ${table} is unlogged: a crash of the server empties it.`;
    findings.push(problem('unlogged_table', message, `alter table ${table} set logged;`));
  }
  return findings;
}
