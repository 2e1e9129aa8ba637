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
