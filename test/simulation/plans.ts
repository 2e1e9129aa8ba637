import fc from 'fast-check';
import {type Action, deeds, type Plan} from './story.ts';
import {type Fault, processes} from './world.ts';

/** Mostly none, so that requests meet. */
const pause = fc.constantFrom(0, 0, 0, 1, 2, 5, 20, 100, 1000, 3000);
const luck = fc.nat(2 ** 20);
const process = fc.nat(processes - 1);
const at = fc.constantFrom(1, 5, 10, 20, 50, 100, 1000);

const action: fc.Arbitrary<Action> = fc.record({
  do: fc.constantFrom(...deeds, 'visit', 'visit', 'create'),
  pause,
  process,
  account: fc.constantFrom(0, 0, 0, 1),
  link: fc.constantFrom(0, 0, 0, 1, 2),
  value: fc.nat(3),
  luck,
});

const fault: fc.Arbitrary<Fault> = fc.oneof(
  fc.record({
    do: fc.constant('cut' as const),
    at,
    process: fc.option(process, {nil: undefined}),
    duration: fc.constantFrom(10, 100, 1000, 3000),
  }),
  fc.record({do: fc.constant('kill' as const), at, process, commands: fc.nat(8)}),
  fc.record({do: fc.constant('stall' as const), at, process, duration: fc.constantFrom(10, 100, 2500)}),
);

/** Plans of a few clients that all want the same links. */
export const plans: fc.Arbitrary<Plan> = fc.record({
  seed: luck,
  clients: fc.array(fc.array(action, {minLength: 1, maxLength: 8}), {minLength: 1, maxLength: 4}),
  faults: fc.oneof({weight: 1, arbitrary: fc.constant([])}, {weight: 2, arbitrary: fc.array(fault, {maxLength: 3})}),
});
