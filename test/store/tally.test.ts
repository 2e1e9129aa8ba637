import test from 'ava';
import fc from 'fast-check';
import {dayLength, daysKept} from '../../src/store/port.ts';
import {
  addToTallyText,
  readDailyTally,
  readTally,
  type StoredTally,
  writerLife,
  writersKept,
} from '../../src/store/tally.ts';

const start = 1_700_000_000_000;

function add(text: string | undefined, writer: string, batch: number, at = start, visits = 1): string | undefined {
  return addToTallyText(text, writer, batch, {key: 'tally', visits, lastVisit: at});
}

function writersOf(text: string | undefined): string[] {
  return (JSON.parse(text ?? '') as StoredTally).writers.map(([name]) => name);
}

test('an absent tally reads as no visits', (t) => {
  t.deepEqual(readTally(undefined), {visits: 0, lastVisit: undefined});
  t.deepEqual(readDailyTally(undefined), {visits: 0, lastVisit: undefined, days: []});
});

test('a batch is added once, and no earlier one after it', (t) => {
  const first = add(undefined, 'a', 2);
  t.is(add(first, 'a', 2), undefined);
  t.is(add(first, 'a', 1), undefined);
  t.is(readTally(add(first, 'a', 3)).visits, 2);
});

test('however often and in whatever order batches are sent again, each counts once', (t) => {
  const batches = fc.array(
    fc.record({
      writer: fc.constantFrom('a', 'b', '__proto__', 'constructor'),
      visits: fc.integer({min: 1, max: 9}),
      repeats: fc.nat(3),
    }),
    {maxLength: 30},
  );
  fc.assert(
    fc.property(batches, (sent) => {
      let text: string | undefined;
      for (const [index, {writer, visits, repeats}] of sent.entries()) {
        for (let time = 0; time <= repeats; time += 1)
          text = add(text, writer, index + 1, start + index, visits) ?? text;
      }
      t.is(
        readTally(text).visits,
        sent.reduce((sum, {visits}) => sum + visits, 0),
      );
    }),
  );
});

test('many writers of one day are all remembered', (t) => {
  let text: string | undefined;
  for (let index = 0; index < 2 * writersKept; index += 1) text = add(text, `writer-${index}`, 1, start + index);
  t.is(writersOf(text).length, 2 * writersKept);
});

test('writers that were silent for more than a day go when there are more than enough', (t) => {
  let text: string | undefined;
  for (let index = 0; index < writersKept; index += 1) text = add(text, `writer-${index}`, 1, start + index);
  t.is(writersOf(text).length, writersKept);
  text = add(text, 'new', 1, start + writerLife + 5);
  t.deepEqual(writersOf(text), [...Array.from({length: writersKept - 5}, (_, index) => `writer-${index + 5}`), 'new']);
  t.is(readTally(text).visits, writersKept + 1);
});

test('a writer is remembered for however long while there are no more than enough', (t) => {
  let text: string | undefined;
  for (let index = 0; index < writersKept; index += 1)
    text = add(text, `writer-${index}`, 1, start + index * 2 * writerLife);
  t.is(writersOf(text).length, writersKept);
  t.is(add(text, 'writer-0', 1), undefined);
});

test('the last day with visits and the 399 days before it are kept', (t) => {
  let text: string | undefined;
  const first = 20_000;
  for (let day = first; day < first + daysKept; day += 1) text = add(text, 'a', day, day * dayLength) ?? text;
  const days = (): number[] => readDailyTally(text).days.map(([day]) => day);
  t.is(days().length, daysKept);
  t.is(days()[0], first);
  text = add(text, 'a', 30_000, (first + daysKept) * dayLength);
  t.is(days().length, daysKept);
  t.is(days()[0], first + 1);
  // A link that rests for a while keeps its last days until others take their place.
  let rare = add(undefined, 'a', 1, first * dayLength);
  rare = add(rare, 'a', 2, (first + 1000) * dayLength);
  t.is(readDailyTally(rare).days.length, 2);
});

test('the writer of a batch is remembered even if its clock is behind', (t) => {
  let text: string | undefined;
  for (let index = 0; index < writersKept; index += 1) text = add(text, `writer-${index}`, 1, start);
  text = add(text, 'behind', 1, start - 2 * writerLife);
  t.is(add(text, 'behind', 1, start - 2 * writerLife), undefined);
  t.is(readTally(text).lastVisit, start);
});
