import test from 'ava';
import type {Finding} from '../../../../src/store/findings.ts';
import {judgeDatabase} from '../../../../src/store/sqlite/inspect.ts';

function codes(findings: readonly Finding[]): string[] {
  return findings.map(({severity, code}) => `${severity} ${code}`);
}

test('an SQLite file without a write-ahead log or without flushed commits is reported', (t) => {
  t.deepEqual(codes(judgeDatabase({journalMode: 'wal', synchronous: 2})), []);
  const both = ['problem journal_mode', 'problem asynchronous_commit'];
  t.deepEqual(codes(judgeDatabase({journalMode: 'delete', synchronous: 1})), both);
});
