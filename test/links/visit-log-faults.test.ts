import {randomInt} from 'node:crypto';
import {setImmediate} from 'node:timers/promises';
import test from 'ava';
import fc from 'fast-check';
import {VisitLog} from '../../src/links/visit-log.ts';
import type {Store, VisitBatch} from '../../src/store/port.ts';
import {memoryStore, outage} from '../support/store-stub.ts';

// A longer search: VISIT_RUNS=5000. The runs of one that failed: its VISIT_SEED.
const runs = Number(process.env['VISIT_RUNS'] ?? 500);
const seed = Number(process.env['VISIT_SEED'] ?? randomInt(2 ** 31));
const keys = ['a', 'b', 'c', 'd'];

/** What becomes of a batch. `late`: it arrives behind the next one that does; `half`: some of its links are refused. */
const fates = ['stored', 'lost', 'answer lost', 'late', 'half'] as const;

const story = fc.record({
  fates: fc.array(fc.constantFrom(...fates), {maxLength: 10}),
  pings: fc.array(fc.boolean(), {maxLength: 10}),
  visits: fc.array(fc.record({key: fc.constantFrom(...keys), turns: fc.nat(3)}), {minLength: 1, maxLength: 30}),
});

type Story = typeof story extends fc.Arbitrary<infer Value> ? Value : never;

/** A store that does to one batch after another what the story says, and then everything right. */
function faultyStore({fates, pings}: Pick<Story, 'fates' | 'pings'>): {store: Store; deliver: () => Promise<void>} {
  const inner = memoryStore();
  const late: VisitBatch[] = [];
  /** Brings what is late, however often it has come already. */
  const deliver = async (): Promise<void> => {
    for (const batch of late) await inner.addVisits(batch);
  };
  const fateOf = fates.values();
  const answerOf = pings.values();
  const addVisits = async (batch: VisitBatch): Promise<void> => {
    const fate = fateOf.next().value ?? 'stored';
    const {additions} = batch;
    if (fate === 'late') late.push(batch);
    else if (fate !== 'lost') {
      await inner.addVisits({...batch, additions: fate === 'half' ? additions.slice(additions.length / 2) : additions});
      await deliver();
    }
    if (fate !== 'stored') throw outage();
  };
  const ping = async (): Promise<void> => {
    if (answerOf.next().value === false) throw outage();
  };
  const store = new Proxy(inner, {
    get(target, name: keyof Store) {
      if (name === 'addVisits') return addVisits;
      if (name === 'ping') return ping;
      return (Reflect.get(target, name) as () => unknown).bind(target);
    },
  });
  return {store, deliver};
}

test('whatever becomes of batches, every visit counts once', async (t) => {
  t.log(`VISIT_RUNS=${runs} VISIT_SEED=${seed}`);
  // All at once, because a log waits a second before it asks again for a link that was refused.
  await Promise.all(
    fc.sample(story, {seed, numRuns: runs}).map(async ({visits, ...faults}) => {
      const {store, deliver} = faultyStore(faults);
      const log = new VisitLog(store, () => undefined);
      const answers: Array<Promise<void>> = [];
      for (const {key, turns} of visits) {
        for (let turn = 0; turn < turns; turn += 1) await setImmediate();
        answers.push(log.add(key, 1));
      }
      await Promise.all(answers);
      const lost = await log.close(60_000);
      await deliver();
      const counted = (await store.getTallies(keys)).map((tally) => tally.visits);
      const expected = keys.map((key) => visits.filter((visit) => visit.key === key).length);
      t.deepEqual({lost, counted}, {lost: 0, counted: expected}, fc.stringify({visits, ...faults}));
    }),
  );
});
