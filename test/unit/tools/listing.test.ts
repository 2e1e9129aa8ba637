import test from 'ava';
import {newTallies, renewTally} from '../../../src/tools/copy/key-tally.ts';
import {listKeys} from '../../../src/tools/listing.ts';

test('keys of a listing that begins again are counted once', async (t) => {
  const parts = [
    {keys: ['a', 'b'], next: '1'},
    {keys: ['c'], next: '2', beginsAgain: true},
    {keys: ['b', 'c'], next: '3'},
    {keys: ['a', 'd'], next: undefined},
  ];
  const store = {keys: async (_kind: string, _prefix: string, cursor = '0') => parts[Number(cursor)] ?? t.fail()};
  const tallies = newTallies();
  const onAgain = renewTally(tallies, 'records');
  for await (const keys of listKeys(store, 'records', '', onAgain)) tallies.records.add(keys);
  t.is(tallies.records.count, 4);
});
