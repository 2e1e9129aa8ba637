import test from 'ava';
import {describe} from '../../../src/host/describe.ts';

test('an array is described by its first elements, and no string is repeated', (t) => {
  t.is(describe([]), 'an empty array');
  t.is(describe(['a secret', undefined, 1]), 'an array of a string of 8 characters, undefined, 1');
  t.is(describe([1, 2, 3, 4, 5, 6]), 'an array of 1, 2, 3, 4, 5, …');
  const cyclic: unknown[] = [];
  cyclic.push(cyclic);
  t.is(describe(cyclic), 'an array of an array');
});
