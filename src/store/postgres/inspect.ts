import {advice, type Finding, isAtLeast, offsetOf, problem} from '../findings.ts';
import type {Inspection} from '../port.ts';
import type {PostgresRow} from './connection.ts';
import type {PostgresTables} from './statements.ts';

const lowestVersion = '12';

/** The query about the server, with one row. `to_regclass` returns null for a missing table. */
function factsOf({records, counters, batches}: PostgresTables): string {
  const tables = [records, counters, batches];
  const right = (name: string): string =>
    tables
      .map((table) => `coalesce(has_table_privilege(to_regclass('${quoted(table)}'), '${name}'), true)`)
      .join(' and ');
  const setting = (name: string): string => `current_setting('${name}', true) as ${name}`;
  return `
    select current_setting('server_version') as version, pg_is_in_recovery() as is_standby, current_user as role,
      extract(epoch from clock_timestamp()) * 1000 as time,
      ${['synchronous_commit', 'fsync', 'full_page_writes', 'default_transaction_read_only'].map(setting).join(', ')},
      ${['select', 'insert', 'update', 'delete'].map((name) => `${right(name)} as can_${name}`).join(', ')},
      (select count(*) from unnest(array[${tables.map((table) => `to_regclass('${quoted(table)}')`).join(', ')}]) as t
        where t is null) as missing_tables,
      (select relpersistence from pg_class where oid = to_regclass('${quoted(records)}')) as persistence,
      (select case when atttypmod > 4 then atttypmod - 4 end from pg_attribute
        where attrelid = to_regclass('${quoted(records)}') and attname = 'key') as key_size,
      (select collname from pg_attribute join pg_collation on pg_collation.oid = attcollation
        where attrelid = to_regclass('${quoted(records)}') and attname = 'key' and not collisdeterministic) as loose_collation`;
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

export function judgePostgres(facts: PostgresRow, {records, counters, batches, keySize}: PostgresTables): Finding[] {
  const findings: Finding[] = [];
  const {version, is_standby: isStandby, role, key_size: size, loose_collation: collation, persistence} = facts;
  if (!isAtLeast(String(version), lowestVersion)) {
    const remedy = `Upgrade to Postgres ${lowestVersion} or later.`;
    findings.push(problem('old_version', `Postgres ${String(version)} is too old.`, remedy));
  }
  if (isStandby === true) {
    const message = 'The server is a standby: it takes no writes.';
    findings.push(problem('replica', message, 'Give the address of the primary server.'));
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
    const message = 'synchronous_commit is off: a crash loses links and visits that were answered.';
    findings.push(problem('asynchronous_commit', message, `alter role ${String(role)} set synchronous_commit = on;`));
  }
  if (persistence === 'u') {
    const message = 'The table of records is unlogged: a crash of the server empties it.';
    findings.push(problem('unlogged_table', message, `alter table ${records} set logged;`));
  }
  if (typeof size === 'number' && size < keySize) {
    const message = `The key column holds ${size} characters, and keys may have ${keySize}: some links cannot be created.`;
    findings.push(
      problem('narrow_key_column', message, `alter table ${records} alter column key type varchar(${keySize});`),
    );
  }
  if (typeof collation === 'string') {
    const message = `The collation ${collation} of the key column takes different keys for one.`;
    const remedy = `alter table ${records} alter column key type varchar(${keySize}) collate "C";`;
    findings.push(problem('case_insensitive_keys', message, remedy));
  }
  if (Number(facts['missing_tables']) > 0) {
    const message = 'Tables are missing. The site creates them at its first start.';
    findings.push(advice('missing_tables', message, `grant create on schema public to ${String(role)};`));
  }
  return findings;
}

function quoted(text: string): string {
  return text.replaceAll("'", "''");
}
