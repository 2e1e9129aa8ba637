import test from 'ava';
import type {Access} from '../../../src/accounts/accounts.ts';
import type {LiveAccount} from '../../../src/accounts/record.ts';
import {KeyAttempts} from '../../../src/accounts/key-attempts.ts';

const minute = 60_000;

test('the 15 minutes begin with the first wrong key, not with a right one before it', async (t) => {
  let now = 0;
  const account = {id: 'user-42', generation: 'first life'} as LiveAccount;
  const access: Access = {account, scope: 'full', key: undefined};
  const attempts = new KeyAttempts({
    accounts: {authenticate: async (key) => (key === 'right' ? access : undefined)},
    limit: 1,
    now: () => now,
  });
  const wrong = () => attempts.authenticate('wrong', 'client');
  t.is(await attempts.authenticate('right', 'client'), access);
  now = 14 * minute;
  t.is(await wrong(), undefined);
  now = 29 * minute - 1;
  await t.throwsAsync(wrong(), {code: 'too_many_requests'});
  now = 29 * minute;
  t.is(await wrong(), undefined);
});

test('wrong keys by a clock that was ahead do not lock out a client once it is right', async (t) => {
  for (const ahead of [minute, 23 * 60 * minute, 1000 * 24 * 60 * minute]) {
    let now = ahead;
    const accounts = {authenticate: async () => undefined};
    const attempts = new KeyAttempts({accounts, limit: 1, now: () => now});
    t.is(await attempts.authenticate('wrong', 'client'), undefined);
    await t.throwsAsync(attempts.authenticate('wrong', 'client'), {code: 'too_many_requests'});
    now = 0;
    t.is(await attempts.authenticate('wrong', 'client'), undefined, `${ahead} ms`);
  }
});

test('a right key that this process has not seen works after many wrong ones of its address', async (t) => {
  const account = {id: 'user-42', generation: 'first life'} as LiveAccount;
  const access: Access = {account, scope: 'full', key: undefined};
  const authenticate = async (key: string): Promise<Access | undefined> => (key === 'right' ? access : undefined);
  const attempts = new KeyAttempts({accounts: {authenticate}, limit: 2, now: () => 0});
  for (let count = 0; count < 10; count++)
    await attempts.authenticate(`wrong-${count}`, 'client').catch(() => undefined);
  await t.throwsAsync(attempts.authenticate('wrong', 'client'), {code: 'too_many_requests'});
  t.is(await attempts.authenticate('right', 'client'), access);
});
