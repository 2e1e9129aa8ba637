import test, {type ExecutionContext} from 'ava';
import '../../support/quick-scrypt.ts';
import {FailingAdapter} from '../../support/failing-adapter.ts';
import {startSite} from '../../support/site.ts';

/** A link with a password that was visited lately, on a store that can fail. */
async function start(t: ExecutionContext, passwordAttempts: number) {
  const adapter = new FailingAdapter();
  const secret = 'a-secret-of-good-length-0123456789';
  const site = await startSite(t, {
    shortUrl: {
      store: adapter as never,
      secret,
      passwordAttempts,
      pages: {unavailable: ({reason, retryAfter}) => `${reason} ${retryAfter}`},
    },
  });
  t.teardown(() => {
    adapter.isDown = false;
  });
  const {short_url} = await site.create({password: 's3cret'});
  t.is((await site.visit(short_url)).status, 200);
  const submit = async (password: string): Promise<number> => (await site.submit(short_url, password)).status;
  return {adapter, submit, site, short_url};
}

test('while the store does not answer no password is checked: right and wrong ones get 503', async (t) => {
  const {adapter, submit, site, short_url} = await start(t, 2);
  const denied: string[] = [];
  site.shortener.events.on('denied', ({reason}) => denied.push(reason));
  adapter.isDown = true;
  for (let turn = 0; turn < 5; turn++) {
    for (const password of ['s3cret', 'wrong']) {
      const reply = await site.submit(short_url, password);
      t.is(reply.status, 503);
      t.regex(reply.headers['retry-after'] ?? '', /^[1-9]\d*$/);
      t.is(reply.headers.location, undefined);
      t.is(reply.text, 'store_unavailable 1');
    }
  }
  t.deepEqual(denied, []);
  adapter.isDown = false;
  t.is(await submit('s3cret'), 303);
  t.is(await submit('wrong'), 401);
  t.is(await submit('wrong'), 401);
  const refused = await site.submit(short_url, 's3cret');
  t.is(refused.status, 429);
  t.is(refused.text, `too_many_requests ${refused.headers['retry-after']}`);
  t.deepEqual(denied, ['invalid_password', 'invalid_password', 'too_many_requests']);
});

test('a failure of the store never gives a client more attempts', async (t) => {
  const seen = new Set<string>();
  for (let calls = 0; calls < 9; calls++) {
    const {adapter, submit, site} = await start(t, 1);
    adapter.callsLeft = calls;
    const first = await submit('wrong');
    adapter.callsLeft = Infinity;
    // An interrupted attempt counts as a wrong password from now on.
    site.clock.now += 60_000;
    const second = await submit('wrong');
    seen.add(`${first} ${second}`);
    if (second === 401) t.is(first, 503, 'the one attempt is still available');
    t.is(await submit('s3cret'), 429);
  }
  // The store failed before the attempt was counted, after it, or not at all.
  t.deepEqual([...seen].sort(), ['401 429', '503 401', '503 429']);
});
