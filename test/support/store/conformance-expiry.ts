import type {ToolStore} from '../../../src/store/port.ts';
import type {Check, StoreUnderTest} from './conformance.ts';
import {eventually} from './eventually.ts';
import {listedKeys} from './conformance-keys.ts';

const many = 50;
const start = Date.UTC(2031, 0, 1);

/** What the port promises about records that expire. */
export function checkExpiry(check: Check, {open, canList = true, collects = canList}: StoreUnderTest): void {
  check('a record is there until it expires by the clock of the caller', async (t, _, {namespace}) => {
    const clock = {now: start};
    const store = open(namespace, () => clock.now);
    t.teardown(() => store.close());
    t.true(await store.insert('brief', {text: ':brief'}, start + 10));
    t.deepEqual(
      await store.insertMany([
        ['long', 1, start + 11],
        ['for ever', 2],
      ]),
      [true, true],
    );
    clock.now = start + 9;
    const entry = await store.get('brief');
    t.like(entry, {value: {text: ':brief'}, expires: start + 10});
    t.false(await store.insert('brief', 'other'));
    const keys = ['brief', 'long', 'for ever'];
    t.deepEqual(await presence(store, keys), [true, true, true]);
    clock.now = start + 10;
    t.is(await store.get('brief'), undefined);
    t.is(await store.get('brief', entry), undefined);
    t.deepEqual(await presence(store, keys), [false, true, true]);
    // For a process whose clock is behind.
    clock.now = start + 9;
    t.deepEqual(await presence(store, keys), [true, true, true]);
  });

  check('of concurrent inserts over an expired record exactly one succeeds', async (t, store, {another}) => {
    const second = another();
    for (const key of ['one', 'two', 'three']) {
      t.true(await store.insert(key, 'expired', Date.now() - 1));
      const results = await Promise.all(
        Array.from({length: many}, (_, index) =>
          (index % 2 ? store : second).insert(key, {index}, index % 3 ? Date.now() + 60_000 : undefined),
        ),
      );
      t.is(results.filter(Boolean).length, 1);
      t.deepEqual((await store.get(key))?.value, {index: results.indexOf(true)});
    }
    const rows = Array.from({length: 600}, (_, index) => [`many:${index}`, index, 1] as const);
    await store.insertMany(rows);
    const inserted = await Promise.all(
      [store, second].map((each) => each.insertMany(rows.map(([key]) => [key, 'new']))),
    );
    t.true(rows.every((_, index) => inserted.filter((results) => results[index]).length === 1));
    t.is((await store.get('many:599'))?.value, 'new');
  });

  check('a replacement decides anew whether a record expires', async (t, _, {namespace}) => {
    const clock = {now: start};
    const store = open(namespace, () => clock.now);
    t.teardown(() => store.close());
    await store.insert('kept', 1, start + 10);
    await store.insert('extended', 1, start + 10);
    await store.insert('ended', 1);
    t.truthy(await store.replace('kept', (await store.get('kept'))?.revision, 2));
    t.truthy(await store.replace('extended', (await store.get('extended'))?.revision, 2, start + 20));
    t.truthy(await store.replace('ended', (await store.get('ended'))?.revision, 2, start));
    const keys = ['kept', 'extended', 'ended'];
    t.deepEqual(await presence(store, keys), [true, true, false]);
    clock.now = start + 10;
    t.deepEqual(await presence(store, keys), [true, true, false]);
    clock.now = start + 20;
    t.deepEqual(await presence(store, keys), [true, false, false]);
    t.is((await store.get('kept'))?.expires, undefined);
  });

  if (!collects) return;
  check('expired records are removed some time after, and no others', async (t, store) => {
    const expired = Array.from({length: 120}, (_, index) => [`expired:${index}`, index, 1] as const);
    const hour = Date.now() + 60 * 60_000;
    await store.insertMany([...expired, ['lasting', 1], ['live', 1, hour], ['replaced', 1, 1]]);
    await store.insert('replaced', 2);
    let writes = 0;
    await eventually(async () => {
      for (let write = 0; write < 30; write += 1) await store.insert(`write:${(writes += 1)}`, write, hour);
      const keys = await listedKeys(store, 'records', 'expired:');
      if (keys.length > 0) throw new Error(`${keys.length} expired records`);
    });
    t.deepEqual(await presence(store, ['lasting', 'live', 'replaced', 'write:1']), [true, true, true, true]);
  });
}

/** Whether the keys have a record, which all operations that read see alike. */
async function presence(store: ToolStore, keys: readonly string[]): Promise<boolean[]> {
  const readings = await Promise.all([Promise.all(keys.map((key) => store.get(key))), store.getMany(keys)]);
  return keys.map((_, index) => {
    const found = new Set(readings.map((reading) => reading[index] !== undefined));
    if (found.size > 1) throw new Error('Operations differ');
    return found.has(true);
  });
}
