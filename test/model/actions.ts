import fc from 'fast-check';

/** How a call is made: at which of the sites that share the engine, and through which of its doors. */
export interface Way {
  readonly site: number;
  readonly door: 'json' | 'xml' | 'program';
}

/** One thing that a user does. Accounts, links and names are numbers: what they stand for is for the run to say. */
export type Action =
  | {readonly do: 'register' | 'show' | 'rotate' | 'remove'; readonly account: number; readonly site: number}
  | {
      readonly do: 'create';
      readonly account: number;
      readonly way: Way;
      readonly destination: string | number;
      readonly name: string | undefined;
      readonly domain: string | undefined;
      /** From today. */
      readonly days: number | undefined;
      readonly hasPassword: boolean;
    }
  | {
      readonly do: 'disable' | 'enable' | 'info';
      readonly account: number;
      readonly link: number;
      readonly way: Way;
    }
  | {readonly do: 'list'; readonly account: number; readonly way: Way; readonly limit: number | undefined}
  /** A call with a key that was rotated away or removed. */
  | {readonly do: 'intrude'; readonly account: number; readonly site: number}
  | {
      readonly do: 'visit';
      readonly link: number;
      readonly site: number;
      readonly as: 'GET' | 'HEAD' | 'prefetch' | 'crowd' | 'password';
    }
  | {readonly do: 'wait'; readonly until: 'later' | 'midnight' | 'just before midnight'};

const account = fc.nat(2);
const site = fc.nat(1);
const link = fc.nat(11);
const way = fc.record({site, door: fc.constantFrom('json', 'xml', 'program')} as const);
const rarely = (value: fc.Arbitrary<boolean>): fc.Arbitrary<boolean> =>
  fc.oneof({arbitrary: fc.constant(false), weight: 9}, {arbitrary: value, weight: 1});

const destinations = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constantFrom(
      'https://destination.example/a?b=c&d=<e>#"f"',
      'http://destination.example/über/字/🙂',
      'https://destination.example/]]>&amp;%2F//',
    ),
  },
  // The short URL of a link of our own.
  {weight: 1, arbitrary: link},
);

const action: fc.Arbitrary<Action> = fc.oneof(
  {weight: 3, arbitrary: fc.record({do: fc.constantFrom('register'), account, site} as const)},
  {weight: 2, arbitrary: fc.record({do: fc.constantFrom('rotate', 'show', 'remove'), account, site} as const)},
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('create'),
      account,
      way,
      destination: destinations,
      name: fc.option(fc.constantFrom('a', 'A', 'spring', 'Spring'), {nil: undefined, freq: 3}),
      domain: fc.constantFrom(undefined, undefined, 'sho.rt', 'go.example.org'),
      days: fc.option(fc.integer({min: -1, max: 3}), {nil: undefined, freq: 2}),
      hasPassword: rarely(fc.boolean()),
    } as const),
  },
  {weight: 6, arbitrary: fc.record({do: fc.constantFrom('disable', 'enable', 'info'), account, link, way} as const)},
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('list'),
      account,
      way,
      limit: fc.option(fc.integer({min: 1, max: 3}), {nil: undefined}),
    } as const),
  },
  {weight: 1, arbitrary: fc.record({do: fc.constant('intrude'), account, site} as const)},
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('visit'),
      link,
      site,
      as: fc.constantFrom('GET', 'GET', 'HEAD', 'prefetch', 'crowd', 'password'),
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

/** A story: accounts that are there from the beginning, as most stories without one would tell nothing. */
export function stories(longest: number): fc.Arbitrary<Action[]> {
  const begin: Action[] = [0, 1].map((index) => ({do: 'register', account: index, site: index}));
  return fc.array(action, {maxLength: longest, size: 'max'}).map((actions) => [...begin, ...actions]);
}
