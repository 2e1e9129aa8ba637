import {detailCounter, detailOf, inMonth, withoutMonth} from '../../../src/link/counters.ts';
import test from 'ava';

test('a counter is named after its value, in printable ASCII without spaces, and names it again', (t) => {
  const longest = String.fromCodePoint(0x10ffff).repeat(64);
  for (const value of [
    'a.example',
    'New York: "Bronx" 5%',
    '%20.',
    'Zürich',
    '東京',
    '😀'.repeat(64),
    longest,
    '__proto__',
  ]) {
    const counter = detailCounter('a'.repeat(32), value);
    t.regex(counter, /^[\w:.%-]{1,640}$/);
    t.deepEqual(detailOf(counter), {name: 'a'.repeat(32), value, month: undefined});
    t.deepEqual(detailOf(inMonth(counter, 720)), {name: 'a'.repeat(32), value, month: 720});
    t.is(withoutMonth(inMonth(counter, 720)), counter);
    t.is(withoutMonth(counter), counter);
  }
  t.is(detailCounter('city', 'New York'), 'city:New%20.York');
  for (const counter of ['v', 'g', 'dfda', ':x']) t.is(detailOf(counter), undefined);
  t.like(detailOf('city:%ffffff.'), {name: 'city', value: '%ffffff.'});
});
