import {type Finding, isAtLeast, problem} from '../../findings.ts';
import type {Inspection} from '../../port.ts';
import type {SqlRow} from '../sql/connection.ts';
import type {SqlTables} from '../sql/driver.ts';
import {utf8} from './sessions.ts';
import {rights} from './statements.ts';

const lowestVersion = '12';

export function judgePostgres(facts: SqlRow, {records, counters, batches}: SqlTables): Omit<Inspection, 'clockOffset'> {
  const findings: Finding[] = [];
  const {version, is_standby: isStandby, role} = facts;
  if (!isAtLeast(String(version), lowestVersion)) {
    const remedy = `Upgrade to Postgres ${lowestVersion} or later.`;
    findings.push(problem('old_version', `Postgres ${String(version)} is too old.`, remedy));
  }
  if ((facts['encoding'] ?? utf8) !== utf8) {
    const message = `The encoding of the database is ${String(facts['encoding'])}, which cannot store every text.`;
    const remedy = `create database links encoding '${utf8}' template template0; and move the site there: docs/moving.md`;
    findings.push(problem('not_utf8', message, remedy));
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
  return {version: `Postgres ${String(version)}`, findings};
}
