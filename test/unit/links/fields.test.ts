import test from 'ava';
import {readTags} from '../../../src/links/fields.ts';
import {range} from '../../support/engines/crowd.ts';

test('a repeated tag counts once, also towards the limit of twenty', (t) => {
  const twenty = range(20).map((index) => `tag-${index}`);
  t.deepEqual(readTags([...twenty, ...twenty]), twenty);
  t.deepEqual(readTags(['b', 'a', 'b', 'A']), ['b', 'a', 'A']);
  t.throws(() => readTags([...twenty, 'one more']), {code: 'malformed_parameter'});
});
