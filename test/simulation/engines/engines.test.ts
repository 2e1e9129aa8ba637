import {run} from '../run.ts';
import {randomInt} from 'node:crypto';
import test from 'ava';
import fc from 'fast-check';
import {plans} from '../plan.ts';
import {report, search} from '../search.ts';
import {engines} from './engines.ts';

// As in worlds.test.ts. The engines take longer.
const runs = Number(process.env['SIMULATION_RUNS'] ?? 100);
const first = Number(process.env['SIMULATION_SEED'] ?? randomInt(2 ** 30));

const shares: Readonly<Record<string, number>> = {sqlite: 0.25, postgres: 0.1};

const opened = await Promise.all(Object.values(engines).map((open) => open()));

for (const engine of opened) {
  const {name} = engine;

  test.serial(`whatever happens to processes and their statements, every promise is kept on ${name}`, async (t) => {
    t.timeout(600_000);
    t.log(`SIMULATION_SEED=${first}`);
    const failure = await search({seed: first, runs: Math.ceil(runs * (shares[name] ?? 1)), engine});
    if (failure) t.fail(report(failure));
    else t.pass();
  });

  test.serial(`a plan that is run twice on ${name} does exactly the same`, async (t) => {
    for (const plan of fc.sample(plans, {seed: first, numRuns: 3})) {
      const [once, again] = [await run(plan, {engine}), await run(plan, {engine})];
      t.true(once.trace().length > 1000);
      t.is(again.trace(), once.trace(), JSON.stringify(plan));
    }
  });
}
