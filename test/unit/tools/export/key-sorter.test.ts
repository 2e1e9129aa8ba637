import {readdir} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import test from 'ava';
import {KeySorter} from '../../../../src/tools/export/key-sorter.ts';
import {collect} from '../../../support/collect.ts';

async function all(parts: AsyncIterable<readonly string[]>): Promise<string[]> {
  return (await collect(parts)).flat();
}

const folders = async (): Promise<string[]> =>
  (await readdir(tmpdir())).filter((name) => name.startsWith('koa-short-url-keys-'));

for (const runLength of [10, 999, 1000, 100_000]) {
  test(`2,000 keys are sorted without duplicates, with ${runLength} of them in memory`, async (t) => {
    const keys = Array.from({length: 2000}, (_, index) => `link:{example.com:${(index * 7919) % 2000}}`);
    const sorter = new KeySorter(runLength);
    for (let start = 0; start < keys.length; start += 100) {
      await sorter.add(keys.slice(start, start + 100));
      await sorter.add(keys.slice(0, 3));
    }
    t.deepEqual(await all(sorter.sorted()), keys.toSorted());
    await sorter.dispose();
  });
}

test('a sorter without keys gives none', async (t) => {
  t.deepEqual(await all(new KeySorter().sorted()), []);
});

test.serial('no file is left on the disk, also if the keys were not read to the end', async (t) => {
  const before = await folders();
  const sorter = new KeySorter(1000);
  await sorter.add(Array.from({length: 5000}, (_, index) => `key:${index}`));
  t.is((await folders()).length, before.length + 1);
  for await (const keys of sorter.sorted()) {
    t.true(keys.length > 0);
    break;
  }
  await sorter.dispose();
  t.deepEqual(await folders(), before);
});
