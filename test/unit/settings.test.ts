import test from 'ava';
import {readOptions} from '../../src/settings.ts';

test('a clock with fractions is rounded down, because dates are stored as integers', (t) => {
  const {now} = readOptions({baseUrl: 'https://example.com', store: 'memory:', now: () => 1234.5});
  t.is(now(), 1234);
});
