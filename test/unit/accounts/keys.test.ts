import '../../support/quick-scrypt.ts';
import test from 'ava';
import type {Accounts} from '../../../src/accounts/accounts.ts';
import {Keys} from '../../../src/accounts/keys.ts';
import {accountsOn, noon} from '../../support/accounts.ts';

/** The services of one process. Two calls with the same records act as two processes. */
function servicesOn(records: Map<string, unknown>): {accounts: Accounts; keys: Keys} {
  const accounts = accountsOn(records);
  return {accounts, keys: new Keys(accounts, () => noon)};
}

test('a labelled key is valid with its scope until it is revoked, and only its digest is stored', async (t) => {
  const records = new Map<string, unknown>();
  const {accounts, keys} = servicesOn(records);
  const first = await accounts.create('user-42');
  const {apiKey, ...key} = await keys.create('user-42', {label: 'Newsletter', scope: 'create'});
  t.deepEqual(key, {id: key.id, label: 'Newsletter', scope: 'create', created: '2031-05-06 12:00:00'});
  t.false(JSON.stringify([...records]).includes(apiKey));
  const {accounts: elsewhere, keys: keysElsewhere} = servicesOn(records);
  const access = await elsewhere.authenticate(apiKey);
  t.like(access, {account: {id: 'user-42'}, scope: 'create', key: {id: key.id, label: 'Newsletter'}});
  t.like(await elsewhere.authenticate(first), {scope: 'full', key: undefined});
  t.deepEqual(await keysElsewhere.list('user-42'), [key]);

  await keysElsewhere.revoke('user-42', key.id);
  t.is(await accounts.authenticate(apiKey), undefined);
  t.deepEqual(await keys.list('user-42'), []);
  t.like(await accounts.authenticate(first), {scope: 'full'});
  await t.throwsAsync(keys.revoke('user-42', key.id), {code: 'unknown_key'});
});

test('an account has at most 20 labelled keys, also if two processes create them at once', async (t) => {
  const records = new Map<string, unknown>();
  const [one, two] = [servicesOn(records), servicesOn(records)];
  await one.accounts.create('user-42');
  const results = await Promise.allSettled(
    Array.from({length: 24}, (_, index) =>
      (index % 2 === 0 ? one : two).keys.create('user-42', {label: `Key ${index}`, scope: 'read'}),
    ),
  );
  const made = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as {code: string}] : []));
  t.is(made.length, 20);
  t.deepEqual(new Set(refused.map(({code}) => code)), new Set(['too_many_keys']));
  t.is((await two.keys.list('user-42')).length, 20);
  for (const {apiKey} of made) t.is((await two.accounts.authenticate(apiKey))?.scope, 'read');
  await one.keys.revoke('user-42', made[0]?.id ?? '');
  await t.notThrowsAsync(two.keys.create('user-42', {label: 'One more', scope: 'read'}));
});

test('a removed account leaves no key, and the account created after it has none', async (t) => {
  const records = new Map<string, unknown>();
  const {accounts, keys} = servicesOn(records);
  await accounts.create('user-42');
  const {apiKey} = await keys.create('user-42', {label: 'Newsletter', scope: 'full'});
  await accounts.remove('user-42');
  t.is(await accounts.authenticate(apiKey), undefined);
  t.deepEqual([...records.keys()].sort(), ['test:sequence:account']);
  for (const call of [
    keys.list('user-42'),
    keys.create('user-42', {label: 'x', scope: 'read'}),
    keys.revoke('user-42', 'x'),
  ]) {
    await t.throwsAsync(call, {code: 'invalid_api_key'});
  }
  await accounts.create('user-42');
  t.is(await accounts.authenticate(apiKey), undefined);
  t.deepEqual(await keys.list('user-42'), []);
});

test('a new key of the registration leaves the labelled keys', async (t) => {
  const {accounts, keys} = servicesOn(new Map());
  await accounts.create('user-42');
  const {apiKey} = await keys.create('user-42', {label: 'Newsletter', scope: 'full'});
  await accounts.rotate('user-42');
  t.is((await accounts.authenticate(apiKey))?.account.id, 'user-42');
});
