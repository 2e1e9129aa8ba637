import test from 'ava';
import fc from 'fast-check';
import {Keyv} from 'keyv';
import {ShortUrlError, shortUrl} from '../../../src/index.ts';
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
  const codec = codecOf(keyv);
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

test('a Keyv whose compression throws is an internal error, and no outage', async (t) => {
  const secret = 'what seals the keys of these tests';
  const fails = (): never => {
    throw new TypeError('The compression is broken');
  };
  const compression = {compress: fails, decompress: fails, serialize: fails, deserialize: fails};
  const site = shortUrl({baseUrl: 'https://example.com', secret, store: new Keyv({compression})});
  t.teardown(() => site.close());
  const error = await t.throwsAsync(site.accounts.create('ann'), {instanceOf: ShortUrlError, code: 'internal_error'});
  t.regex((error.cause as Error).message, /compression is broken/);
  t.true((await site.health()).isReady);
});
