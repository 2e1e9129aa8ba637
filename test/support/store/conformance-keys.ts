import {storeKey, taggedKey} from '../../../src/store/kind.ts';
import {randomBytes} from 'node:crypto';
import type {KeyKind, ToolStore} from '../../../src/store/port.ts';
import type {Check} from './conformance.ts';

export const printable = Array.from({length: 94}, (_, index) => String.fromCharCode(33 + index)).join('');

/** What the port promises about listings of keys. */
export function checkKeys(check: Check, open: (namespace: string) => ToolStore, canList = true): void {
  if (!canList) {
    check('an engine that cannot list its keys says so', async (t, store) => {
      await t.throwsAsync(store.keys('records').next(), {instanceOf: TypeError, message: /iterator/});
      t.false(store.isAway);
    });
    return;
  }

  check('keys of records and of counters are listed separately and unchanged', async (t, store) => {
    const keys = ['plain', 'CASE:aBc', 'CASE:abc', printable, storeKey('account', 'jürgen'), 'k'.repeat(130)];
    await Promise.all(keys.map((key) => store.insert(key, {key})));
    await store.increment('sequence:a');
    const added = {visits: 1, d20000: 1, d20001: 1};
    const addition = {keys: [taggedKey('v', ['example.com', 'aBc'], ['x'])], adds: [added], at: 5};
    await store.count({writer: 'w', number: 1, additions: [addition]});
    t.deepEqual(await listedKeys(store, 'records'), keys.toSorted());
    t.deepEqual(await listedKeys(store, 'counters'), ['sequence:a', 'v:{example.com:aBc}:x']);
  });

  check('only keys with the prefix are listed', async (t, store, {namespace}) => {
    const others = [`${namespace}2`, `${namespace}-x`, namespace.toUpperCase(), namespace.slice(0, -1)].map(open);
    const keys = ['link:a', 'link:b', 'link', 'linked:a', 'LINK:a', 'zink:a'];
    t.teardown(async () => {
      for (const other of others) {
        // Whoever owns the engine removes only keys that begin with the namespace of the test.
        for (const key of keys) await other.remove(key);
        await other.close();
      }
    });
    for (const one of [store, ...others]) {
      for (const key of keys) await one.insert(key, 1);
    }
    t.deepEqual(await listedKeys(store, 'records', 'link:'), ['link:a', 'link:b']);
    t.deepEqual(await listedKeys(store, 'records'), keys.toSorted());
    t.deepEqual(await listedKeys(store, 'records', 'nothing:'), []);
    t.deepEqual(await listedKeys(store, 'counters'), []);
  });

  check('every key that stays is listed, among thousands and during writes', async (t, store) => {
    const staying = Array.from({length: 1500}, () => `link:${randomBytes(8).toString('base64url')}`);
    const leaving = Array.from({length: 300}, () => `link:${randomBytes(8).toString('base64url')}`);
    await Promise.all([...staying, ...leaving].map((key) => store.insert(key, {key})));
    const seen = new Set<string>();
    for await (const keys of store.keys('records', 'link:')) {
      for (const key of keys) seen.add(key);
      await Promise.all(leaving.splice(0, 100).map((key) => store.remove(key)));
      await store.insert(`link:${randomBytes(8).toString('base64url')}`, 'new');
    }
    t.true(staying.every((key) => seen.has(key)));
    t.is((await listedKeys(store, 'records')).filter((key) => staying.includes(key)).length, staying.length);
  });
}

/** All keys, sorted and without duplicates, because an engine may give some twice. */
export async function listedKeys(store: ToolStore, kind: KeyKind, prefix?: string): Promise<string[]> {
  const keys = new Set<string>();
  for await (const some of store.keys(kind, prefix)) for (const key of some) keys.add(key);
  return [...keys].sort();
}
