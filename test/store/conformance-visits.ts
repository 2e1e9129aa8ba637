import type {Check} from './conformance.ts';

const many = 50;

/** What the port promises of visits. */
export function checkVisits(check: Check): void {
  check('visits add up, and the last of them is remembered', async (t, store) => {
    t.deepEqual(await store.getTallies(['visited', 'never']), [
      {visits: 0, lastVisit: undefined},
      {visits: 0, lastVisit: undefined},
    ]);
    t.deepEqual(await store.getTallies([]), []);
    await store.addVisits({writer: 'a', number: 1, additions: [addition('visited', 2, 5000), addition('other', 1, 1)]});
    await store.addVisits({writer: 'a', number: 2, additions: [addition('visited', 3, 4000)]});
    await store.addVisits({writer: 'b', number: 1, additions: [addition('visited', 1, 6000)]});
    await store.addVisits({writer: 'b', number: 2, additions: []});
    t.deepEqual(await store.getTallies(['other', 'visited', 'never']), [
      {visits: 1, lastVisit: 1},
      {visits: 6, lastVisit: 6000},
      {visits: 0, lastVisit: undefined},
    ]);
  });

  check('visits are told by the day on which they were made', async (t, store) => {
    const day = 86_400_000;
    const daysOf = async (key: string): Promise<Array<readonly [number, number]>> =>
      (await store.getDailyTally(key)).days.toSorted(([one], [other]) => one - other);
    t.deepEqual(await store.getDailyTally('never'), {visits: 0, lastVisit: undefined, days: []});
    await store.addVisits({writer: 'a', number: 1, additions: [addition('daily', 2, 20_000 * day + 5)]});
    const second = {
      writer: 'a',
      number: 2,
      additions: [addition('daily', 3, 20_001 * day), addition('other', 1, 20_001 * day)],
    };
    await store.addVisits(second);
    await store.addVisits(second);
    await store.addVisits({writer: 'b', number: 1, additions: [addition('daily', 4, 20_001 * day - 1)]});
    t.deepEqual(await daysOf('daily'), [
      [20_000, 6],
      [20_001, 3],
    ]);
    t.deepEqual(await daysOf('other'), [[20_001, 1]]);
    const {visits, lastVisit} = await store.getDailyTally('daily');
    t.deepEqual({visits, lastVisit}, {visits: 9, lastVisit: 20_001 * day});
  });

  check('of the days with visits the last four hundred are kept, and no end of others', async (t, store) => {
    const day = 86_400_000;
    const last = 20_800;
    const days = 410;
    for (let number = 1; number <= days; number += 1) {
      await store.addVisits({
        writer: 'a',
        number,
        additions: [addition('long', number, (last - days + number) * day)],
      });
    }
    // A visit that waited for more than a year is counted, and has no day any more.
    await store.addVisits({writer: 'b', number: 1, additions: [addition('long', 1, (last - 405) * day)]});
    const tally = await store.getDailyTally('long');
    t.is(tally.visits, (days * (days + 1)) / 2 + 1);
    t.true(tally.days.length <= 401, `${tally.days.length} days`);
    t.deepEqual(
      tally.days.filter(([number]) => number > last - 400).toSorted(([one], [other]) => one - other),
      Array.from({length: 400}, (_, index) => [last - 399 + index, 11 + index]),
    );
  });

  check('a batch that is written again changes nothing', async (t, store) => {
    const batch = {writer: 'a', number: 7, additions: [addition('once', 2, 5000), addition('also', 1, 5000)]};
    await store.addVisits({...batch, additions: batch.additions.slice(0, 1)});
    await Promise.all(Array.from({length: 5}, () => store.addVisits(batch)));
    await store.addVisits({...batch, number: 6});
    t.deepEqual(await store.getTallies(['once', 'also']), [
      {visits: 2, lastVisit: 5000},
      {visits: 1, lastVisit: 5000},
    ]);
  });

  check('a writer may have any name that a generator of names gives', async (t, store) => {
    for (const writer of ['-a', '--', '_a', '0', 'a-', '-1']) {
      const batch = {writer, number: 1, additions: [addition('named', 1, 5000)]};
      await store.addVisits(batch);
      await store.addVisits(batch);
      await store.addVisits({...batch, number: 2});
    }
    t.deepEqual(await store.getTallies(['named']), [{visits: 12, lastVisit: 5000}]);
  });

  check('batches of many writers at once all count', async (t, store) => {
    await Promise.all(
      Array.from({length: many}, (_, index) =>
        store.addVisits({
          writer: `writer-${index}`,
          number: 1,
          additions: [addition('shared', 1, 1000 + index), addition(`single-${index}`, 2, 1)],
        }),
      ),
    );
    t.deepEqual(await store.getTallies(['shared', 'single-49']), [
      {visits: many, lastVisit: 1000 + many - 1},
      {visits: 2, lastVisit: 1},
    ]);
  });

  check('a writer that was silent for more than a day is forgotten, once there are many', async (t, store) => {
    const start = 1_700_000_000_000;
    const day = 86_400_000;
    const write = (writer: string, at: number): Promise<void> =>
      store.addVisits({writer, number: 1, additions: [addition('pruned', 1, at)]});
    for (let index = 0; index < 16; index += 1) await write(`old-${index}`, start);
    await write('old-0', start + 2 * day);
    t.is((await store.getTallies(['pruned']))[0]?.visits, 16, 'up to 16 writers are remembered whatever their age');
    await write('new', start + 2 * day);
    await write('new', start + 2 * day);
    t.is((await store.getTallies(['pruned']))[0]?.visits, 17);
    await write('old-0', start + 2 * day);
    t.is((await store.getTallies(['pruned']))[0]?.visits, 18, 'the old writers are gone');
  });
}

function addition(key: string, visits: number, lastVisit: number): {key: string; visits: number; lastVisit: number} {
  return {key, visits, lastVisit};
}
