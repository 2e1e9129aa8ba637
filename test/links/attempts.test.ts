import {setImmediate as nextTurn} from 'node:timers/promises';
import test from 'ava';
import {PasswordAttempts} from '../../src/links/attempts.ts';

const right = async (): Promise<boolean> => {
  await nextTurn();
  return true;
};
const wrong = async (): Promise<boolean> => {
  await nextTurn();
  return false;
};

test('right passwords that come at once are all right, however many', async (t) => {
  const attempts = new PasswordAttempts(5, Date.now);
  t.deepEqual(
    await Promise.all(Array.from({length: 20}, () => attempts.try('link', 'client', right))),
    Array.from({length: 20}, () => true),
  );
});

test('of wrong passwords that come at once only as many are tried as there may be', async (t) => {
  const attempts = new PasswordAttempts(5, () => 0);
  let tried = 0;
  const outcomes = await Promise.allSettled(
    Array.from({length: 20}, () =>
      attempts.try('link', 'client', () => {
        tried++;
        return wrong();
      }),
    ),
  );
  t.is(tried, 5);
  t.is(outcomes.filter(({status}) => status === 'fulfilled').length, 5);
  await t.throwsAsync(attempts.try('link', 'client', right), {code: 'too_many_requests'});
  t.true(await attempts.try('link', 'another client', right));
  t.true(await attempts.try('another link', 'client', right));
});

test('after a quarter of an hour there are as many tries as before', async (t) => {
  let now = 0;
  const attempts = new PasswordAttempts(1, () => now);
  t.false(await attempts.try('link', 'client', wrong));
  const refused = await t.throwsAsync(attempts.try('link', 'client', right), {code: 'too_many_requests'});
  t.like(refused, {retryAfter: 900});
  now = 15 * 60 * 1000;
  t.true(await attempts.try('link', 'client', right));
});

test('a try that fails without an answer is not a wrong one', async (t) => {
  const attempts = new PasswordAttempts(1, () => 0);
  await t.throwsAsync(attempts.try('link', 'client', () => Promise.reject(new Error('no answer'))));
  t.true(await attempts.try('link', 'client', right));
});
