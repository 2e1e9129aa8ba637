import fc from 'fast-check';
import type {KeyScope, LinkFilter} from '../../../src/index.ts';

/** The site of a call, and its interface. */
export interface Way {
  readonly site: number;
  readonly door: 'json' | 'xml' | 'post' | 'program';
  /** A labelled key of the account; undefined for the key of its registration. */
  readonly key: number | undefined;
}

/** A rule with its conditions. */
export interface ChosenRule {
  /** Days from today. */
  readonly from?: number;
  readonly until?: number;
  readonly device?: 'ios';
  readonly language?: 'de';
}

/** A change among many. A status is given alone. */
export interface ManyChange {
  readonly link: number;
  readonly destination: string | number | undefined;
  readonly choice: Choice;
  readonly status: 'disabled' | 'active' | 'removed' | undefined;
}

/** A setting of a link. Undefined leaves it out, and null clears it. */
export interface Choice {
  /** Days from today. */
  readonly days: number | null | undefined;
  readonly password: 'set' | null | undefined;
  readonly title: string | null | undefined;
  readonly tags: readonly string[] | null | undefined;
  readonly maxVisits: number | null | undefined;
  /** Days from today. */
  readonly startDays: number | null | undefined;
  readonly rules: readonly ChosenRule[] | null | undefined;
  readonly expiredUrl: string | null | undefined;
  readonly forwardQuery: boolean | null | undefined;
}

/** What rules and destinations depend on. */
export interface Visitor {
  readonly device: 'ios' | undefined;
  readonly language: 'de' | undefined;
  readonly query: string;
}

/** An action of a user. Accounts, links and names are numbers, which the run maps. */
export type Action =
  | {readonly do: 'register' | 'show' | 'rotate' | 'remove'; readonly account: number; readonly site: number}
  | {
      readonly do: 'create';
      readonly account: number;
      readonly way: Way;
      readonly destination: string | number;
      readonly name: string | undefined;
      readonly domain: string | undefined;
      readonly choice: Choice;
      readonly idempotencyKey: string | undefined;
    }
  /** The last create with an idempotency key, again. */
  | {readonly do: 'repeat'; readonly way: Way}
  | {
      readonly do: 'update';
      readonly account: number;
      readonly link: number;
      readonly way: Way;
      readonly destination: string | number | undefined;
      readonly choice: Choice;
    }
  | {readonly do: 'change many'; readonly account: number; readonly way: Way; readonly changes: readonly ManyChange[]}
  | {
      readonly do: 'disable' | 'enable' | 'info' | 'discard';
      readonly account: number;
      readonly link: number;
      readonly way: Way;
    }
  | {readonly do: 'list'; readonly account: number; readonly way: Way; readonly limit: number | undefined}
  | {
      readonly do: 'find';
      readonly account: number;
      readonly way: Way;
      readonly limit: number | undefined;
      readonly filter: LinkFilter;
    }
  | {readonly do: 'make key'; readonly account: number; readonly way: Way; readonly scope: KeyScope}
  | {readonly do: 'list keys'; readonly account: number; readonly way: Way}
  | {readonly do: 'revoke key'; readonly account: number; readonly way: Way; readonly revoked: number}
  /** What the operator does. */
  | {readonly do: 'block' | 'unblock'; readonly link: number; readonly site: number}
  | {readonly do: 'block account' | 'unblock account'; readonly account: number; readonly site: number}
  /** A call with a key that was rotated away, revoked or removed. */
  | {readonly do: 'intrude'; readonly account: number; readonly site: number}
  | {
      readonly do: 'visit';
      readonly link: number;
      readonly site: number;
      readonly as: 'GET' | 'HEAD' | 'prefetch' | 'bot' | 'crowd' | 'password';
      readonly visitor: Visitor;
    }
  | {readonly do: 'wait'; readonly until: 'later' | 'midnight' | 'just before midnight'};

