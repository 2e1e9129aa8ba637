import test from 'ava';
import {coincidences} from './coincidences.ts';
import {exploreAll, failureOf, smallPlans} from './small-plans.ts';

/** SIMULATION_SWITCHES=Infinity runs all schedules, which takes hours for some plans. */
const maxSwitches = Number(process.env['SIMULATION_SWITCHES'] ?? 2);

test('each small plan says what it is for', (t) => {
  t.deepEqual(smallPlans.map(({name}) => name).sort(), Object.keys(coincidences).sort());
});

for (const small of smallPlans) {
  test.serial(`in every order of their commands, every promise is kept: ${small.name}`, async (t) => {
    t.timeout(600_000);
    const explored = await exploreAll(small, {maxSwitches});
    if (explored.problems.length > 0) t.fail(await failureOf(small, explored));
    const counts = (coincidences[small.name] ?? []).map((each) => [each, explored.reached.get(each) ?? 0] as const);
    t.log([`${explored.schedules} schedules`, ...counts.map(([each, count]) => `${each}: ${count}`)].join(', '));
    if (maxSwitches < 2) return;
    t.deepEqual(
      counts.filter(([, count]) => count === 0),
      [],
    );
  });
}
