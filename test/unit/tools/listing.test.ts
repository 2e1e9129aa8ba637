import test from 'ava';
import {distinctKeys} from '../../../src/tools/listing.ts';

test('each key is listed once, also if an engine repeats it and if the keys do not fit into memory', async (t) => {
  const all = Array.from({length: 1000}, (_, index) => `key:${index % 700}`);
  const parts = Array.from({length: 10}, (_, index) => all.slice(100 * index, 100 * (index + 1)));
  for (const max of [1000, 300, 40]) {
    let listings = 0;
    const store = {
      async *keys() {
        listings += 1;
        yield* parts;
      },
    };
    const keys: string[] = [];
    for await (const some of distinctKeys(store, {kind: 'records', has: (key) => key !== 'key:5'}, max)) {
      t.true(some.length <= max);
      keys.push(...some);
    }
    t.deepEqual(
      keys.toSorted(),
      Array.from(new Set(all))
        .filter((key) => key !== 'key:5')
        .toSorted(),
    );
    t.is(listings === 1, max === 1000, `${listings} listings`);
  }
});