/** Mostly the first account, so that it has several links. The third exists only if a story creates it. */
const account = fc.constantFrom(0, 0, 0, 0, 1, 1, 2);
const site = fc.nat(1);
const link = fc.nat(11);
const maybe = <Value>(value: fc.Arbitrary<Value>, freq = 2): fc.Arbitrary<Value | undefined> =>
  fc.option(value, {nil: undefined, freq});
const rarely = <Value>(value: fc.Arbitrary<Value>, weight = 4): fc.Arbitrary<Value | undefined> =>
  fc.oneof({weight, arbitrary: fc.constant(undefined)}, {weight: 1, arbitrary: value});
const way = fc.record({
  site,
  door: fc.constantFrom('json', 'xml', 'post', 'program'),
  key: rarely(fc.nat(2), 2),
} as const);
const limit = maybe(fc.integer({min: 1, max: 3}));

const destinations = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constantFrom(
      'https://destination.example/a?b=c&d=<e>#"f"',
      'http://destination.example/über/字/🙂',
      'https://destination.example/]]>&amp;%2F//',
    ),
  },
  // The short URL of an existing link.
  {weight: 1, arbitrary: link},
);

const days = fc.integer({min: -1, max: 3});
const titles = fc.constantFrom('Spring', 'a & <b> ]]>', 'Über 字 🙂', 'spring');
const tags = fc.subarray(['mail', 'Mail', '<b>', '字'], {minLength: 1});
// Rare, because a password is hashed.
const password = fc.constantFrom('set' as const);
const expiredUrls = fc.constantFrom('https://over.example/', 'https://over.example/ü');
const maxVisits = fc.integer({min: 1, max: 7});

const rules = fc.array(
  fc.oneof(
    fc.record({from: fc.integer({min: -1, max: 1}), until: fc.integer({min: 1, max: 3})}, {requiredKeys: ['from']}),
    fc.record({device: fc.constant('ios' as const), language: fc.constant('de' as const)}, {requiredKeys: ['device']}),
    fc.record({language: fc.constant('de' as const), until: days}, {requiredKeys: ['language']}),
  ),
  {minLength: 1, maxLength: 3},
);

const newChoice: fc.Arbitrary<Choice> = fc.record({
  days: maybe(days),
  password: rarely(password, 19),
  title: maybe(titles),
  tags: maybe(tags),
  maxVisits: maybe(maxVisits),
  startDays: rarely(days),
  rules: rarely(rules),
  expiredUrl: rarely(expiredUrls),
  forwardQuery: rarely(fc.boolean()),
});

const orNull = <Value>(value: fc.Arbitrary<Value>, weight = 3): fc.Arbitrary<Value | null | undefined> =>
  fc.oneof(
    {weight: 12, arbitrary: fc.constant(undefined)},
    {weight, arbitrary: value},
    {weight: 2, arbitrary: fc.constant(null)},
  );
const changedChoice: fc.Arbitrary<Choice> = fc.record({
  days: orNull(days),
  password: orNull(password, 1),
  title: orNull(titles),
  tags: orNull(tags),
  maxVisits: orNull(maxVisits, 6),
  startDays: orNull(days, 1),
  rules: orNull(rules),
  expiredUrl: orNull(expiredUrls),
  forwardQuery: orNull(fc.boolean(), 1),
});

const noChoice: Choice = {
  ...{days: undefined, password: undefined, title: undefined, tags: undefined, maxVisits: undefined},
  ...{startDays: undefined, rules: undefined, expiredUrl: undefined, forwardQuery: undefined},
};

const filter: fc.Arbitrary<LinkFilter> = fc.record(
  {
    status: fc.constantFrom('active', 'disabled', 'expired', 'scheduled'),
    tag: fc.constantFrom('mail', 'Mail', '字', 'none'),
    search: fc.constantFrom('SPRING', 'ü', '<b>', 'destination', '%2f', 'a'),
    order: fc.constantFrom('newest', 'oldest'),
  },
  {requiredKeys: []},
);

