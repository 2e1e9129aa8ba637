import test from 'ava';
import type {Finding} from '../../../../src/store/findings.ts';
import {judgeMysql} from '../../../../src/store/mysql/inspect.ts';
import {mysqlTables} from '../../../../src/store/mysql/statements.ts';

function codes(findings: readonly Finding[]): string[] {
  return findings.map(({severity, code}) => `${severity} ${code}`);
}

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
  t.deepEqual(judge({has_binlog: 1, sync_binlog: 0}), ['problem asynchronous_commit']);
  t.deepEqual(judge({has_binlog: 1, sync_binlog: 100}), ['problem asynchronous_commit']);
  t.deepEqual(judge({has_binlog: 1, sync_binlog: 1}), []);
  t.deepEqual(judge({has_binlog: 0, sync_binlog: 0}), [], 'without a binary log the setting has no effect');
  t.deepEqual(judge({mode: ''}), ['problem sql_mode']);
  t.deepEqual(judge({packet: 4_194_304}), ['advice small_packets']);
  t.deepEqual(judge({packet: 1024}), ['problem small_packets']);
  t.deepEqual(judge({}, {engine: 'MyISAM'}), ['problem no_transactions']);
  t.deepEqual(judge({}, {size: 100}), ['problem narrow_key_column']);
  t.deepEqual(judge({}, {collation: 'utf8mb4_0900_ai_ci'}), ['advice case_insensitive_keys']);
  t.deepEqual(judge({}, {}, {type: 'text'}), ['advice short_value_column']);
  t.deepEqual(codes(judgeMysql(facts, [], tables)), ['advice missing_tables']);
});
