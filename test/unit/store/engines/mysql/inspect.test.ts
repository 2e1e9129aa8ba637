import test from 'ava';
import type {Finding} from '../../../../../src/store/findings.ts';
import {judgeMysql} from '../../../../../src/store/engines/mysql/inspect.ts';

function codes(findings: readonly Finding[]): string[] {
  return findings.map(({severity, code}) => `${severity} ${code}`);
}

test('each harmful setting of a MySQL or MariaDB is reported', (t) => {
  const facts = {version: '8.0.36', is_read_only: 0, packet: 67_108_864, flush: 1, mode: 'STRICT_ALL_TABLES'};
  const judge = (change: object): string[] => codes(judgeMysql({...facts, ...change}).findings);
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
  t.deepEqual(judge({without_transactions: null}), []);
  t.deepEqual(judge({without_transactions: 'short_url_batches,short_url_counters'}), [
    'problem no_transactions',
    'problem no_transactions',
  ]);
  t.deepEqual(judge({packet: 4_194_304}), ['problem small_packets']);
});
