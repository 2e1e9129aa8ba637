import {linkRecords} from '../../../src/link/records.ts';
import test from 'ava';
import fc from 'fast-check';
import {Keyv} from 'keyv';
import {packing} from '../../../src/link/packing.ts';
import {type LinkRecord, removedRecord} from '../../../src/link/record.ts';
import {codecOf} from '../../../src/store/codec.ts';
import {openStore} from '../../../src/store/opening/open.ts';

const link: LinkRecord = {
  domain: 'example.com',
  slug: 'spring',
  id: 12_345,
  account: 'user-42',
  generation: 'life-1-of-it',
  position: 7,
  url: 'https://destination.example/page',
  created: Date.UTC(2026, 10, 22, 1, 2, 3),
  counters: 'a-_9Zz',
  state: 'active',
};

function stored(record: LinkRecord): unknown {
  return JSON.parse(JSON.stringify(packing.pack(linkRecords.key(record), record)));
}

test('a link is stored as one text, with an object beside it for its optional fields', (t) => {
  t.is(stored(link), '9ix 7 3lh6vf life-1-of-it a-_9Zz user-42 https://destination.example/page');
  t.deepEqual(stored({...link, state: 'disabled', title: 'Spring', end: 5}), [
    stored(link),
    {title: 'Spring', end: 5, state: 'disabled'},
  ]);
});

test('a record of another kind is stored unchanged', (t) => {
  for (const key of ['list:generation:0', 'account:l:', 'site']) {
    t.is(packing.pack(key, link), link);
    t.is(packing.unpack(key, link), link);
  }
});

test('a link that was written is read back unchanged', (t) => {
  const plain = fc.stringMatching(/^[\w-]{1,16}$/);
  const some = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, {nil: undefined});
  const records = fc.record({
    domain: fc.oneof(
      fc.constantFrom('example.com', 'localhost:3000', 'xn--bcher-kva.example', `${'a'.repeat(200)}.example`),
      fc.domain(),
    ),
    slug: fc.stringMatching(/^[\w-]{1,64}$/),
    id: fc.nat(Number.MAX_SAFE_INTEGER),
    account: fc.oneof(fc.string({minLength: 1}), fc.constantFrom('a b', '%20 ', '%25%', 'ä\n\u0085', '{"value":')),
    generation: plain,
    position: fc.nat(),
    url: fc.oneof(fc.webUrl(), fc.constantFrom('', 'https://example.org/a b  c%20d')),
    created: fc.oneof(
      fc.integer({min: 0, max: 4e12}),
      fc.nat(4e9).map((seconds) => seconds * 1000),
    ),
    counters: plain,
    state: fc.constantFrom('active', 'disabled', 'removed'),
    target: some(fc.webUrl()),
    end: some(fc.nat()),
    password: some(fc.string()),
    title: some(fc.string()),
    tags: some(fc.array(fc.string())),
    maxVisits: some(fc.nat()),
    used: some(fc.nat()),
    isBlocked: some(fc.constant(true)),
  });
  fc.assert(
    fc.property(records, (record) => {
      const present = JSON.parse(JSON.stringify(record)) as LinkRecord;
      const packed = stored(present);
      t.deepEqual(packing.unpack(linkRecords.key(present), packed), present);
      t.notRegex(typeof packed === 'string' ? packed : '', /\p{Control}|^\{/u);
    }),
    {numRuns: 500},
  );
  const removed = removedRecord(link, '');
  t.deepEqual(packing.unpack(linkRecords.key(link), stored(removed)), removed);
});

test('a malformed link is refused', (t) => {
  for (const broken of ['', 'a b c', {}, [], null, 5, {url: 'https://example.org/'}, [5, {}]]) {
    t.throws(() => packing.unpack(linkRecords.key(link), broken), undefined, JSON.stringify(broken));
  }
});

test('a link is stored without JSON behind a connection string, and in the form of Keyv in an adapter of the host', async (t) => {
  const text = stored(link);
  const key = `shorturl:${linkRecords.key(link)}`;
  for (const [option, record] of [
    ['string', text],
    ['map', JSON.stringify({value: text})],
  ] as const) {
    const map = new Map<string, unknown>();
    const codec = codecOf(new Keyv(map), packing, option === 'string');
    t.is(await codec.encode(linkRecords.key(link), link), record);
    t.deepEqual((await codec.decode(linkRecords.key(link), record)).value, link);
  }
  const map = new Map<string, unknown>();
  const store = openStore(map, {namespace: 'shorturl', packing});
  await store.insert(linkRecords.key(link), link);
  t.deepEqual((await store.get(linkRecords.key(link)))?.value, link);
  t.is(await new Keyv({store: map, useKeyPrefix: false}).get(key), text);
  // As after a move from a connection string to an adapter.
  map.set(key, text);
  t.deepEqual((await store.get(linkRecords.key(link)))?.value, link);
  map.set('shorturl:site', text);
  await t.throwsAsync(store.get('site'), {code: 'internal_error'});
});
