import test from 'ava';
import {endOf, keyPart, keysAtOnce} from '../../../../src/store/sql/rows.ts';

test('a part of a listing continues after its last key, unless it is the last part', (t) => {
  const keys = Array.from({length: keysAtOnce}, (_, index) => `a:${index}`);
  t.deepEqual(keyPart(keys), {keys, next: keys.at(-1)});
  t.is(keyPart(keys.slice(1)).next, undefined);
});

test('the end of a listing is after every key with the prefix, and before any other', (t) => {
  t.true('a:~~~' < endOf('a:'));
  t.true('a;' > endOf('a:'));
});
