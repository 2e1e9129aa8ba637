import '../../support/quick-scrypt.ts';
import test from 'ava';
import {accountRecords} from '../../../src/accounts/records.ts';
import {kindOf} from '../../../src/tools/kinds.ts';
import {openStore} from '../../../src/store/opening/open.ts';
import {accountsOn} from '../../support/accounts.ts';
import {intercepted, memoryStore, outage} from '../../support/store-stub.ts';

function keysIn(records: Map<string, unknown>, prefix: string): string[] {
  return [...records.keys()].filter((key) => key.startsWith(prefix));
}

test('two processes that create the same account at once get the same key and leave no other pointer', async (t) => {
  const records = new Map<string, unknown>();
  const [one, two] = [accountsOn(records), accountsOn(records)];
  const [first, second] = await Promise.all([one.create('user-42'), two.create('user-42')]);
  t.is(first, second);
  t.is((await one.authenticate(first))?.account.id, 'user-42');
  t.deepEqual(keysIn(records, 'test:account:'), ['test:account:user-42']);
  t.is(keysIn(records, 'test:accounts:').length, 1);
});

test('a rotation keeps what another process changes meanwhile', async (t) => {
  const records = new Map<string, unknown>();
  const other = accountsOn(records);
  await other.create('user-42');
  let operations = 0;
  const slow = intercepted(openStore(records, {namespace: 'test'}), async () => {
    operations += 1;
    // Between what the rotation reads and what it writes.
    if (operations === 2) await other.change('user-42', (account) => ({...account, blocks: 1}));
  });
  await accountsOn(slow).rotate('user-42');
  t.is((await other.require('user-42')).blocks, 1);
});

test('a block that a creation which was cut off has left is kept once, and ends with the unblock', async (t) => {
  const records = new Map<string, unknown>();
  const accounts = accountsOn(records);
  const cut = intercepted(openStore(records, {namespace: 'test'}), (operation, key) => {
    if (operation === 'remove' && kindOf(String(key))?.name === 'block') throw outage();
  });
  await accounts.create('user-42');
  await accounts.change('user-42', (account) => ({...account, blocks: 1}));
  await accounts.remove('user-42');
  await t.throwsAsync(accountsOn(cut).create('user-42'), {code: 'store_unavailable'});
  await accounts.remove('user-42');
  t.is(keysIn(records, 'test:block:').length, 1);
  t.is(await accounts.unblock('user-42', (account) => account), undefined);
  t.deepEqual(keysIn(records, 'test:block:'), []);
  t.deepEqual(keysIn(records, 'test:accounts:'), []);
});

test('an account that was created again is not the same account to recheck', async (t) => {
  const accounts = accountsOn(new Map());
  await accounts.create('user-42');
  const first = await accounts.require('user-42');
  t.is((await accounts.recheck(first)).generation, first.generation);
  await accounts.remove('user-42');
  await t.throwsAsync(accounts.recheck(first), {code: 'invalid_api_key'});
  await accounts.create('user-42');
  await t.throwsAsync(accounts.recheck(first), {code: 'invalid_api_key'});
  await t.notThrowsAsync(accounts.recheck(await accounts.require('user-42')));
});

test('an unknown account is refused, and the error says why', async (t) => {
  const accounts = accountsOn(new Map());
  for (const asking of [accounts.rotate('nobody'), accounts.require('nobody')]) {
    await t.throwsAsync(asking, {code: 'invalid_api_key', message: /does not exist/});
  }
});

test('an id has 1 to 255 whole characters, and the error describes a wrong one without repeating it', async (t) => {
  const accounts = accountsOn(new Map());
  const wrong: Array<[id: unknown, got: RegExp]> = [
    ['', /1 to 255 characters or a safe integer, got an empty string$/],
    ['x'.repeat(256), /got a string of 256 characters$/],
    ['\ud83d', /got a string of 1 characters$/],
    [4.5, /got 4.5$/],
    [undefined, /got undefined$/],
    [{length: 5}, /got an object$/],
  ];
  for (const [id, message] of wrong) {
    for (const method of ['create', 'apiKey', 'rotate', 'remove', 'require'] as const) {
      await t.throwsAsync(accounts[method](id as string), {instanceOf: TypeError, message});
    }
  }
  for (const id of ['x', 'x'.repeat(255), '😀']) t.is(await accounts.apiKey(id), undefined);
});

test('many accounts are created at once, with a result for each in order, and the same keys as one by one', async (t) => {
  const store = memoryStore();
  let isAway = false;
  const seen = intercepted(store, (operation, key) => {
    if (isAway && operation === 'insert' && key === accountRecords.key('away')) throw outage();
  });
  const accounts = accountsOn(seen);
  const known = await accounts.create('known');
  isAway = true;
  const results = await accounts.createMany(['ann', 42, 'known', 'away', 'ann', '42']);
  const named = results.map(({account}) => account);
  t.deepEqual(named, ['ann', '42', 'known', 'away', 'ann', '42']);
  t.is(results[2]?.apiKey, known);
  t.is(results[3]?.error?.code, 'store_unavailable');
  for (const {account, apiKey} of results) t.is(await accounts.apiKey(account), apiKey);
  for (const wrong of [['fine', ''], Array.from({length: 1001}, () => 'fine'), 'fine']) {
    await t.throwsAsync(accounts.createMany(wrong as string[]), {instanceOf: TypeError});
  }
  t.is(await accounts.apiKey('fine'), undefined);
});
