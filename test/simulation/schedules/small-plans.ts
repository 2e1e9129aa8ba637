import type {Action, Fault, Plan} from '../plan.ts';
import {run} from '../run.ts';
import {type Bounds, explore, type Explored} from './explore.ts';
import type {Engine} from '../engines/engine.ts';
import type {Schedule} from './schedule.ts';

/** A few requests at once. Those of each process follow one another. */
export interface SmallPlan {
  readonly name: string;
  readonly plan: Plan;
  /** Whether the first process dies in some schedules: before its first command, before its second one, and so on. */
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
  small('a customer is identified and forgotten', [{do: 'identify'}, {do: 'forget'}]),
  small(
    'a customer is identified on another day and forgotten',
    [
      {do: 'identify', pause: aDay},
      {do: 'forget', pause: aDay},
    ],
    {before: [{...calm, do: 'identify'}]},
  ),
  small('a known customer buys and is forgotten', [{do: 'renew', variant: 2}, {do: 'forget'}], {
    before: [{...calm, do: 'identify'}],
  }),
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

/** Those in which a death leaves something unfinished that others have to go on with. */
const deadly = [
  'two accounts create one short part',
  'two creates want one reference',
  'two calls have one idempotency key',
  'two calls reuse one link',
  'a link is removed and created',
  'an account creates a link and is removed',
  'an account is removed and creates a link',
  'an account is removed',
  'a link with a visit limit is visited twice',
  'a conversion is recorded twice',
  'a customer is identified by two links',
  'two refunds want the value of an order',
];

export const smallPlans: readonly SmallPlan[] = [
  ...alive,
  ...alive
    .filter(({name}) => deadly.includes(name))
    .map((each) => ({...each, name: `${each.name}, and a process dies`, dies: true})),
];

/** Runs every schedule of a plan, and of each death if its process dies. A death counts as a switch. */
export async function exploreAll(
  {plan, dies}: SmallPlan,
  {maxSwitches = Infinity}: Bounds = {},
  engine?: Engine,
): Promise<Explored> {
  if (!dies) return explore(async (schedule) => (await run(plan, {schedule, engine})).problems, {maxSwitches});
  let [schedules, abandoned] = [0, 0];
  for (let commands = 0; ; commands += 1) {
    const died = new Set<boolean>();
    const story = async (schedule: Schedule): Promise<readonly string[]> => {
      const faults = [{do: 'kill', at: 0, process: 0, commands}] as const;
      const {problems, hasDeaths} = await run({...plan, faults}, {schedule, engine});
      died.add(hasDeaths);
      return problems;
    };
    const {problems, steps, ...part} = await explore(story, {maxSwitches: maxSwitches - 1});
    schedules += part.schedules;
    abandoned += part.abandoned;
    if (problems.length > 0) {
      const death = `The first process dies before command ${commands + 1}.`;
      return {schedules, abandoned, problems, steps: [death, ...steps]};
    }
    if (!died.has(true)) return {schedules, abandoned, problems, steps};
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
