import test from 'ava';
import {Records, recordsIn} from '../../../src/store/records.ts';
import {intercepted, memoryStore} from '../../support/store-stub.ts';

test('an update replaces the record and returns the new value', async (t) => {
  const store = memoryStore();
  await store.insert('record', 1);
  t.is(await recordsIn<number>(store).update('record', (value) => value + 1), 2);
  t.is((await store.get('record'))?.value, 2);
});

test('an update without a change writes nothing and returns the value', async (t) => {
  const inner = memoryStore();
  await inner.insert('record', 1);
  const store = intercepted(inner, (operation) => {
    t.is(operation, 'get');
  });
  t.is(await recordsIn<number>(store).update('record', () => undefined), 1);
});

test('an update of an absent record changes nothing, and does not call the function', async (t) => {
  const store = memoryStore();
  let asked = 0;
  t.is(await recordsIn<number>(store).update('record', () => ++asked), undefined);
  t.is(asked, 0);
  t.is(await store.get('record'), undefined);
});

test('an update leaves the expiry of the record, and upsert sets it', async (t) => {
  const store = memoryStore();
  const end = Date.now() + 60_000;
  const expiring = (expiryOf: (value: number) => number) => new Records<string, number>(store, (key) => key, expiryOf);
  await expiring((value) => end + value).upsert('record', (value = 1) => value);
  t.is(await recordsIn<number>(store).update('record', (value) => value + 1), 2);
  t.like(await store.get('record'), {value: 2, expires: end + 1});
  await expiring(() => 0).upsert('record', () => 3);
  t.is(await store.get('record'), undefined);
});

test('an update that lost a race starts again from the new value', async (t) => {
  const inner = memoryStore();
  let rivals = 3;
  const store = intercepted(inner, async (operation) => {
    if (operation === 'get' || rivals-- <= 0) return;
    await recordsIn<number>(inner).upsert('record', (value = 0) => value + 10);
  });
  await recordsIn<number>(store).upsert('record', (value = 0) => value + 1);
  t.is((await inner.get('record'))?.value, 31);
  rivals = 2;
  t.is(await recordsIn<number>(store).update('record', (value) => value + 1), 52);
});
