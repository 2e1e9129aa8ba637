import test from 'ava';
import {expiring} from '../../../../src/store/layers/expiry.ts';
import type {Entries} from '../../../../src/store/layers/layer.ts';
import type {Entry} from '../../../../src/store/port.ts';

test('an insert over an expired record does not replace one that another process has inserted meanwhile', async (t) => {
  const found: Array<Entry<string>> = [
    {value: 'expired', revision: 1, expires: 0},
    {value: 'of another process', revision: 2},
  ];
  const replaced: unknown[] = [];
  const engine: Partial<Entries> = {
    get: () => Promise.resolve((found.length > 1 ? found.shift() : found[0]) as Entry<never>),
    insert: () => Promise.resolve(false),
    replace: (_, revision, value) => {
      if (revision !== found[0]?.revision) return Promise.resolve(undefined);
      replaced.push(value);
      return Promise.resolve({value, revision: 3});
    },
  };
  t.false(await expiring(engine as Entries, () => 1000).insert('key', 'mine'));
  t.deepEqual(replaced, []);
});
