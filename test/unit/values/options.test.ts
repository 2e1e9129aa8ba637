import test from 'ava';
import {days, type OptionTable, withDefaults} from '../../../src/values/options.ts';
import {choice, integer, word} from '../../../src/values/shape.ts';

interface Measure {
  readonly size?: number | undefined;
  readonly name?: string | undefined;
}

const sentence = 'What it is.';
const table = {
  size: {...integer(1, 10), default: 3, sentence},
  name: {...word(4, 'a-z', '[a-z]'), sentence},
} satisfies OptionTable<Measure>;

const read = (options: Measure) => withDefaults(options, table);

test('an option that is not set, or is undefined, gets its default, and one without a default stays undefined', (t) => {
  t.deepEqual(read({}), {size: 3, name: undefined});
  t.deepEqual(read({size: undefined, name: 'a'}), {size: 3, name: 'a'});
});

test('options may be inherited, or be getters of a class', (t) => {
  class Configuration {
    readonly #size = 5;

    get size(): number {
      return this.#size;
    }
  }
  t.deepEqual(read(new Configuration()), {size: 5, name: undefined});
  t.deepEqual(read(Object.create({name: 'b'}) as Measure), {size: 3, name: 'b'});
});

test('the bounds that people read are those that are checked', (t) => {
  const size = integer(50, 60_000, 'milliseconds');
  t.is(size.bounds, '50 to 60,000 milliseconds');
  t.deepEqual(
    [49, 50, 60_000, 60_001, 50.5, '50'].filter((value) => size.holds(value)),
    [50, 60_000],
  );

  const status = choice(['last', 'first']);
  t.is(status.bounds, '`last` or `first`');
  t.deepEqual(
    ['last', 'first', 'LAST', ''].filter((value) => status.holds(value)),
    ['last', 'first'],
  );

  const namespace = word(4, 'a-z', '[a-z]');
  t.is(namespace.bounds, '1 to 4 of `a-z`');
  t.deepEqual(
    ['', 'a', 'abcd', 'abcde', 'A', 1].filter((value) => namespace.holds(value)),
    ['a', 'abcd'],
  );
});

test('a time is in seconds, and people read it in days too', (t) => {
  const age = days(400, 30);
  t.is(age.bounds, '1 to 34,560,000 seconds (400 days)');
  t.like(age, {default: 2_592_000, defaultNote: '30 days'});
  t.true(age.holds(34_560_000));
  t.false(age.holds(34_560_001));
});
