import test from 'ava';
import {Keyv} from 'keyv';
import {openStore} from '../../../../src/store/opening/open.ts';
import {compression} from '../../../support/store/compression.ts';
import {testStore} from '../../../support/store/conformance.ts';

const plain = new Keyv();
const withoutSerialize = new Keyv({serialize: undefined, deserialize: undefined, namespace: 'host'} as object);
const compressed = new Keyv({compression, namespace: 'host'});
const salted = new Keyv({
  serialize: (data) => JSON.stringify({...data, salt: Math.random()}),
  deserialize: (text) => JSON.parse(text) as object,
  useKeyPrefix: false,
});
const options = {
  'memory:': 'memory:',
  'a Map': new Map(),
  'a Keyv in memory': plain,
  'a Keyv without serialize': withoutSerialize,
  'a Keyv that compresses': compressed,
  'a Keyv whose serialize never gives the same text twice': salted,
};
for (const [title, option] of Object.entries(options)) {
  testStore({title, guarantee: 'process', open: (namespace, now) => openStore(option, {namespace, now})});
}

for (const [name, keyv] of Object.entries({plain, withoutSerialize, compressed, salted})) {
  test(`keyv.get of a ${name} Keyv reads the store's records, and the store reads those of keyv.set`, async (t) => {
    const store = openStore(keyv, {namespace: `reads-${name}`});
    await store.insert('record', {text: ':colon'});
    t.deepEqual(await keyv.get(`reads-${name}:record`), {text: ':colon'});
    await keyv.set(`reads-${name}:other`, {number: 1});
    t.deepEqual((await store.get('other'))?.value, {number: 1});
    t.false(await store.insert('other', {}));
  });
}

test('an unreadable record is a fault and not an outage', async (t) => {
  const broken = new Map([
    ['n:broken', 'not JSON'],
    ['n:other', '5'],
  ]);
  const told: unknown[] = [];
  const onOutage = (): void => t.fail('It is no outage');
  const store = openStore(broken, {namespace: 'n', onOutage, onUnreadable: (error) => told.push(error)});
  await store.insert('readable', 5);
  for (let round = 0; round < 2; round += 1) {
    const error = await t.throwsAsync<Error>(store.get('broken'), {code: 'internal_error'});
    t.notRegex(error.message, /broken/, 'the message may reach a visitor');
    t.regex(String(error.cause), /The record n:broken cannot be read/);
    const entries = await store.getMany(['other', 'readable', 'absent']);
    const values = entries.map((entry) => entry?.value);
    t.deepEqual(values, [undefined, 5, undefined]);
  }
  t.is(told.length, 1, 'each skipped record is reported once');
  t.false(store.isAway);
});
