import test from 'ava';
import type {Finding} from '../../../../src/store/findings.ts';
import {judgeMysql} from '../../../../src/store/mysql/inspect.ts';
import {mysqlTables} from '../../../../src/store/mysql/statements.ts';

function codes(findings: readonly Finding[]): string[] {
  return findings.map(({severity, code}) => `${severity} ${code}`);
}

test('each harmful setting of a MySQL or MariaDB is reported', (t) => {
  const tables = mysqlTables();
  const facts = {version: '8.0.36', is_read_only: 0, packet: 67_108_864, flush: 1, mode: 'STRICT_ALL_TABLES'};
  const column = {collation: 'ascii_bin', size: 255, is_key: 'PRI', engine: 'InnoDB'};
  const columns = [
    {...column, table: tables.records, name: 'id'},
    {...column, table: tables.counters, name: 'id'},
    {...column, table: tables.counters, name: 'name'},
    {...column, table: tables.batches, name: 'writer'},
  ];
  const judge = (change: object, ofTables: object = {}): string[] =>
    codes(
      judgeMysql(
        {...facts, ...change},
        columns.map((one, index) => (index === 2 ? {...one, ...ofTables} : one)),
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
  t.deepEqual(judge({}, {collation: 'utf8mb4_0900_ai_ci'}), ['problem case_insensitive_keys']);
  t.deepEqual(judge({}, {is_key: ''}), ['problem missing_primary_key']);
  const inMemory = columns.map((one) => ({...one, engine: 'MEMORY'}));
  t.deepEqual(codes(judgeMysql(facts, inMemory, tables)), Array(3).fill('problem no_transactions'));
  t.deepEqual(codes(judgeMysql(facts, [], tables)), Array(3).fill('advice missing_tables'));
});
