import type {Action, Fault, Plan} from '../plan.ts';
import type {Coincidence} from '../reached.ts';
import {type Outcome, run} from '../run.ts';
import {coincidences} from './coincidences.ts';
import {type Bounds, explore, type Explored} from './explore.ts';
import type {Engine} from '../engines/engine.ts';
import type {Schedule} from './schedule.ts';

/** A few requests at once. Those of each process follow one another. */
export interface SmallPlan {
  readonly name: string;
  readonly plan: Plan;
  /** Whether the first process dies in some schedules: before its first command, before its second one, …, before its answer. */
  readonly dies: boolean;
}

const aDay = 24 * 60 * 60_000;
const calm: Action = {do: 'visit', pause: 0, process: 0, account: 0, link: 0, variant: 0, luck: 0};

type Request = Partial<Action>;

/** @param requests the request of each process, or several in their order */
function small(
  name: string,
  requests: ReadonlyArray<Request | readonly Request[]>,
  more: Partial<Plan> = {},
): SmallPlan {
  const clients = requests.map((some, process) =>
    [some].flat().map((request): Action => ({...calm, process, ...request})),
  );
  const made = {account: 0, variant: 0};
  const plan = {seed: 0, trouble: 0, isCluster: false, made, quota: 0, faults: [], clients, ...more};
  return {name, plan, dies: false};
}

/** The clock of the first process is ahead while the requests run. */
const ahead = (by: number): Fault => ({do: 'clock', at: 0, process: 0, by, duration: 1000});

