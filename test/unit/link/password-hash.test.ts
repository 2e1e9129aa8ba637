import {scryptSync} from 'node:crypto';
import test from 'ava';
import {hashPassword, verifyPassword} from '../../../src/link/password.ts';

const visitor = {account: 'user-42', client: 'client'};

test('a password is stored as a salted scrypt hash at a cost that OWASP recommends', async (t) => {
  const stored = await hashPassword('correct horse', 'owner');
  const [scheme, N, r, p, salt = '', key = ''] = stored.split('$');
  t.is(scheme, 'scrypt');
  // As costly as N=2^17, r=8, p=1.
  t.deepEqual([N, r, p].map(Number), [2 ** 15, 8, 3]);
  const bytes = Buffer.from(salt, 'base64url');
  t.is(bytes.length, 16);
  const options = {N: 2 ** 15, r: 8, p: 3, maxmem: 2 ** 26};
  t.is(key, scryptSync('correct horse', bytes, 32, options).toString('base64url'));
  t.not(await hashPassword('correct horse', 'owner'), stored);
});

test('only the exact password matches', async (t) => {
  const stored = await hashPassword('ünïcödé 100 %', 'owner');
  t.true(await verifyPassword('ünïcödé 100 %', stored, visitor));
  for (const wrong of ['ünïcödé 100 %'.normalize('NFD'), 'Ünïcödé 100 %', 'ünïcödé 100 % ', '']) {
    t.false(await verifyPassword(wrong, stored, visitor));
  }
});
