import fc from 'fast-check';
import type {Shard} from './server.ts';

/** What a client can ask for. */
export const deeds = [
  'create',
  'createMany',
  'createOnce',
  'import',
  'copy',
  'export',
  'convert',
  'renew',
  'refund',
  'identify',
  'forget',
  'visit',
  'attempt',
  'disable',
  'enable',
  'update',
  'updateMany',
  'date',
  'limit',
  'remove',
  'removeReused',
  'info',
  'list',
  'page',
  'block',
  'unblock',
  'blockAccount',
  'unblockAccount',
  'register',
  'rotate',
  'expel',
  'issueKey',
  'revokeKey',
  'authenticate',
  'call',
] as const;

/** One request of a client. */
export interface Action {
  /** A client of a sequence also asks everything else that can be asked (`questions.ts`). */
  readonly do: (typeof deeds)[number] | 'ask';
  /** How long the client waits before it, in milliseconds. */
  readonly pause: number;
  /** Which process serves it. */
  readonly process: number;
  readonly account: number;
  readonly link: number;
  /** Chooses among the variants of what is done. */
  readonly variant: number;
  /** The seed of everything that happens to its commands; 0 if they take a millisecond and succeed. */
  readonly luck: number;
}

/** What happens to processes and the server. Times are milliseconds since the clients began. */
export type Fault =
  /** The server cannot be reached, by one process or by all. */
  | {readonly do: 'cut'; readonly at: number; readonly process: number | undefined; readonly duration: number}
  /** A process dies when it has sent so many more commands, or before its next answer. Another one is started in its place. */
  | {readonly do: 'kill'; readonly at: number; readonly process: number; readonly commands: number | 'answer'}
  /** A process does nothing for a while. */
  | {readonly do: 'stall'; readonly at: number; readonly process: number; readonly duration: number}
  /** The server, or one shard of a cluster, is replaced by a replica that has not received the last writes. */
  | {readonly do: 'failover'; readonly at: number; readonly lost: number; readonly of: Shard}
  /** For a while, the clock of a process's machine, or of the server, is ahead, or behind if `by` is negative. */
  | {
      readonly do: 'clock';
      readonly at: number;
      readonly process: number | undefined;
      readonly by: number;
      readonly duration: number;
    };

/** All that a run depends on, apart from the program. */
export interface Plan {
  /** The seed of the program's own random numbers. */
  readonly seed: number;
  /** The probability that a command fails in one way or another. */
  readonly trouble: number;
  /** Whether the server is a cluster, on which the totals of an account are counted after the links. */
  readonly isCluster: boolean;
  /** The link that exists when the clients begin. */
  readonly made: Pick<Action, 'account' | 'variant'>;
  /** Requests that succeed before the clients begin. */
  readonly before?: readonly Action[];
  /** How many links an account may create a day; 0 for any number. */
  readonly quota: number;
  /** Each client sends its requests one after another. */
  readonly clients: ReadonlyArray<readonly Action[]>;
  readonly faults: readonly Fault[];
}

/** What of a plan a real engine can do: it is no cluster, and has no replica. */
export function onEngine(plan: Plan): Plan {
  return {...plan, isCluster: false, faults: plan.faults.filter((fault) => fault.do !== 'failover')};
}

/** The number of processes at any time. */
export const processes = 3;

/** What the clients of a plan mostly do, so that the same few things happen often enough to meet, and which accounts do it. */
interface Mood {
  readonly deeds: ReadonlyArray<Action['do']>;
  readonly accounts: readonly number[];
  /** The variants of the link that exists at the beginning; by default all of them. */
  readonly made?: readonly number[];
  /** The links that the requests are about; by default mostly the one that exists at the beginning. */
  readonly links?: readonly number[];
  /** The variants of the requests; by default all of them. */
  readonly variants?: readonly number[];
  /** How many links an account may create a day, in every plan. */
  readonly quota?: number;
  /** Whether all clients use one process, which loses the server soon after they begin. */
  readonly isCut?: true;
}

