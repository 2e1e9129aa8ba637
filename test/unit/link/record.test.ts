import {dayCounter, dayOfCounter} from '../../../src/link/counters.ts';
import {linkCounters, linkRecords, sequences} from '../../../src/link/records.ts';
import {linkPositions} from '../../../src/accounts/records.ts';
import test from 'ava';
import {type LinkRecord, statusOf} from '../../../src/link/record.ts';

test('the keys of records and the names of counters do not change between versions', (t) => {
  t.is(sequences.key('url_id'), 'sequence:url_id');
  t.is(linkRecords.key({domain: 'example.com', slug: 'Spring'}), 'l:{example.com:Spring}');
  t.is(linkCounters.key({domain: 'example.com', slug: 'Spring', counters: 'a-_9'}), 'v:{example.com:Spring}:a-_9');
  t.is(dayCounter(20_000), 'dffk');
  t.deepEqual(['dffk', 'v', 'd:direct'].map(dayOfCounter), [20_000, undefined, undefined]);
  t.is(linkPositions.key('life'), 'positions:life');
});

test('the status of a link follows from its state and its block, then from its end and its start', (t) => {
  for (const [record, now, status] of [
    [{state: 'active'}, Number.MAX_SAFE_INTEGER, 'active'],
    [{state: 'active', end: 10}, 9, 'active'],
    [{state: 'active', end: 10}, 10, 'expired'],
    [{state: 'disabled', end: 10}, 11, 'disabled'],
    [{state: 'removed', end: 10}, 9, 'disabled'],
    [{state: 'active', start: 10}, 9, 'scheduled'],
    [{state: 'active', start: 10}, 10, 'active'],
    [{state: 'disabled', start: 10}, 9, 'disabled'],
    [{state: 'active', start: 10, isBlocked: true}, 9, 'disabled'],
    [{state: 'active', start: 10, end: 5}, 9, 'expired'],
  ] as const) {
    t.is(statusOf(record as unknown as LinkRecord, now), status, JSON.stringify(record));
  }
});
