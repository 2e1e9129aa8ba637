import {createDecipheriv, scryptSync} from 'node:crypto';
import test from 'ava';
import {Seal} from '../../../src/accounts/seal.ts';

const text = 'Vt5-hJq2_mZx8WcRk1nBv7TfYp4LsDg9';

test('a key is sealed with AES-256-GCM, a key that scrypt derives from the secret, and the account as associated data', async (t) => {
  const sealed = Buffer.from(await new Seal(['a secret']).seal(text, 'user-42'), 'base64url');
  const key = scryptSync('a secret', 'koa-short-url api key seal', 32);
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12)).setAAD(Buffer.from('user-42'));
  decipher.setAuthTag(sealed.subarray(-16));
  t.is(decipher.update(sealed.subarray(12, -16), undefined, 'utf8') + decipher.final('utf8'), text);
});

test('sealing the same key again gives a different text', async (t) => {
  const seal = new Seal(['a secret']);
  const sealed = await Promise.all(Array.from({length: 50}, () => seal.seal(text, 'user-42')));
  t.is(new Set(sealed.map((one) => one.slice(0, 16))).size, 50);
});

test('with several secrets the first seals and every one opens', async (t) => {
  const old = await new Seal(['old']).seal(text, 'user-42');
  const both = new Seal(['new', 'older', 'old']);
  t.is(await both.open(old, 'user-42'), text);
  const fresh = await both.seal(text, 'user-42');
  t.is(await new Seal(['new']).open(fresh, 'user-42'), text);
  const error = await t.throwsAsync(new Seal(['old']).open(fresh, 'user-42'), {code: 'internal_error'});
  t.regex(error.message, /`secret`/);
});

test('sealing without a secret throws', async (t) => {
  await t.throwsAsync(new Seal([]).seal(text, 'user-42'), {instanceOf: TypeError, message: /secret/});
});

test('a sealed key opens only for its own account', async (t) => {
  const seal = new Seal(['a secret']);
  const sealed = await seal.seal(text, 'user-42');
  for (const account of ['user-4', 'user-43', 'User-42', '']) {
    await t.throwsAsync(seal.open(sealed, account), {code: 'internal_error'});
  }
});

test('a sealed key that was changed or truncated is refused with internal_error', async (t) => {
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
