import {randomInt} from 'node:crypto';
import {setImmediate} from 'node:timers/promises';
import test from 'ava';
import fc from 'fast-check';
import {VisitLog} from '../../../src/visits/visit-log.ts';
import type {Batch, Increments, Store} from '../../../src/store/port.ts';
import {range} from '../../support/engines/crowd.ts';
import {countsOf, memoryStore, outage} from '../../support/store-stub.ts';
import {change, linkOn} from '../../support/visit-log-world.ts';

// VISIT_RUNS=5000 searches longer. VISIT_SEED repeats a run.
const runs = Number(process.env['VISIT_RUNS'] ?? 500);
const seed = Number(process.env['VISIT_SEED'] ?? randomInt(2 ** 31));
const keys = ['a', 'b', 'c', 'd'];

/** A batch has room for the counters of two links with such visits. */
const wide: Increments = Object.fromEntries(
  ['visits', ...range(1900).map((index) => `c${index}`)].map((name) => [name, 1]),
);

/** `late`: the batch arrives after the next one. `half`: only some of the links are stored. */
const fates = ['stored', 'lost', 'answer lost', 'late', 'half'] as const;

const story = fc.record({
  fates: fc.array(fc.constantFrom(...fates), {maxLength: 6}),
  steps: fc.array(
    fc.record({
      key: fc.constantFrom(...keys),
      turns: fc.nat(3),
      isChange: fc.nat(4).map((n) => n === 0),
      isWide: fc.nat(4).map((n) => n === 0),
    }),
    {minLength: 1, maxLength: 30},
  ),
});

type Story = typeof story extends fc.Arbitrary<infer Value> ? Value : never;

/** A store that gives each batch the next fate of the story, and stores the rest. */
function faultyStore({fates: told}: Pick<Story, 'fates'>): {inner: Store; store: Store; deliver: () => Promise<void>} {
  const inner = memoryStore();
  const late: Batch[] = [];
  // Each link by itself, as on a cluster, so a batch can be stored in part.
  const countEach = async ({writer, number, additions}: Batch): Promise<boolean[]> => {
    const counted: boolean[] = [];
    for (const addition of additions) {
      const tag = (addition.link?.revision ?? addition.keys[0] ?? '') as string;
      const [isCounted] = await inner.count({writer: `${writer}:${tag}`, number, additions: [addition]});
      counted.push(isCounted === true);
    }
    return counted;
  };
  /** Delivers the late batches, possibly again. */
  const deliver = async (): Promise<void> => {
    for (const batch of late) await countEach(batch);
  };
  const fateOf = told.values();
  const count = async (batch: Batch): Promise<boolean[]> => {
    const fate = fateOf.next().value ?? 'stored';
    const {additions} = batch;
    if (fate === 'lost' || fate === 'late') {
      if (fate === 'late') late.push(batch);
      throw outage();
    }
    const part = fate === 'half' ? additions.slice(additions.length / 2) : additions;
    const counted = await countEach({...batch, additions: part});
    await deliver();
    if (fate !== 'stored') throw outage();
    return counted;
  };
  const store = new Proxy(inner, {
    get(target, name: keyof Store) {
      if (name === 'count') return count;
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? (member as () => unknown).bind(target) : member;
    },
  });
  return {inner, store, deliver};
}

test('whatever happens to batches and links, a visit is counted exactly if its visitor is redirected', async (t) => {
  t.log(`VISIT_RUNS=${runs} VISIT_SEED=${seed}`);
  // Concurrent, because a log waits up to a second before it sends a batch again.
  await Promise.all(
    fc.sample(story, {seed, numRuns: runs}).map(async ({steps, ...faults}) => {
      const {inner, store, deliver} = faultyStore(faults);
      const log = new VisitLog(store, () => undefined);
      const redirected = new Map(keys.map((key) => [key, {visits: 0, wide: 0}]));
      const answers: Array<Promise<void>> = [];
      const links = new Map(await Promise.all(keys.map(async (key) => [key, await linkOn(inner, key)] as const)));
      for (const {key, turns, isChange, isWide} of steps) {
        for (let turn = 0; turn < turns; turn += 1) await setImmediate();
        if (isChange) {
          await change(inner, key);
          // Another process changed the link, so visits use the old record for a while.
          void setImmediate().then(async () => links.set(key, await linkOn(inner, key)));
          continue;
        }
        const visit = links.get(key)?.(1);
        if (visit === undefined) continue;
        answers.push(
          log.add(isWide ? {...visit, adds: [wide]} : visit).then((isRedirected) => {
            const known = redirected.get(key);
            if (!isRedirected || known === undefined) return;
            known.visits += 1;
            if (isWide) known.wide += 1;
          }),
        );
      }
      await Promise.all(answers);
      const lost = await log.close(60_000);
      await deliver();
      const [visits, first, last] = await Promise.all(
        ['visits', 'c0', 'c1899'].map((counter) => countsOf(inner, keys, counter)),
      );
      t.deepEqual(
        {lost, counted: keys.map((_, index) => ({visits: visits?.[index], wide: first?.[index]})), last},
        {lost: 0, counted: keys.map((key) => redirected.get(key)), last: first},
        fc.stringify(faults),
      );
    }),
  );
});
