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

  test(`on any day of ${month.first.slice(0, 7)}, this month begins with its first day, beside the same days of the one before`, (t) => {
    for (const today of [month.first, `${month.first.slice(0, 8)}15`, month.last]) {
      const span = spanIn(new URLSearchParams({days: 'month'}), today);
      t.deepEqual(span.query, {from: month.first, until: today}, today);
      const compared = datesBefore(span, today) ?? [];
      const days = Math.min(span.dates.length, before.length);
      t.deepEqual([compared[0], compared.length], [before.first, days], today);
      t.true((compared.at(-1) ?? '') <= before.last, today);
    }
  });

  test(`the days of ${month.first.slice(0, 7)} that a user enters are compared as those of the choice are`, (t) => {
    const [whole, part] = [month.last, `${month.first.slice(0, 8)}15`].map((until) => {
      const entered = spanIn(new URLSearchParams({from: month.first, until}), '2032-12-31');
      return datesBefore(entered, '2032-12-31');
    });
    t.deepEqual([whole?.[0], whole?.at(-1)], [before.first, before.last]);
    t.deepEqual([part?.[0], part?.length], [before.first, 15]);
  });
}

test('the 31st of March is compared with all of February, and other days with as many before', (t) => {
  const ends = (query: Record<string, string>, today: string): ReadonlyArray<string | undefined> => {
    const dates = datesBefore(spanIn(new URLSearchParams(query), today), today);
    return [dates?.[0], dates?.at(-1)];
  };
  t.deepEqual(ends({days: 'month'}, '2031-03-31'), ['2031-02-01', '2031-02-28']);
  t.deepEqual(ends({days: 'month'}, '2031-11-03'), ['2031-10-01', '2031-10-03']);
  t.deepEqual(ends({days: 'month'}, '2031-02-28'), ['2031-01-01', '2031-01-28']);
  t.deepEqual(ends({days: '7'}, '2031-11-07'), ['2031-10-25', '2031-10-31']);
  t.deepEqual(ends({from: '2031-11-02', until: '2031-11-03'}, '2031-11-07'), ['2031-10-31', '2031-11-01']);
  t.deepEqual(ends({from: '2031-11-01', until: '2031-12-02'}, '2031-12-07'), ['2031-09-30', '2031-10-31']);
});

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
