import {createHash} from 'node:crypto';
import test from 'ava';
import {generateApiKey, positionIn} from '../../../src/accounts/api-key.ts';
import {accountsOn} from '../../support/accounts.ts';

const digestOf = (key: string): string => createHash('sha256').update(key).digest('base64url');

test('a key has 192 random bits and the position of its account, in characters that need no escaping in a path', (t) => {
  const keys = Array.from({length: 2000}, () => generateApiKey(71));
  t.is(new Set(keys).size, keys.length);
  for (const key of keys) t.regex(key, /^[A-Za-z0-9_-]{32}-1z$/);
  // Every position uses all 64 characters; with fewer, the key would have less than 192 bits.
  for (let place = 0; place < 32; place++) t.is(new Set(keys.map((key) => key[place])).size, 64);
  for (const position of [1, 35, 36, Number.MAX_SAFE_INTEGER]) t.is(positionIn(generateApiKey(position)), position);
});

test('the store holds the digest of a key, never the key', async (t) => {
  const records = new Map<string, unknown>();
  const accounts = accountsOn(records);
  const first = await accounts.create('user-42');
  const second = await accounts.rotate('user-42');
  const content = JSON.stringify([...records]);
  t.true(content.includes(digestOf(second)));
  t.false(content.includes(digestOf(first)));
  for (const key of [first, second]) {
    t.false(content.includes(key));
    t.false(content.includes(Buffer.from(key).toString('base64url').slice(0, -2)));
  }
  t.is((await accounts.authenticate(second))?.account.id, 'user-42');
  t.is(await accounts.authenticate(first), undefined);
  t.deepEqual([...records.keys()].sort(), ['test:account:user-42', 'test:accounts:1', 'test:sequence:account']);
});

test('a key counts only with the position of its own account', async (t) => {
  const accounts = accountsOn(new Map());
  const key = await accounts.create('user-42');
  await accounts.create('user-43');
  const random = key.slice(0, 32);
  for (const other of [
    `${random}-2`,
    `${random}-3`,
    `${random}-01`,
    `${random}-0`,
    `${random}1`,
    random,
    generateApiKey(1),
  ]) {
    t.is(await accounts.authenticate(other), undefined, other.slice(32));
  }
  t.is((await accounts.authenticate(key))?.account.id, 'user-42');
});

test('a text that does not have the form of a key is not looked up', async (t) => {
  const records = new Map<string, unknown>();
  const accounts = accountsOn(records);
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
    `${key.slice(0, 32)}-A`,
    `${key.slice(0, 32)}-123456789012`,
    key.replace(/./, 'é'),
  ]) {
    t.is(await accounts.authenticate(text), undefined);
  }
  t.is(looks, 0);
});
