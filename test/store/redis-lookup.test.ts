import test from 'ava';
import {firstOf, Lookup} from '../../src/store/redis-lookup.ts';
import {heldClock} from './clock.ts';

test.serial('all who want to know while it is being looked up wait for the one answer', async (t) => {
  let looks = 0;
  let answer = (): void => undefined;
  const lookup = new Lookup(() => {
    looks += 1;
    return new Promise((resolve) => {
      answer = resolve;
    });
  });
  let isKnown = false;
  const both = Promise.all([lookup.run(), lookup.run()]).then(() => {
    isKnown = true;
  });
  t.is(looks, 1);
  t.false(isKnown);
  answer();
  await both;
  t.is(looks, 1);
});

test.serial('what was found is looked up again only after a pause', async (t) => {
  const clock = heldClock(t);
  let looks = 0;
  const lookup = new Lookup(async () => {
    looks += 1;
  });
  await lookup.run();
  await lookup.run();
  clock.now += 99;
  await lookup.run();
  t.is(looks, 1);
  clock.now += 1;
  await lookup.run();
  t.is(looks, 2);
});

test.serial('whoever asks within the pause after a failure gets the same one, until a look succeeds', async (t) => {
  const clock = heldClock(t);
  const failures = [new Error('first'), new Error('second')];
  let looks = 0;
  const lookup = new Lookup(async () => {
    looks += 1;
    const failure = failures.shift();
    if (failure) throw failure;
  });
  await Promise.all([lookup.run(), lookup.run(), lookup.run()].map((run) => t.throwsAsync(run, {message: 'first'})));
  await t.throwsAsync(lookup.run(), {message: 'first'});
  t.is(looks, 1);
  clock.now += 100;
  await t.throwsAsync(lookup.run(), {message: 'second'});
  clock.now += 100;
  await t.notThrowsAsync(lookup.run());
  await t.notThrowsAsync(lookup.run());
  t.is(looks, 3);
});

test('of many failures the first stands for all, and any other is what it was', (t) => {
  const first = new Error('first');
  t.is(firstOf(new AggregateError([first, new Error('second')])), first);
  t.is(firstOf(new AggregateError(['refused'])).message, 'refused');
  const none = new AggregateError([], 'nobody was asked');
  t.is(firstOf(none), none);
  const other = Object.assign(new Error('other'), {errors: [first]});
  t.is(firstOf(other), other);
  const single = new Error('single');
  t.is(firstOf(single), single);
});
