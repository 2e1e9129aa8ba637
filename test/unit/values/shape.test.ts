import test from 'ava';
import {listOf, object, optional, problemIn} from '../../../src/values/objects.ts';
import {reader} from '../../../src/values/input.ts';
import {
  choice,
  count,
  flag,
  integer,
  labels,
  line,
  type Shape,
  text,
  textUpTo,
  time,
} from '../../../src/values/shape.ts';

test('a message names the value and its unit, and never repeats it', (t) => {
  const messages: ReadonlyArray<readonly [Shape, unknown, string]> = [
    [line(3), 'hunter2', 'The title must be 1 to 3 characters without control characters, and without white space'],
    [line(3), 7, 'Expected `name` to be a string that is not empty.'],
    [textUpTo(3), 'hunter2', 'The title must be at most 3 characters.'],
    [integer(1, 64), 'hunter2', 'The title must be an integer from 1 to 64.'],
    [choice(['svg', 'png']), 'hunter2', 'The title must be `svg` or `png`.'],
    [labels(2, 3), ['hunter2'], 'The title must be an array of at most 2, each 1 to 3 characters without commas'],
  ];
  for (const [shape, value, message] of messages) {
    const error = t.throws(() => reader(shape, 'title')(value, 'name'), {code: 'malformed_parameter'});
    t.true(error.message.startsWith(message), error.message);
    t.notRegex(error.message, /hunter2/);
  }
  t.throws(() => reader(flag)('hunter2', 'name'), {message: 'Expected `name` to be true or false.'});
});

test('lengths are in characters, whatever their UTF-16 units, and a letter with its accent is one', (t) => {
  for (const shape of [line(3), textUpTo(3)]) {
    t.true(shape.holds('𝒳𝒳𝒳'));
    t.false(shape.holds('𝒳𝒳𝒳𝒳'));
  }
  t.deepEqual(reader(labels(2, 3), 'tags')(['e\u0301te', '\u00E9te'], 'tags'), ['\u00E9te']);
});

test('an object has the members of its shape and no others, and the wrong one is named', (t) => {
  const shape = object({name: text, keys: optional(listOf(object({at: time})))});
  t.true(shape.holds({name: 'a'}));
  t.true(shape.holds({name: 'a', keys: [{at: 1}]}));
  const problems = [{}, {name: 'a', keys: [{}]}, {name: 'a', more: 1}, []].map((value) =>
    problemIn(value, shape, 'it'),
  );
  t.deepEqual(problems, [
    'expected `it.name` to be a string that is not empty, got undefined',
    'expected `it.keys` to be an array, and each element an object with at, got an array of an object',
    'expected `it` to have only name, keys, got `more`',
    'expected `it` to be an object, got an empty array',
  ]);
  t.deepEqual(shape.schema.required, ['name']);
});

test('a list has its minimum and maximum number of items, in its check and in its schema', (t) => {
  const shape = listOf(count, 2, 1);
  t.deepEqual(
    [[], [1], [1, 2], [1, 2, 3], [-1], 1].filter((value) => shape.holds(value)),
    [[1], [1, 2]],
  );
  t.deepEqual(shape.schema, {type: 'array', minItems: 1, maxItems: 2, items: {type: 'integer', minimum: 0}});
});