const moods: readonly Mood[] = [
  {
    deeds: ['create', 'visit', 'visit', 'disable', 'enable', 'update', 'remove', 'info', 'block', 'unblock'],
    accounts: [0, 0, 0, 1],
  },
  {deeds: ['visit', 'visit', 'info', 'info', 'disable', 'enable'], accounts: [0], made: [0]},
  {deeds: ['visit', 'visit', 'disable', 'enable'], accounts: [0], made: [0], isCut: true},
  {deeds: ['visit', 'visit', 'update', 'update', 'date', 'limit', 'info'], accounts: [0]},
  {deeds: ['visit', 'visit', 'visit', 'limit', 'limit'], accounts: [0], made: [2]},
  {deeds: ['visit'], accounts: [0], made: [2]},
  {deeds: ['attempt', 'attempt', 'attempt', 'update'], accounts: [0, 0, 0, 1], made: [3]},
  {deeds: ['create', 'createMany', 'updateMany', 'remove', 'list', 'page'], accounts: [0, 0, 1, 2]},
  {deeds: ['createOnce'], accounts: [0], links: [1]},
  // Variants with `reuse`.
  {deeds: ['create', 'create', 'removeReused'], accounts: [0], variants: [4]},
  // Variants with a reference.
  {deeds: ['create', 'create', 'update', 'update', 'remove'], accounts: [0, 0, 0, 2], variants: [1, 8]},
  {deeds: ['create', 'createMany', 'createOnce'], accounts: [0], quota: 2},
  {deeds: ['import', 'import', 'visit', 'blockAccount', 'list'], accounts: [0, 2, 2]},
  {deeds: ['register', 'rotate', 'rotate', 'expel', 'authenticate', 'authenticate'], accounts: [0, 2]},
  {deeds: ['issueKey', 'revokeKey', 'authenticate', 'call', 'blockAccount', 'unblockAccount'], accounts: [2]},
  {deeds: ['create', 'create', 'blockAccount'], accounts: [2]},
  {deeds: ['blockAccount', 'unblockAccount', 'visit', 'createOnce', 'updateMany'], accounts: [2]},
  {deeds: ['create', 'create', 'remove', 'expel', 'visit'], accounts: [2, 2, 2, 0]},
  {deeds: ['copy', 'copy', 'create', 'visit', 'update', 'remove', 'expel'], accounts: [0, 2]},
  {deeds: ['export', 'create', 'createOnce', 'convert', 'visit', 'update', 'remove'], accounts: [0, 2]},
  // Variants with one order, or one customer: otherwise few calls meet.
  {deeds: ['convert', 'convert', 'convert', 'visit', 'remove'], accounts: [0], variants: [1, 1, 5, 9]},
  {deeds: ['convert', 'convert', 'create', 'remove', 'expel', 'copy'], accounts: [2]},
  {deeds: ['identify', 'identify', 'identify', 'forget', 'renew', 'renew'], accounts: [0], variants: [0, 2, 4, 8]},
  {deeds: ['convert', 'refund', 'refund', 'refund', 'renew', 'remove'], accounts: [0], variants: [3, 3, 7]},
  {deeds: ['convert', 'refund', 'identify', 'renew', 'expel'], accounts: [2]},
];

const variant = fc.nat(9);
const seed = fc.nat(2 ** 20);
/** A little less than the lifetime of an idempotency key. */
const almostADay = 24 * 60 * 60_000 - 10;
/** Mostly none, so that requests meet. */
const pause = fc.oneof(
  {weight: 200, arbitrary: fc.constantFrom(0, 0, 0, 0, 0, 0, 1, 2, 5, 10, 20, 100, 1000, 3000)},
  {weight: 1, arbitrary: fc.constant(almostADay)},
);
const process = fc.constantFrom(0, 0, 0, 1, 1, 2);
const at = fc.constantFrom(0, 1, 5, 10, 20, 50, 100, 1000);

const actionOf = (
  {deeds: usual, accounts, links = [0, 0, 0, 0, 0, 1, 2], variants, isCut}: Mood,
  luck: fc.Arbitrary<number>,
): fc.Arbitrary<Action> =>
  fc.record({
    do: fc.oneof(
      {weight: 6, arbitrary: fc.constantFrom(...usual)},
      {weight: 1, arbitrary: fc.constant('create' as const)},
      {weight: 1, arbitrary: fc.constantFrom(...deeds)},
    ),
    pause,
    process: isCut ? fc.constant(0) : process,
    account: fc.constantFrom(...accounts),
    link: fc.constantFrom(...links),
    variant: variants ? fc.constantFrom(...variants) : variant,
    luck,
  });

const cut: fc.Arbitrary<Fault> = fc.record({
  do: fc.constant('cut' as const),
  at,
  process: fc.option(process, {nil: undefined}),
  duration: fc.constantFrom(10, 100, 1000, 3000),
});

