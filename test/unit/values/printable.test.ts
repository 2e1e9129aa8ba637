import test from 'ava';
import {printable} from '../../../src/values/printable.ts';

test('control characters and those that turn the direction of text are escaped', (t) => {
  t.is(
    printable('a\x1B[31mb\x9B2Jc\x07\nd\u202Ee\u2028f\u{E0001}ü€😀'),
    'a\\u001b[31mb\\u009b2Jc\\u0007\\u000ad\\u202ee\\u2028f\\udb40\\udc01ü€😀',
  );
});

test('a line has at most 2,000 characters, except for one of JSON, which stays the same JSON', (t) => {
  t.is(printable('x'.repeat(1_000_000)).length, 2001);
  const value = {title: `\u009B\u202E${'x'.repeat(5000)}`};
  t.deepEqual(JSON.parse(printable(JSON.stringify(value), Number.POSITIVE_INFINITY)), value);
});
