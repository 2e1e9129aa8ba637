import '../../support/quick-scrypt.ts';
import test from 'ava';
import {Seal} from '../../../src/accounts/seal.ts';
import {SiteKey} from '../../../src/accounts/site-key.ts';
import {siteKeyRecords} from '../../../src/accounts/site-key.ts';
import type {Store} from '../../../src/store/port.ts';
import {accountsOn} from '../../support/accounts.ts';
import {memoryStore} from '../../support/store-stub.ts';

const siteKey = (store: Store, ...secrets: string[]): SiteKey => new SiteKey(store, new Seal(secrets));

test('all processes make the same digests in every step of a change of the secret', async (t) => {
  const store = memoryStore();
  const [one, two] = await Promise.all([siteKey(store, 'old').digest('x'), siteKey(store, 'old').digest('x')]);
  t.is(one, two);
  t.not(await siteKey(memoryStore(), 'another').digest('x'), one);
  for (const secrets of [['old', 'new'], ['new', 'old'], ['old', 'new'], ['new', 'old'], ['new']]) {
    t.is(await siteKey(store, ...secrets).digest('x'), one, secrets.join());
  }
});

test('the store has the key only sealed, and another secret neither opens nor replaces it', async (t) => {
  const store = memoryStore();
  const own = siteKey(store, 'own');
  const digest = await own.digest('x');
  t.is(await own.known('x'), undefined);
  t.is(await own.lasting('x'), digest);
  t.is(await own.known('x'), digest);
  const before = await store.get(siteKeyRecords.key());
  await t.throwsAsync(siteKey(store, 'other').digest('x'), {code: 'internal_error', message: /`secret`/});
  await t.throwsAsync(siteKey(store, 'other').known('x'), {code: 'internal_error', message: /`secret`/});
  t.deepEqual(await store.get(siteKeyRecords.key()), before);
});

test('a wrong secret does not make the key of a site that has accounts', async (t) => {
  const store = memoryStore();
  await accountsOn(store).create('user-42');
  const wrong = [siteKey(store, 'another secret').lasting('x'), siteKey(store, 'another', 'secret').digest('x')];
  for (const attempt of wrong) await t.throwsAsync(attempt, {code: 'internal_error', message: /`secret`/});
  t.is(await store.get(siteKeyRecords.key()), undefined);
});
