import test from 'ava';
import {openStore} from '../../../src/store/opening/open.ts';
import {testStore} from '../../support/store/conformance.ts';
import {ask, missingPostgres, ownPostgres} from '../../support/store/postgres-server.ts';

const skip = await missingPostgres();
const url = ownPostgres('one', skip);
const secondUrl = ownPostgres('two', skip);
const guarantee = 'store';
const check = skip === undefined ? test.serial : test.serial.skip;

/** Milliseconds; long enough for a busy machine. */
const timeout = 20_000;

testStore({title: 'postgres:', guarantee, skip, open: (namespace, now) => openStore(url, {namespace, now, timeout})});

check('two shorteners with two URLs work at once, and after one is closed', async (t) => {
  const one = openStore(url, {namespace: 'urls'});
  const two = openStore(secondUrl, {namespace: 'urls'});
  t.teardown(() => two.close());
  t.deepEqual(await Promise.all([one, two].map((store, index) => store.insert('same', index))), [true, true]);
  await one.close();
  t.is((await two.get('same'))?.value, 1);
  for (const [index, database] of [url, secondUrl].entries()) {
    t.deepEqual(
      await ask(database, "select value::jsonb -> 'value' as value from public.short_url where key = 'urls:same'"),
      [{value: index}],
    );
  }
});