const outage: fc.Arbitrary<Fault> = fc.record({
  do: fc.constant('cut' as const),
  at: fc.constantFrom(10, 15, 20, 30, 50),
  process: fc.constant(undefined),
  duration: fc.constant(3000),
});

const fault: fc.Arbitrary<Fault> = fc.oneof(
  cut,
  fc.record({
    do: fc.constant('kill' as const),
    at,
    process,
    commands: fc.oneof({weight: 4, arbitrary: fc.nat(10)}, {weight: 1, arbitrary: fc.constant('answer' as const)}),
  }),
  fc.record({
    do: fc.constant('failover' as const),
    at,
    lost: fc.constantFrom(1, 5, 20, 100),
    of: fc.constantFrom<Shard>('server', 'sequences', 'slots', 'pointers', 'visits'),
  }),
  fc.record({do: fc.constant('stall' as const), at, process, duration: fc.constantFrom(10, 100, 2500)}),
);

const aMinute = 60_000;
const anHour = 60 * aMinute;
const aDay = 24 * anHour;

/** Some clocks are right before the last request, and some are wrong all the time. */
const duration = fc.constantFrom(5, 50, 1000, 10_000, anHour);

const clock: fc.Arbitrary<Fault> = fc.oneof(
  fc.record({
    do: fc.constant('clock' as const),
    at: fc.constantFrom(0, 0, 0, 5, 20, 100),
    process,
    by: fc.constantFrom(...[1500, 5 * aMinute, anHour, aDay, 360 * aDay].flatMap((by) => [by, -by])),
    duration,
  }),
  // The server's clock only measures times, of which the shortest is a day.
  fc.record({
    do: fc.constant('clock' as const),
    at,
    process: fc.constant(undefined),
    by: fc.constantFrom(-anHour, anHour),
    duration,
  }),
);

const planOf = (mood: Mood, luck: fc.Arbitrary<number>): fc.Arbitrary<Plan> =>
  fc.record({
    seed,
    trouble: fc.constantFrom(0, 0, 0, 0.02, 0.2),
    isCluster: fc.boolean(),
    made: fc.record({
      account: fc.constantFrom(...mood.accounts),
      variant: mood.made ? fc.constantFrom(...mood.made) : variant,
    }),
    quota: mood.quota === undefined ? fc.constantFrom(0, 0, 0, 0, 0, 2, 4) : fc.constant(mood.quota),
    clients: fc.array(fc.array(actionOf(mood, luck), {minLength: 1, maxLength: 6}), {minLength: 1, maxLength: 5}),
    faults: mood.isCut
      ? fc.tuple(outage)
      : fc.oneof(
          {weight: 4, arbitrary: fc.constant([])},
          {weight: 4, arbitrary: fc.array(fault, {maxLength: 3})},
          {weight: 1, arbitrary: fc.array(clock, {minLength: 1, maxLength: 3})},
          {weight: 1, arbitrary: fc.array(fc.oneof(clock, fault), {minLength: 2, maxLength: 4})},
        ),
  });

/** How many requests a sequence has. */
const sequenceLength = 40;

/** One client that makes requests of all moods, one after the other, in calm weather and over months. */
export const sequences: fc.Arbitrary<Plan> = fc.record({
  seed,
  trouble: fc.constant(0),
  isCluster: fc.constant(false),
  made: fc.record({account: fc.constant(0), variant}),
  quota: fc.constantFrom(0, 0, 4),
  clients: fc.tuple(
    fc.array(
      fc
        .record({
          action: fc.oneof(...moods.map((mood) => actionOf(mood, fc.constant(0)))),
          pause: fc.constantFrom(...[0, 0, 0, 0, 0, 0, 1000, aMinute, anHour, aDay, 40 * aDay]),
          question: fc.oneof({weight: 3, arbitrary: fc.constant(undefined)}, {weight: 2, arbitrary: seed}),
        })
        .map(({action, pause, question}): Action => {
          return {...action, pause, ...(question !== undefined && {do: 'ask', variant: question})};
        }),
      {minLength: sequenceLength, maxLength: sequenceLength},
    ),
  ),
  faults: fc.constant([]),
});

/** Plans of a few clients that all want the same links. In some of them no command is late, so that many meet exactly. */
export const plans: fc.Arbitrary<Plan> = fc.oneof(
  ...moods.flatMap((mood) => [
    {weight: 4, arbitrary: planOf(mood, seed)},
    {weight: 1, arbitrary: planOf(mood, fc.constant(0))},
  ]),
);
