import test from 'ava';
import {isAtLeast, offsetOf} from '../../../src/store/findings.ts';

test('versions are compared number by number', (t) => {
  for (const version of ['7.0', '7.0.0', '7.1', '10.0', '7.0.15-log', '8']) t.true(isAtLeast(version, '7.0'), version);
  for (const version of ['6.9', '6.10.99', '0', '', 'unknown']) t.false(isAtLeast(version, '7.0'), version);
  t.true(isAtLeast('10.6.5-MariaDB', '10.6'));
  t.false(isAtLeast('10.5.30', '10.6'));
});

test('a clock is off by at least the part that the time of the request does not explain', async (t) => {
  let now = 0;
  const clock = (): number => now;
  const ask = (theirs: number) => (): Promise<number> => {
    now += 100;
    return Promise.resolve(theirs);
  };
  now = 1000;
  t.is(await offsetOf(ask(1050), clock), 0);
  now = 1000;
  t.is(await offsetOf(ask(5000), clock), 3900);
  now = 10_000;
  t.is(await offsetOf(ask(5000), clock), -5000);
});
