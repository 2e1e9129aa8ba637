import test from 'ava';
import type {Finding} from '../../../../../src/store/findings.ts';
import {judgePostgres} from '../../../../../src/store/engines/postgres/inspect.ts';
import {sqlTables} from '../../../../../src/store/engines/sql/driver.ts';

function codes(findings: readonly Finding[]): string[] {
  return findings.map(({severity, code}) => `${severity} ${code}`);
}

const postgres = {
  version: '15.2 (Debian)',
  role: 'site',
  is_standby: false,
  synchronous_commit: 'on',
  fsync: 'on',
  full_page_writes: 'on',
  default_transaction_read_only: 'off',
  can_select: true,
  can_insert: true,
  can_update: true,
  can_delete: true,
  unlogged_tables: null,
};

test('each harmful setting of a Postgres is reported', (t) => {
  const tables = sqlTables('public.short_url');
  const cases: ReadonlyArray<readonly [Partial<Record<keyof typeof postgres, unknown>>, string[]]> = [
    [{}, []],
    [{version: '11.3'}, ['problem old_version']],
    [{is_standby: true}, ['problem replica']],
    [{default_transaction_read_only: 'on'}, ['problem read_only']],
    [{can_update: false, can_delete: false}, ['problem missing_rights']],
    [{fsync: 'off'}, ['problem unsafe_writes']],
    [{synchronous_commit: 'off'}, ['problem asynchronous_commit']],
    [{synchronous_commit: 'local'}, []],
    [{unlogged_tables: ['short_url', 'short_url_counters']}, ['problem unlogged_table', 'problem unlogged_table']],
  ];
  for (const [change, expected] of cases) {
    t.deepEqual(codes(judgePostgres({...postgres, ...change}, tables).findings), expected);
  }
});
