import test from 'ava';
import fc from 'fast-check';
import {Keyv} from 'keyv';
import {codecOf} from '../../../src/store/codec.ts';

const marks = fc.constantFrom(':', '::', ':base64:', ':x', ',":', '[":', '":"', '\u2028', '\ud800');
const values = fc.jsonValue({maxDepth: 4, stringUnit: 'binary'});
const trying = fc.oneof(
  values,
  fc.dictionary(fc.oneof(fc.string(), marks), fc.oneof(marks, values, fc.array(fc.oneof(marks, values)))),
);

test("a record is in Keyv's form, and Keyv reads it", async (t) => {
  const keyv = new Keyv();
  const codec = codecOf(keyv, false);
  await fc.assert(
    fc.asyncProperty(trying, async (value) => {
      const record = await codec.encode('k', value);
      t.is(record, keyv.serialize?.({value, expires: undefined}));
      const read = await keyv.deserialize?.(record as string);
      t.deepEqual(await codec.decode('k', record), read?.value);
    }),
    {numRuns: 2000},
  );
});
