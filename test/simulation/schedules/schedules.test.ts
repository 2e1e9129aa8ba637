import test from 'ava';
import {exploreAll, failureOf, smallPlans} from './small-plans.ts';

/** SIMULATION_SWITCHES=Infinity runs all schedules, which takes hours for some plans. */
const maxSwitches = Number(process.env['SIMULATION_SWITCHES'] ?? 2);

for (const small of smallPlans) {
  test.serial(`in every order of their commands, every promise is kept: ${small.name}`, async (t) => {
    t.timeout(600_000);
    const explored = await exploreAll(small, {maxSwitches});
    t.log(`${explored.schedules} schedules`);
    if (explored.problems.length > 0) t.fail(await failureOf(small, explored));
    // Otherwise the requests never met. Those of one process meet in its memory.
    const processes = new Set(small.plan.clients.flat().map(({process}) => process));
    t.true(explored.schedules > 1 || processes.size === 1);
  });
}
