import test from 'ava';
import {listSurely} from '../../../src/tools/listing.ts';

/** Lists other keys each time, as a cluster does whose slots move. */
function moving(engine: string): Parameters<typeof listSurely>[0] {
  let listings = 0;
  return {
    engine,
    keys: () =>
      Promise.resolve({
        keys:
          [
            ['a', 'b'],
            ['b', 'c'],
          ][listings++] ?? [],
        next: undefined,
      }),
  };
}

async function listed(engine: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const part of listSurely(moving(engine), 'records')) keys.push(...part);
  return keys;
}

test('a store on Redis, whose slots may move, is listed twice, and any other once', async (t) => {
  t.deepEqual(await listed('redis'), ['a', 'b', 'b', 'c']);
  t.deepEqual(await listed('postgres'), ['a', 'b']);
});
