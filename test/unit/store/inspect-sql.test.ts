import test from 'ava';
import {judgeMysql} from '../../../src/store/inspect-mysql.ts';
import {judgePostgres} from '../../../src/store/inspect-postgres.ts';
import {judgeDatabase} from '../../../src/store/inspect-sqlite.ts';
import {mysqlTables} from '../../../src/store/mysql-statements.ts';
import type {Finding} from '../../../src/store/port.ts';
import {postgresTables} from '../../../src/store/postgres-statements.ts';

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

test('what a MySQL or MariaDB does that would hurt is told', (t) => {
  const tables = mysqlTables({table: 'keyv'});
  const facts = {version: '8.0.36', is_read_only: 0, packet: 67_108_864, flush: 1, mode: 'STRICT_ALL_TABLES'};
  const id = {name: 'id', collation: 'utf8mb4_bin', size: 255, type: 'varchar', engine: 'InnoDB'};
  const value = {name: 'value', collation: 'utf8mb4_bin', size: 4_294_967_295, type: 'longtext', engine: 'InnoDB'};
  const judge = (change: object, key: object = {}, content: object = {}): string[] =>
    codes(
      judgeMysql(
        {...facts, ...change},
        [
          {...id, ...key},
          {...value, ...content},
        ],
        tables,
      ),
    );
  t.deepEqual(judge({}), []);
  t.deepEqual(judge({version: '10.11.6-MariaDB-0+deb12u1'}), []);
  t.deepEqual(judge({version: '5.7.44'}), ['problem old_version']);
  t.deepEqual(judge({version: '10.5.23-MariaDB'}), ['problem old_version']);
  t.deepEqual(judge({is_read_only: 1}), ['problem read_only']);
  t.deepEqual(judge({flush: 2}), ['problem asynchronous_commit']);
  t.deepEqual(judge({mode: ''}), ['problem sql_mode']);
  t.deepEqual(judge({packet: 4_194_304}), ['advice small_packets']);
  t.deepEqual(judge({packet: 1024}), ['problem small_packets']);
  t.deepEqual(judge({}, {engine: 'MyISAM'}), ['problem no_transactions']);
  t.deepEqual(judge({}, {size: 100}), ['problem narrow_key_column']);
  t.deepEqual(judge({}, {collation: 'utf8mb4_0900_ai_ci'}), ['advice case_insensitive_keys']);
  t.deepEqual(judge({}, {}, {type: 'text'}), ['advice short_value_column']);
  t.deepEqual(codes(judgeMysql(facts, [], tables)), ['advice missing_tables']);
});

test('an SQLite without a write-ahead log or without flushed commits is told of', (t) => {
  t.deepEqual(codes(judgeDatabase({journalMode: 'wal', synchronous: 2})), []);
  const both = ['problem journal_mode', 'problem asynchronous_commit'];
  t.deepEqual(codes(judgeDatabase({journalMode: 'delete', synchronous: 1})), both);
});