const scopes = fc.constantFrom('read', 'create', 'full' as const);

const manyChange: fc.Arbitrary<ManyChange> = fc.oneof(
  fc.record({link, destination: rarely(destinations), choice: changedChoice, status: fc.constant(undefined)}),
  fc.record({
    link,
    destination: fc.constant(undefined),
    choice: fc.constant(noChoice),
    status: fc.constantFrom('disabled', 'active', 'active', 'removed'),
  } as const),
);

const visitor: fc.Arbitrary<Visitor> = fc.record({
  device: rarely(fc.constant('ios' as const), 2),
  language: rarely(fc.constant('de' as const), 2),
  query: fc.constantFrom('', '', '?b=2&x=1', '?über=字'),
});

const action: fc.Arbitrary<Action> = fc.oneof(
  {weight: 3, arbitrary: fc.record({do: fc.constantFrom('register'), account, site} as const)},
  {weight: 2, arbitrary: fc.record({do: fc.constantFrom('rotate', 'show', 'remove'), account, site} as const)},
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constant('create'),
      account,
      way,
      destination: destinations,
      name: maybe(fc.constantFrom('a', 'A', 'spring', 'Spring'), 3),
      domain: fc.constantFrom(undefined, undefined, undefined, 'sho.rt', 'go.example.org'),
      choice: newChoice,
      idempotencyKey: rarely(fc.constantFrom('first', 'second'), 3),
    } as const),
  },
  {weight: 3, arbitrary: fc.record({do: fc.constant('repeat'), way} as const)},
  {
    weight: 7,
    arbitrary: fc.record({
      do: fc.constant('update'),
      account,
      link,
      way,
      destination: rarely(destinations),
      choice: changedChoice,
    } as const),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('change many'),
      account,
      way,
      changes: fc.array(manyChange, {minLength: 1, maxLength: 5}),
    } as const),
  },
  {weight: 6, arbitrary: fc.record({do: fc.constantFrom('disable', 'enable', 'info'), account, link, way} as const)},
  {weight: 3, arbitrary: fc.record({do: fc.constant('discard'), account, link, way} as const)},
  {weight: 3, arbitrary: fc.record({do: fc.constant('list'), account, way, limit} as const)},
  {weight: 4, arbitrary: fc.record({do: fc.constant('find'), account, way, limit, filter} as const)},
  {weight: 3, arbitrary: fc.record({do: fc.constant('make key'), account, way, scope: scopes} as const)},
  {weight: 1, arbitrary: fc.record({do: fc.constant('list keys'), account, way} as const)},
  {weight: 1, arbitrary: fc.record({do: fc.constant('revoke key'), account, way, revoked: fc.nat(2)} as const)},
  {weight: 4, arbitrary: fc.record({do: fc.constantFrom('block', 'block', 'block', 'unblock'), link, site} as const)},
  {weight: 1, arbitrary: fc.record({do: fc.constant('block account'), account, site} as const)},
  // Soon, because nothing else works until then.
  {weight: 4, arbitrary: fc.record({do: fc.constant('unblock account'), account, site} as const)},
  {weight: 1, arbitrary: fc.record({do: fc.constant('intrude'), account, site} as const)},
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('visit'),
      link,
      site,
      as: fc.constantFrom('GET', 'GET', 'HEAD', 'prefetch', 'bot', 'crowd', 'password'),
      visitor,
    } as const),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('wait'),
      until: fc.constantFrom('later', 'midnight', 'just before midnight'),
    } as const),
  },
);

/** A story. Some accounts exist from the start, because most stories without one would test nothing. */
export function stories(maxLength: number): fc.Arbitrary<Action[]> {
  const begin: Action[] = [0, 1].map((index) => ({do: 'register', account: index, site: index}));
  return fc.array(action, {maxLength, size: 'max'}).map((actions) => [...begin, ...actions]);
}
