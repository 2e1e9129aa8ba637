import test from 'ava';
import type {Finding} from '../../../../src/store/findings.ts';
import {judgePostgres} from '../../../../src/store/postgres/inspect.ts';
import {postgresTables} from '../../../../src/store/postgres/statements.ts';

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
  missing_tables: '0',
  persistence: 'p',
  key_size: 255,
  loose_collation: null,
};

test('what a Postgres does that would hurt is told', (t) => {
  const tables = postgresTables({schema: 'public', table: 'keyv'});
  const cases: ReadonlyArray<readonly [Partial<Record<keyof typeof postgres, unknown>>, string[]]> = [
    [{}, []],
    [{version: '11.3'}, ['problem old_version']],
    [{is_standby: true}, ['problem replica']],
    [{default_transaction_read_only: 'on'}, ['problem read_only']],
    [{can_update: false, can_delete: false}, ['problem missing_rights']],
    [{fsync: 'off'}, ['problem unsafe_writes']],
    [{synchronous_commit: 'off'}, ['problem asynchronous_commit']],
    [{synchronous_commit: 'local'}, []],
    [{persistence: 'u'}, ['problem unlogged_table']],
    [{key_size: 100}, ['problem narrow_key_column']],
    [{key_size: null}, []],
    [{loose_collation: 'anycase'}, ['problem case_insensitive_keys']],
    [{missing_tables: '3', persistence: null, key_size: null}, ['advice missing_tables']],
  ];
  for (const [change, expected] of cases) t.deepEqual(codes(judgePostgres({...postgres, ...change}, tables)), expected);
});
