import {run} from './run.ts';
import test from 'ava';
import type {Action, Plan} from './plan.ts';

/** A request at once, with the first link and account in the first process, to which nothing bad happens. */
const ask = (deed: Action['do'], action: Partial<Action> = {}): Action => ({
  do: deed,
  pause: 0,
  process: 0,
  account: 0,
  link: 0,
  variant: 0,
  luck: 0,
  ...action,
});

/** Plans that have once broken a promise, by the sentence that was not true. */
const found: Record<string, Pick<Plan, 'clients'> & Partial<Plan>> = {
  'an update with a new limit does not show what was changed after it': {
    clients: [[ask('visit'), ask('block')], [ask('limit', {variant: 1})]],
  },
  'a create that is refused because its account is blocked leaves no slot behind': {
    clients: [[ask('create', {account: 2, variant: 1})], [ask('blockAccount')]],
  },
  'an import that is refused because its account is blocked leaves no slots behind': {
    clients: [[ask('import', {account: 2})], [ask('blockAccount')]],
  },
  'an import that is refused because its account is removed leaves no index behind': {
    clients: [[ask('expel')], [ask('import', {account: 2})]],
  },
  'an order that is cut off beside the removal of its account leaves no totals that a check does not find': {
    trouble: 0.02,
    made: {account: 2, variant: 0},
    faults: [{do: 'clock', at: 0, process: 0, by: 1500, duration: 5}],
    clients: [
      [
        ask('convert', {account: 2, luck: 95808}),
        ask('expel', {account: 2, luck: 366752}),
        ask('convert', {account: 2}),
      ],
      [
        ask('refund', {account: 2, pause: 1, luck: 828643}),
        ask('convert', {account: 2, luck: 213122}),
        ask('convert', {account: 2}),
      ],
      [ask('create', {account: 2, process: 1})],
    ],
  },
};

for (const [sentence, plan] of Object.entries(found)) {
  test.serial(sentence, async (t) => {
    const {problems} = await run({
      seed: 0,
      trouble: 0,
      isCluster: false,
      made: {account: 0, variant: 0},
      quota: 0,
      faults: [],
      ...plan,
    });
    t.deepEqual(problems, []);
  });
}
