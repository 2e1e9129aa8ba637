import {run} from './run.ts';
import {randomInt} from 'node:crypto';
import test from 'ava';
import fc from 'fast-check';
import {deeds, plans} from './plan.ts';
import {report, search} from './search.ts';

// SIMULATION_RUNS=100000 searches longer. SIMULATION_SEED repeats a search.
const runs = Number(process.env['SIMULATION_RUNS'] ?? 100);
const first = Number(process.env['SIMULATION_SEED'] ?? randomInt(2 ** 30));

/** How many runs one test makes, so that a long search shows that it goes on. */
const share = 500;

for (let start = 0; start < runs; start += share) {
  const seed = first + start;
  test.serial(`whatever happens to processes and commands, every promise is kept: from run ${start + 1}`, async (t) => {
    t.timeout(120_000);
    t.log(`SIMULATION_SEED=${seed}`);
    const failure = await search({seed, runs: Math.min(share, runs - start)});
    if (failure) t.fail(report(failure));
    else t.pass();
  });
}

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
