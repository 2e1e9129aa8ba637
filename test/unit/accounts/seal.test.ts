import {createDecipheriv, scryptSync} from 'node:crypto';
import test from 'ava';
import {Seal} from '../../../src/accounts/seal.ts';

const text = 'Vt5-hJq2_mZx8WcRk1nBv7TfYp4LsDg9';

test('a key is sealed with AES-256-GCM, under a key that scrypt derives from the secret, for its account', async (t) => {
  const sealed = Buffer.from(await new Seal(['a secret']).seal(text, 'user-42'), 'base64url');
  const key = scryptSync('a secret', 'koa-short-url api key seal', 32);
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12)).setAAD(Buffer.from('user-42'));
  decipher.setAuthTag(sealed.subarray(-16));
  t.is(decipher.update(sealed.subarray(12, -16), undefined, 'utf8') + decipher.final('utf8'), text);
});

test('no two seals are the same', async (t) => {
  const seal = new Seal(['a secret']);
  const sealed = await Promise.all(Array.from({length: 50}, () => seal.seal(text, 'user-42')));
  t.is(new Set(sealed.map((one) => one.slice(0, 16))).size, 50);
});

test('of several secrets the first seals and all open', async (t) => {
  const old = await new Seal(['old']).seal(text, 'user-42');
  const both = new Seal(['new', 'older', 'old']);
  t.is(await both.open(old, 'user-42'), text);
  const fresh = await both.seal(text, 'user-42');
  t.is(await new Seal(['new']).open(fresh, 'user-42'), text);
  const error = await t.throwsAsync(new Seal(['old']).open(fresh, 'user-42'), {code: 'internal_error'});
  t.regex(error.message, /`secret`/);
});

test('without a secret nothing is sealed', async (t) => {
  await t.throwsAsync(new Seal([]).seal(text, 'user-42'), {instanceOf: TypeError, message: /secret/});
});

test('what was sealed for one account opens for no other', async (t) => {
  const seal = new Seal(['a secret']);
  const sealed = await seal.seal(text, 'user-42');
  for (const account of ['user-4', 'user-43', 'User-42', '']) {
    await t.throwsAsync(seal.open(sealed, account), {code: 'internal_error'});
  }
});

test('what was changed or cut off does not open, and is an error like any other', async (t) => {
  const seal = new Seal(['a secret']);
  const sealed = Buffer.from(await seal.seal(text, 'user-42'), 'base64url');
  for (const index of sealed.keys()) {
    const changed = Buffer.from(sealed);
    changed[index] = (changed[index] ?? 0) ^ 1;
    await t.throwsAsync(seal.open(changed.toString('base64url'), 'user-42'), {code: 'internal_error'});
    const cut = sealed.subarray(0, index).toString('base64url');
    await t.throwsAsync(seal.open(cut, 'user-42'), {code: 'internal_error'}, `cut off after ${index} bytes`);
  }
});