const alive: readonly SmallPlan[] = [
  small('two accounts create one short part', [
    {do: 'create', link: 1},
    {do: 'create', link: 1, account: 1},
  ]),
  small('an account creates two links', [
    {do: 'create', link: 1},
    {do: 'create', link: 2},
  ]),
  small(
    'two creates want the last unit of the quota',
    [
      {do: 'create', link: 1},
      {do: 'create', link: 2},
    ],
    {quota: 2},
  ),
  small('two creates want one reference', [
    {do: 'create', variant: 8},
    {do: 'create', variant: 8},
  ]),
  small('an update and a create want one reference', [
    {do: 'update', variant: 1},
    {do: 'create', variant: 8},
  ]),
  small('two calls have one idempotency key', [
    {do: 'createOnce', link: 1, variant: 1},
    {do: 'createOnce', link: 1, variant: 1},
  ]),
  small('two calls have one idempotency key and one short part', [
    {do: 'createOnce', link: 1, variant: 3},
    {do: 'createOnce', link: 1, variant: 3},
  ]),
  small('two calls reuse one link', [
    {do: 'create', variant: 4},
    {do: 'create', variant: 4},
  ]),
  small('a call reuses a link and another one removes it', [{do: 'create', variant: 4}, {do: 'removeReused'}], {
    made: {account: 0, variant: 4},
  }),
  small('a link is removed and created', [{do: 'remove'}, {do: 'create'}]),
  small('a link is removed and visited', [{do: 'remove'}, {do: 'visit'}]),
  small('a link is updated and visited', [{do: 'update'}, {do: 'visit'}]),
  small('a link is updated twice', [
    {do: 'update', variant: 2},
    {do: 'update', variant: 6},
  ]),
  small('a link with a visit limit is visited twice', [{do: 'visit'}, {do: 'visit'}], {
    made: {account: 0, variant: 6},
  }),
  small(
    'two visitors of one process want the last visit of a limit',
    [
      {do: 'visit', process: 0},
      {do: 'visit', process: 0},
    ],
    {made: {account: 0, variant: 6}},
  ),
  small('a limit is set beside a visit', [{do: 'limit', variant: 1}, {do: 'visit'}]),
  small('an account creates a link and is blocked', [
    {do: 'create', account: 2, link: 1},
    {do: 'blockAccount', account: 2},
  ]),
  small('an account creates a link and is removed', [
    {do: 'create', account: 2, link: 1},
    {do: 'expel', account: 2},
  ]),
  small('an account is removed and creates a link', [
    {do: 'expel', account: 2},
    {do: 'create', account: 2, link: 1},
  ]),
  small('an account is removed', [{do: 'expel', account: 2}], {made: {account: 2, variant: 0}}),
  small('a key is issued while another one is rotated', [{do: 'issueKey'}, {do: 'rotate'}]),
  small(
    'two accounts create one short part within a quota',
    [
      {do: 'create', link: 1},
      [
        {do: 'create', account: 1, link: 1},
        {do: 'create', account: 1, link: 2},
      ],
    ],
    {quota: 1, made: {account: 2, variant: 0}},
  ),
  small('an account creates a link with a reference and is blocked', [
    {do: 'create', account: 2, variant: 8},
    {do: 'blockAccount', account: 2},
  ]),
  small('a link is removed and another account creates it', [{do: 'remove'}, {do: 'create', account: 1}]),
  small('an account with a link for reuse is removed', [{do: 'expel', account: 2}], {
    made: {account: 2, variant: 4},
  }),
  small(
    'an account is registered twice',
    [
      {do: 'register', account: 2},
      {do: 'register', account: 2},
    ],
    {before: [{...calm, do: 'expel', account: 2}]},
  ),
  small('a key is rotated and its account is removed', [
    {do: 'rotate', account: 2},
    {do: 'expel', account: 2},
  ]),
  small('a key is rotated twice', [{do: 'rotate'}, {do: 'rotate'}]),
  small('a link is blocked and updated', [{do: 'block'}, {do: 'update'}]),
  small('a key is rotated and used', [{do: 'rotate'}, {do: 'authenticate'}]),
  small('a conversion is recorded twice', [{do: 'convert'}, {do: 'convert'}]),
  small('a customer is identified by two links', [{do: 'identify'}, {do: 'identify', link: 1}], {
    before: [{...calm, do: 'create', link: 1}],
  }),
  small('a customer is identified and forgotten', [{do: 'identify'}, {do: 'forget'}], {
    before: [{...calm, do: 'identify', variant: 1}],
  }),
  small('a customer is forgotten twice', [{do: 'forget'}, {do: 'forget'}], {before: [{...calm, do: 'identify'}]}),
  small(
    'a customer is identified on another day and forgotten',
    [
      {do: 'identify', pause: aDay},
      {do: 'forget', pause: aDay},
    ],
    {before: [{...calm, do: 'identify'}]},
  ),
  small(
    'a known customer buys on another day and is forgotten',
    [
      {do: 'renew', variant: 2, pause: aDay},
      {do: 'forget', pause: aDay},
    ],
    {before: [{...calm, do: 'identify'}]},
  ),
  small(
    'two refunds want the value of an order',
    [
      {do: 'refund', variant: 3},
      {do: 'refund', variant: 7},
    ],
    {before: [{...calm, do: 'convert', variant: 3}]},
  ),
  small(
    'a refund is recorded twice',
    [
      {do: 'refund', variant: 3},
      {do: 'refund', variant: 3},
    ],
    {
      before: [{...calm, do: 'convert', variant: 3}],
    },
  ),
  small('an order is recorded and refunded, and refunded again', [
    {do: 'convert', variant: 3},
    [
      {do: 'refund', variant: 3},
      {do: 'refund', variant: 7},
    ],
  ]),
  small('an order is refunded and its account is removed', [{do: 'refund', variant: 3}, {do: 'expel'}], {
    made: {account: 2, variant: 0},
    before: [{...calm, do: 'convert', account: 2, variant: 3}],
  }),
  small(
    'an order of a customer is recorded by the API and its account is removed',
    [{do: 'convert', account: 2, variant: 9}, {do: 'expel'}],
    {
      made: {account: 2, variant: 0},
    },
  ),
  small(
    'a customer is identified and the account of the link is removed',
    [{do: 'identify', account: 2}, {do: 'expel'}],
    {
      made: {account: 2, variant: 0},
    },
  ),
  small('a conversion is recorded for two links', [{do: 'convert'}, {do: 'convert', link: 1}], {
    before: [{...calm, do: 'create', link: 1}],
  }),
  small(
    'an account uses up its quota while the clock is a year ahead',
    [
      [
        {do: 'create', link: 1},
        {do: 'create', link: 2},
        {do: 'create', variant: 1},
      ],
    ],
    {quota: 2, faults: [ahead(360 * aDay)]},
  ),
  small(
    'a visitor tries wrong passwords while the clock is a year ahead',
    [[1, 2, 3, 5].map((variant) => ({do: 'attempt', variant})), {do: 'attempt', variant: 1}],
    {made: {account: 0, variant: 3}, faults: [ahead(360 * aDay)]},
  ),
  small(
    'two calls have one idempotency key, and a clock is an hour ahead',
    [
      {do: 'createOnce', link: 1, variant: 1},
      {do: 'createOnce', link: 1, variant: 1},
    ],
    {faults: [ahead(aDay / 24)]},
  ),
  small('a conversion is recorded twice, and a clock is a year behind', [{do: 'convert'}, {do: 'convert'}], {
    faults: [ahead(-360 * aDay)],
  }),
  small('a store is copied beside a create', [{do: 'copy'}, {do: 'create', link: 1}]),
];

