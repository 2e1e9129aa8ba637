import test from 'ava';
import fc from 'fast-check';
import {packPlaces, Places, placesKey, readPlaces, unpackPlaces} from '../../../../src/links/list/places.ts';
import {positionsKey} from '../../../../src/links/record.ts';
import {intercepted, memoryStore} from '../../../support/store-stub.ts';

const owner = 'owner';
const named = (slug: string, domain = 'example.com') => ({domain, slug});

test('fifty places share a record, which repeats a domain only where it changes', async (t) => {
  const store = memoryStore();
  const places = new Places(store);
  const names = ['a', 'b', 'c'].map((slug) => named(slug));
  t.deepEqual(
    await Promise.all([...names, named('d', 'localhost:3000')].map((name) => places.take(owner, name))),
    [1, 2, 3, 4],
  );
  await places.leave(owner, 2, named('b'));
  await places.put(owner, 51, named('e'));
  t.deepEqual((await store.get(placesKey(owner, 50)))?.value, ['example.com:a', 0, 'c', 'localhost:3000:d']);
  t.deepEqual((await store.get(placesKey(owner, 51)))?.value, ['example.com:e']);
  t.deepEqual(await readPlaces(store, owner, [51, 4, 2, 1, 101]), [
    named('e'),
    named('d', 'localhost:3000'),
    undefined,
    named('a'),
    undefined,
  ]);
});

test('a link neither takes nor empties the place of another link', async (t) => {
  const store = memoryStore();
  const places = new Places(store);
  await places.take(owner, named('a'));
  t.false(await places.put(owner, 1, named('b')));
  await places.leave(owner, 1, named('b'));
  t.deepEqual(await readPlaces(store, owner, [1]), [named('a')]);
  // A failover lost the last increment.
  await store.removeCounters(positionsKey(owner), ['next']);
  t.is(await places.take(owner, named('b')), 2);
});

test('places that are taken concurrently share writes, and none is lost to another process', async (t) => {
  const store = memoryStore();
  let writes = 0;
  const counted = intercepted(store, (operation) => {
    if (operation === 'insert' || operation === 'replace') writes += 1;
  });
  const [one, another] = [new Places(counted), new Places(counted)];
  const names = Array.from({length: 40}, (_, index) => named(`link-${index}`));
  const positions = await Promise.all(names.map((name, index) => (index % 2 === 0 ? one : another).take(owner, name)));
  t.is(new Set(positions).size, 40);
  const found = await readPlaces(store, owner, positions);
  t.deepEqual(found, names);
  t.true(writes < 20, `${writes} writes`);
});

test('a failed write fails the callers that wait for it, and later ones succeed', async (t) => {
  const store = memoryStore();
  let isAway = true;
  const places = new Places(
    intercepted(store, (operation) => {
      if (operation === 'insert' && isAway) throw new Error('away');
    }),
  );
  await t.throwsAsync(places.take(owner, named('a')), {message: 'away'});
  isAway = false;
  t.is(await places.take(owner, named('b')), 2);
});

test('places that were written are read back unchanged', (t) => {
  const domain = fc.constantFrom('example.com', 'sho.rt', 'localhost:3000', '');
  const name = fc.record({domain, slug: fc.stringMatching(/^[\w-]{1,64}$/)});
  fc.assert(
    fc.property(fc.array(fc.option(name, {nil: undefined}), {maxLength: 50}), (places) => {
      const ends = places.findLastIndex((place) => place !== undefined) + 1;
      t.deepEqual(unpackPlaces(packPlaces(places)), places.slice(0, ends));
    }),
  );
});
