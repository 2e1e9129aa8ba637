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

const expiry = fc.option(fc.maxSafeNat(), {nil: undefined});

test("a record is in Keyv's form, and Keyv reads it", async (t) => {
  const keyv = new Keyv();
  const codec = codecOf(keyv, false);
  await fc.assert(
    fc.asyncProperty(trying, expiry, async (value, expires) => {
      const record = (await codec.encode('k', value, expires)) as string;
      t.is<unknown, unknown>(record, keyv.serialize?.({value, expires}));
      const read = await keyv.deserialize?.(record);
      t.deepEqual(await codec.decode('k', record), {value: read?.value, expires});
    }),
    {numRuns: 500},
  );
});
