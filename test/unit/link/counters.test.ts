import {
  conversionCounter,
  conversionCounts,
  conversionOf,
  detailCounter,
  detailOf,
  inMonth,
  withoutMonth,
} from '../../../src/link/counters.ts';
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

test('the counters of conversions are told apart from all others, and name what they count', (t) => {
  for (const recordedBy of ['site', 'account'] as const) {
    for (const currency of [undefined, 'EUR']) {
      for (const day of [undefined, 0, 22_000]) {
        for (const kind of conversionCounts) {
          const name = {recordedBy, name: 'order_2', currency};
          t.deepEqual(conversionOf(conversionCounter(kind, name, day)), {...name, kind, day});
        }
      }
    }
  }
  const others = [
    'v',
    'g',
    'c',
    'dgz4',
    'c.',
    'c.Order',
    'c.order.eur',
    'c.order.EUR.x',
    'c.order.',
    'x.order',
    'm.order',
  ];
  for (const counter of [...others, 'city:c.order', 'b1.city:New', ' c.order', 'c.order\n']) {
    t.is(conversionOf(counter), undefined, counter);
  }
});