/** With a death, where that leaves something unfinished with which others have to go on. */
const deadly = alive
  .map((each): SmallPlan => ({...each, name: `${each.name}, and a process dies`, dies: true}))
  .filter(({name}) => name in coincidences);

export const smallPlans: readonly SmallPlan[] = [...alive, ...deadly];

/** What the schedules of a small plan have shown. */
export interface ExploredPlan extends Explored {
  /** In how many schedules something coincided; nothing on an engine. */
  readonly reached: ReadonlyMap<Coincidence, number>;
}

/** Runs every schedule of a plan, and of each death if its process dies. A death counts as a switch. */
export async function exploreAll(
  {plan, dies}: SmallPlan,
  {maxSwitches = Infinity}: Bounds = {},
  engine?: Engine,
): Promise<ExploredPlan> {
  const reached = new Map<Coincidence, number>();
  const runOnce = async (faults: readonly Fault[], schedule: Schedule): Promise<Outcome> => {
    const outcome = await run({...plan, faults}, {schedule, engine});
    for (const each of outcome.reached()) reached.set(each, (reached.get(each) ?? 0) + 1);
    return outcome;
  };
  if (!dies) {
    const story = async (schedule: Schedule) => (await runOnce(plan.faults, schedule)).problems;
    return {...(await explore(story, {maxSwitches})), reached};
  }
  let [schedules, abandoned] = [0, 0];
  let died = false;
  const storyOf = (commands: number | 'answer') => async (schedule: Schedule) => {
    const {problems, hasDeaths} = await runOnce([{do: 'kill', at: 0, process: 0, commands}], schedule);
    died ||= hasDeaths;
    return problems;
  };
  for (let sent = 0, isLast = false; ; sent += 1) {
    died = false;
    const part = await explore(storyOf(isLast ? 'answer' : sent), {maxSwitches: maxSwitches - 1});
    schedules += part.schedules;
    abandoned += part.abandoned;
    const death = `The first process dies before ${isLast ? 'its answer' : `command ${sent + 1}`}.`;
    if (isLast || part.problems.length > 0)
      return {...part, schedules, abandoned, steps: [death, ...part.steps], reached};
    isLast = !died;
  }
}

/** What people need of a plan that breaks a promise: the schedule with the fewest switches from process to process. */
export async function failureOf(small: SmallPlan, found: Explored): Promise<string> {
  let shortest = found;
  for (let maxSwitches = 0; maxSwitches < 4; maxSwitches += 1) {
    const bounded = await exploreAll(small, {maxSwitches});
    if (bounded.problems.length === 0) continue;
    shortest = bounded;
    break;
  }
  return [`${small.name}:`, ...shortest.problems, ...shortest.steps.map((step) => `  ${step}`)].join('\n');
}
