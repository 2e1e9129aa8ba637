import {slotRecords} from '../../../../src/links/read/link-index.ts';
import {linkPositions} from '../../../../src/accounts/records.ts';
import test from 'ava';
import fc from 'fast-check';
import {accountList, packSlots, LinkIndex, readSlots, unpackSlots} from '../../../../src/links/read/link-index.ts';
import {intercepted, memoryStore} from '../../../support/store-stub.ts';

const generation = 'life';
const list = accountList(generation);
const named = (slug: string, domain = 'example.com') => ({domain, slug});

test('fifty slots share a record, which repeats a domain only where it changes', async (t) => {
  const store = memoryStore();
  const linkIndex = new LinkIndex(store);
  const names = ['a', 'b', 'c'].map((slug) => named(slug));
  t.deepEqual(
    await Promise.all([...names, named('d', 'localhost:3000')].map((name) => linkIndex.reserve(list, name))),
    [1, 2, 3, 4],
  );
  await linkIndex.release(list, 2, named('b'));
  await linkIndex.reserveAt(list, 51, named('e'));
  t.deepEqual((await store.get(slotRecords.key({list: generation, number: 0})))?.value, [
    'example.com:a',
    0,
    'c',
    'localhost:3000:d',
  ]);
  t.deepEqual((await store.get(slotRecords.key({list: generation, number: 1})))?.value, ['example.com:e']);
  t.deepEqual(await readSlots(store, list, [51, 4, 2, 1, 101]), [
    named('e'),
    named('d', 'localhost:3000'),
    undefined,
    named('a'),
    undefined,
  ]);
});

test('a link neither reserves nor empties the slot of another link', async (t) => {
  const store = memoryStore();
  const linkIndex = new LinkIndex(store);
  await linkIndex.reserve(list, named('a'));
  t.false(await linkIndex.reserveAt(list, 1, named('b')));
  await linkIndex.release(list, 1, named('b'));
  t.deepEqual(await readSlots(store, list, [1]), [named('a')]);
  // A failover lost the last increment.
  await store.removeCounters(linkPositions.key(generation), ['next']);
  t.is(await linkIndex.reserve(list, named('b')), 2);
});

test('slots that are reserved concurrently share writes, and none is lost to another process', async (t) => {
  const store = memoryStore();
  let writes = 0;
  const counted = intercepted(store, (operation) => {
    if (operation === 'insert' || operation === 'replace') writes += 1;
  });
  const [one, another] = [new LinkIndex(counted), new LinkIndex(counted)];
  const names = Array.from({length: 40}, (_, index) => named(`link-${index}`));
  const positions = await Promise.all(
    names.map((name, index) => (index % 2 === 0 ? one : another).reserve(list, name)),
  );
  t.is(new Set(positions).size, 40);
  const found = await readSlots(store, list, positions);
  t.deepEqual(found, names);
  t.true(writes < 20, `${writes} writes`);
});

test('a slot whose link is missing keeps its name until it is released', async (t) => {
  const store = memoryStore();
  const linkIndex = new LinkIndex(store);
  for (const slug of ['a', 'b']) await linkIndex.reserve(list, named(slug));
  const marks = [
    {position: 1, name: named('a')},
    {position: 2, name: named('another')},
    {position: 51, name: named('c')},
  ];
  const outcomes = await Promise.all(marks.map((mark) => linkIndex.change(list, {...mark, to: 'missing'})));
  t.deepEqual(outcomes, [true, false, false]);
  t.deepEqual((await store.get(slotRecords.key({list: generation, number: 0})))?.value, ['!example.com:a', 'b']);
  t.deepEqual(await readSlots(store, list, [1, 2, 51]), [{...named('a'), mark: 'missing'}, named('b'), undefined]);
  t.false(await linkIndex.reserveAt(list, 1, named('c')));
  await linkIndex.release(list, 1, named('a'));
  t.deepEqual(await readSlots(store, list, [1]), [undefined]);
});

test('a failed write fails the callers that wait for it, and later ones succeed', async (t) => {
  const store = memoryStore();
  let isAway = true;
  const linkIndex = new LinkIndex(
    intercepted(store, (operation) => {
      if (operation === 'insert' && isAway) throw new Error('away');
    }),
  );
  await t.throwsAsync(linkIndex.reserve(list, named('a')), {message: 'away'});
  isAway = false;
  t.is(await linkIndex.reserve(list, named('b')), 2);
});

test('slots that were written are read back unchanged', (t) => {
  const domain = fc.constantFrom('example.com', 'sho.rt', 'localhost:3000', '');
  const name = fc.record(
    {
      domain,
      slug: fc.stringMatching(/^[\w-]{1,64}$/),
      ...{mark: fc.constantFrom('missing' as const, 'broken' as const)},
    },
    {requiredKeys: ['domain', 'slug']},
  );
  fc.assert(
    fc.property(fc.array(fc.option(name, {nil: undefined}), {maxLength: 50}), (slots) => {
      const ends = slots.findLastIndex((slot) => slot !== undefined) + 1;
      t.deepEqual(unpackSlots(packSlots(slots)), slots.slice(0, ends));
    }),
  );
});
