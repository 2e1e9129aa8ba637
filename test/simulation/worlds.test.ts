import {type Outcome, run} from './run.ts';
import {randomInt} from 'node:crypto';
import test from 'ava';
import fc from 'fast-check';
import {deeds, plans} from './plan.ts';
import {report, search} from './search.ts';

// SIMULATION_RUNS=100000 searches longer. SIMULATION_SEED repeats a search.
const runs = Number(process.env['SIMULATION_RUNS'] ?? 100);
const first = Number(process.env['SIMULATION_SEED'] ?? randomInt(2 ** 30));

/** In how many runs something has coincided. */
const reached = new Map<string, number>();

/** What so many runs reach but for one time in a million, as 2,700 runs have shown. */
const wanted: ReadonlyArray<readonly [runs: number, what: RegExp]> = [
  [100, / loses /],
  [100, / writes \S+ under /],
  [500, / dies after /],
  [500, / of a dead /],
  [1000, /^visit redirects in an outage$/],
  [1000, /^visit loses l$/],
  [1000, /^(?:visit|limit) writes l under visit$/],
  [1000, /^create loses l$/],
  [5000, /^(?:update|date|disable|remove) writes l under visit$/],
  [5000, /^createOnce loses l$/],
  [5000, /^create writes reuse under create$/],
  [5000, /^create writes quota under create$/],
  [5000, /^attempt loses attempts$/],
  [5000, /^import loses l$/],
  [5000, /^(?:rotate|expel|blockAccount) writes account under create$/],
  [5000, /^create dies after (?:list|l)$/],
  [5000, /^create finds \S+ of a dead create$/],
  [5000, / (?:loses|writes) (?:conversion|customer)(?: under |$)/],
];

/** How many runs one test makes, so that a long search shows that it goes on. */
const share = 500;

for (let start = 0; start < runs; start += share) {
  const seed = first + start;
  test.serial(`whatever happens to processes and commands, every promise is kept: from run ${start + 1}`, async (t) => {
    t.timeout(120_000);
    t.log(`SIMULATION_SEED=${seed}`);
    const count = ({reached: of}: Outcome): void => {
      for (const each of of()) reached.set(each, (reached.get(each) ?? 0) + 1);
    };
    const failure = await search({seed, runs: Math.min(share, runs - start), onRun: count});
    if (failure) t.fail(report(failure));
    else t.pass();
  });
}

test.serial('what the runs are for has happened in some of them', (t) => {
  for (const [least, what] of wanted) {
    const found = Array.from(reached).filter(([name]) => what.test(name));
    const sum = found.reduce((all, [, count]) => all + count, 0);
    t.log(`${what.source}: ${sum}`);
    if (runs >= least) t.true(sum > 0, what.source);
  }
});

test.serial('every kind of request succeeds in some run', async (t) => {
  const succeeded = new Set<string>();
  for (const plan of fc.sample(plans, {seed: first, numRuns: 2000})) {
    for (const deed of (await run(plan)).succeeded) succeeded.add(deed);
    if (succeeded.size === deeds.length) break;
  }
  t.deepEqual(
    deeds.filter((deed) => !succeeded.has(deed)),
    [],
  );
});

test.serial('a plan that is run twice does exactly the same', async (t) => {
  for (const plan of fc.sample(plans, {seed: first, numRuns: 10})) {
    const [once, again] = [await run(plan), await run(plan)];
    t.true(once.trace().length > 1000);
    t.is(again.trace(), once.trace(), JSON.stringify(plan));
  }
});
