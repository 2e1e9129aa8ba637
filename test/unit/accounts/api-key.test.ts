import {createHash} from 'node:crypto';
import test from 'ava';
import {Accounts} from '../../../src/accounts/accounts.ts';
import {generateApiKey} from '../../../src/accounts/api-key.ts';
import {Seal} from '../../../src/accounts/seal.ts';
import {openStore} from '../../../src/store/opening/open.ts';

const digestOf = (key: string): string => createHash('sha256').update(key).digest('base64url');

async function accountsOn(records: Map<string, unknown>): Promise<Accounts> {
  const store = openStore(records, {namespace: 'test'});
  return new Accounts(store, new Seal(['a secret']), () => Promise.resolve(), Date.now);
}

test('a key has 192 random bits, in characters that need no escaping in a path', (t) => {
  const keys = Array.from({length: 2000}, generateApiKey);
  t.is(new Set(keys).size, keys.length);
  for (const key of keys) t.regex(key, /^[A-Za-z0-9_-]{32}$/);
  // Every position uses all 64 characters; with fewer, the key would have less than 192 bits.
  for (let place = 0; place < 32; place++) t.is(new Set(keys.map((key) => key[place])).size, 64);
});

test('the store holds the digest of a key, never the key', async (t) => {
  const records = new Map<string, unknown>();
  const accounts = await accountsOn(records);
  const first = await accounts.create('user-42');
  const second = await accounts.rotate('user-42');
  t.true(records.has(`test:key:${digestOf(second)}`));
  t.false(records.has(`test:key:${digestOf(first)}`));
  const content = JSON.stringify([...records]);
  for (const key of [first, second]) {
    t.false(content.includes(key));
    t.false(content.includes(Buffer.from(key).toString('base64url').slice(0, -2)));
  }
  t.is((await accounts.authenticate(second))?.id, 'user-42');
  t.is(await accounts.authenticate(first), undefined);
});

test('a pointer counts only if its account has that key', async (t) => {
  const records = new Map<string, unknown>();
  const accounts = await accountsOn(records);
  const key = await accounts.create('user-42');
  await accounts.create('user-43');
  // Stands for a pointer left by an interrupted rotation, or one forged by somebody who can write to the store.
  const forged = generateApiKey();
  records.set(`test:key:${digestOf(forged)}`, JSON.stringify({value: {account: 'user-43'}}));
  t.is(await accounts.authenticate(forged), undefined);
  t.is((await accounts.authenticate(key))?.id, 'user-42');
});

test('a text that does not have the form of a key is not looked up', async (t) => {
  const records = new Map<string, unknown>();
  const accounts = await accountsOn(records);
  const key = await accounts.create('user-42');
  let looks = 0;
  records.get = (name) => {
    looks += 1;
    return Map.prototype.get.call(records, name) as unknown;
  };
  for (const text of [
    '',
    '__proto__',
    `${key} `,
    `${key.slice(1)}%`,
    key.slice(1),
    `${key}\0`,
    key.replace(/./, 'é'),
  ]) {
    t.is(await accounts.authenticate(text), undefined);
  }
  t.is(looks, 0);
});
