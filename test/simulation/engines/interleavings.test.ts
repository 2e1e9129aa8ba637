// First, because it replaces timers that the program takes when it is loaded.
import '../run.ts';
import {eachOf} from '../../support/engines/each.ts';
import {engines} from '../../support/engines/engines.ts';
import {isNight} from '../../support/night.ts';
import {counterPlans, exploreCounters} from '../schedules/counter-plans.ts';
import type {Explored} from '../schedules/explore.ts';
import {exploreAll, smallPlans} from '../schedules/small-plans.ts';
import {openServer, withTables} from './sessions.ts';

/** How often another process goes on although the one before could. With two, a night is too short for all plans. */
const bounds = {maxSwitches: 1};

/** By day, the one with the fewest orders. A plan takes up to two minutes. */
const byDay = ['a link is updated and visited'];
const plans = smallPlans.filter(({name}) => isNight || byDay.includes(name));

/** A change leaves MySQL out, where a run takes 25 seconds of CPU time. */
const names = (process.env['ORDERS_ON'] ?? 'postgres,mysql').split(',');

const declare = await eachOf(engines.filter(({name}) => names.includes(name)));

declare((check) => {
  check('two sessions lose no promise, in whatever order the server runs their statements', async (t, engine) => {
    t.timeout(isNight ? 4 * 3_600_000 : 300_000);
    const server = openServer(await withTables((await engine.fresh(t)).store));
    t.teardown(() => server.close());
    const judge = (name: string, {schedules, problems, steps, between}: Explored): ReadonlySet<string> => {
      t.log(`${name}: ${schedules} orders`);
      t.deepEqual(problems, [], [name, ...steps].join('\n'));
      t.true(schedules > 1);
      return between;
    };
    for (const plan of counterPlans) {
      const between = judge(plan.name, await exploreCounters(plan, server, bounds));
      // Each comes between two statements of each other one.
      t.is(between.size, plan.processes.length * (plan.processes.length - 1), [...between].join());
    }
    for (const plan of plans) judge(plan.name, await exploreAll(plan, bounds, server));
  });
});
