import test from 'ava';
import {Seal} from '../../../src/accounts/seal.ts';
import {Attribution} from '../../../src/conversions/attribution.ts';

const link = {domain: 'example.com', slug: 'spring', id: 7};
const at = Date.parse('2031-05-06T12:00:00.250Z');
const second = Date.parse('2031-05-06T12:00:00Z');

const attributionAt = (now: number, ...secrets: string[]): Attribution =>
  new Attribution({seal: new Seal(secrets), maxAge: 60, now: () => now});

test('a token opens with each secret for as long as maxAge, and names the link', async (t) => {
  const token = await attributionAt(at, 'old').token(link, at);
  t.deepEqual(await attributionAt(at, 'new', 'old').open(token), {...link, at: second});
  t.is(await attributionAt(at, 'new').open(token), undefined);
  t.deepEqual(await attributionAt(at + 59_000, 'old').open(token), {...link, at: second});
  t.is(await attributionAt(at + 61_000, 'old').open(token), undefined);
});

test('a token that was changed in any character, cut off or made by others does not open', async (t) => {
  const attribution = attributionAt(at, 'secret');
  const token = await attribution.token(link, at);
  for (const index of Array.from(token).keys()) {
    for (const character of ['A', 'B', '-', '+']) {
      if (token[index] === character) continue;
      const changed = token.slice(0, index) + character + token.slice(index + 1);
      t.is(await attribution.open(changed), undefined, `${index} ${character}`);
    }
    t.is(await attribution.open(token.slice(0, index)), undefined, `cut off after ${index}`);
  }
  const sealed = await new Seal(['secret']).seal('1 2 example.com spring', 'user-42');
  for (const other of [sealed, `${token}=`, ` ${token}`, 'x'.repeat(5000), '', undefined, null, 7, [token], {}]) {
    t.is(await attribution.open(other), undefined, typeof other);
  }
});

test('the longest name fits into a cookie, also with another script in the short part', async (t) => {
  const attribution = attributionAt(at, 'secret');
  const long = {domain: `${'a'.repeat(249)}.org`, slug: '春'.repeat(64), id: Number.MAX_SAFE_INTEGER};
  const token = await attribution.token(long, at);
  t.true(token.length < 1000);
  t.deepEqual(await attribution.open(token), {...long, at: second});
});
