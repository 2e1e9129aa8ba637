import test from 'ava';
import {datesBefore, spanIn} from '../../../../src/dashboard/visits/span.ts';

/** Each month of a year, its first and last day. 2032 is a leap year. */
const months = Array.from({length: 12}, (_, index) => {
  const number = String(index + 1).padStart(2, '0');
  const length = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][index] ?? 0;
  return {first: `2032-${number}-01`, last: `2032-${number}-${length}`, length};
});
const december = {first: '2031-12-01', last: '2031-12-31', length: 31};
const november = {first: '2031-11-01', last: '2031-11-30', length: 30};

for (const [index, month] of months.entries()) {
  const [before = december, twoBefore = december] = [months[index - 1], index === 0 ? november : months[index - 2]];

  test(`on any day of ${month.first.slice(0, 7)}, the last month is the whole one before, beside the one before that`, (t) => {
    for (const today of [month.first, `${month.first.slice(0, 8)}15`, month.last]) {
      const span = spanIn(new URLSearchParams({days: 'last-month'}), today);
      t.deepEqual(span.query, {from: before.first, until: before.last}, today);
      t.is(span.dates.length, before.length, today);
      const compared = datesBefore(span, today) ?? [];
      t.deepEqual([compared[0], compared.at(-1), compared.length], [twoBefore.first, twoBefore.last, twoBefore.length]);
    }
  });

  test(`on any day of ${month.first.slice(0, 7)}, this month begins with its first day, beside the whole one before`, (t) => {
    for (const today of [month.first, `${month.first.slice(0, 8)}15`, month.last]) {
      const span = spanIn(new URLSearchParams({days: 'month'}), today);
      t.deepEqual(span.query, {from: month.first, until: today}, today);
      const compared = datesBefore(span, today) ?? [];
      t.deepEqual([compared[0], compared.at(-1), compared.length], [before.first, before.last, before.length]);
    }
  });
}

test('so many days end today, in a leap year and over its end, beside as many before', (t) => {
  for (const [today, days, from, before] of [
    ['2032-03-01', '7', '2032-02-24', '2032-02-17'],
    ['2032-03-01', '30', '2032-02-01', '2032-01-02'],
    ['2033-01-01', '90', '2032-10-04', '2032-07-06'],
    ['2031-03-01', '7', '2031-02-23', '2031-02-16'],
  ] as const) {
    const span = spanIn(new URLSearchParams({days}), today);
    t.deepEqual(span.query, {from, until: today});
    t.is(span.dates.length, Number(days));
    t.deepEqual([datesBefore(span, today)?.[0], datesBefore(span, today)?.length], [before, Number(days)]);
  }
});
