import '../support/quick-scrypt.ts';
import test, {type ExecutionContext} from 'ava';
import {Accounts} from '../../src/accounts/accounts.ts';
import {ShortUrlError} from '../../src/errors.ts';
import {Bases} from '../../src/link/bases.ts';
import {buildServices, type Services} from '../../src/shortener/services.ts';
import type {Store} from '../../src/store/port.ts';
import {openStore} from '../../src/store/opening/open.ts';
import {collect} from '../support/collect.ts';
import {intercepted, memoryStore, outage} from '../support/store-stub.ts';
import {sold} from '../support/sold.ts';

/** The services as after a start. */
const start = (store: Store, now = Date.UTC(2030, 0, 1)): Services =>
  buildServices(store, {
    bases: new Bases('https://example.com', []),
    secrets: ['a secret'],
    now: () => now,
  });

/** A store that fails for good from the operation after the first `survived` ones. */
function dyingStore(store: Store, survived: number): {store: Store; died: () => boolean} {
  let count = 0;
  const dying = intercepted(store, () => {
    if (count++ >= survived) throw outage();
  });
  return {store: dying, died: () => count > survived};
}

async function listed(accounts: Accounts): Promise<string[]> {
  return (await collect(accounts.list())).map(({id}) => id);
}

/** Repeats an action, interrupted before each of its operations in turn, until it completes. */
async function cutEverywhere(
  t: ExecutionContext,
  prepare: (services: ReturnType<typeof start>) => Promise<void>,
  action: (services: ReturnType<typeof start>) => Promise<unknown>,
  check: (services: ReturnType<typeof start>, isDone: boolean) => Promise<void>,
): Promise<void> {
  for (let survived = 0, isDone = false; !isDone; survived++) {
    const store = memoryStore();
    await prepare(start(store));
    const dying = dyingStore(store, survived);
    const failure = await action(start(dying.store)).then(
      () => undefined,
      (error: unknown) => error,
    );
    isDone = !dying.died();
    if (isDone) t.is(failure, undefined);
    else t.true(failure instanceof ShortUrlError && failure.code === 'store_unavailable');
    await check(start(store), isDone);
  }
}

for (const destination of ['https://example.org/', 'https://example.com/a-page-of-the-site']) {
  test(`a create to ${destination} that is interrupted anywhere leaves a complete and listed link, or nothing`, async (t) => {
    const input = {url: destination, customUrl: 'spring'};
    await cutEverywhere(
      t,
      async ({accounts}) => {
        await accounts.create('ann');
        await accounts.create('bob');
      },
      async ({accounts, links}) => links.create(await accounts.require('ann'), input),
      async ({accounts, links}, isDone) => {
        const ann = await accounts.require('ann');
        const bob = await accounts.require('bob');
        const found = await links.info(ann, 'https://example.com/spring').catch(() => undefined);
        const listed = await collect(links.list(ann));
        if (isDone) t.is(listed.length, 1);
        t.deepEqual(
          listed.map(({shortUrl}) => shortUrl),
          found ? [found.shortUrl] : [],
        );
        // The next account gets the short part or is told that it is taken.
        const taken = await links.create(bob, input).then(
          () => false,
          (error: unknown) => error instanceof ShortUrlError && error.code === 'custom_url_taken',
        );
        t.is(taken, found !== undefined);
        t.is((await collect(links.list(ann))).length + (await collect(links.list(bob))).length, 1);
      },
    );
  });
}

test('a removal interrupted anywhere can be repeated, and a new account of the name has no links', async (t) => {
  let key = '';
  await cutEverywhere(
    t,
    async ({accounts, links}) => {
      key = await accounts.create('ann');
      const ann = await accounts.require('ann');
      for (const customUrl of ['one', 'two']) await links.create(ann, {url: 'https://example.org/', customUrl});
    },
    ({accounts}) => accounts.remove('ann'),
    async ({accounts, links}, isDone) => {
      t.deepEqual(await listed(accounts), (await accounts.apiKey('ann')) === undefined ? [] : ['ann']);
      if (!isDone) await accounts.remove('ann');
      t.deepEqual(await listed(accounts), []);
      t.is(await accounts.authenticate(key), undefined);
      t.is(await accounts.apiKey('ann'), undefined);
      await accounts.create('ann');
      const ann = await accounts.require('ann');
      t.deepEqual(await collect(links.list(ann)), []);
      await t.throwsAsync(links.info(ann, 'https://example.com/one'), {code: 'unknown_short_url'});
      await t.throwsAsync(links.create(ann, {url: 'https://example.org/', customUrl: 'one'}), {
        code: 'custom_url_taken',
      });
    },
  );
});

for (const isLater of [false, true]) {
  test(`a conversion that is interrupted anywhere and repeated ${isLater ? 'two days later' : 'at once'} counts once`, async (t) => {
    const order = {name: 'order', id: '1001', value: 4900};
    for (let survived = 0, isDone = false; !isDone; survived++) {
      const map = new Map();
      const open = (): Store => openStore(map, {namespace: 'test'});
      const store = open();
      const {accounts, links, attribution} = start(store);
      await accounts.create('ann');
      const ann = await accounts.require('ann');
      const {shortUrl, urlId: id} = await links.create(ann, {url: 'https://example.org/', customUrl: 'spring'});
      const token = await attribution.token({domain: 'example.com', slug: 'spring', id}, Date.UTC(2030, 0, 1));
      const dying = dyingStore(store, survived);
      await start(dying.store)
        .conversions.record({via: token}, order)
        .catch(() => undefined);
      isDone = !dying.died();
      // Memory remembers batches in the process, so a store that is opened again has forgotten them.
      const {conversions} = isLater ? start(open(), Date.UTC(2030, 0, 3)) : start(store);
      const [one, other] = await Promise.all([
        conversions.record({via: token}, order),
        conversions.record({via: token}, order),
      ]);
      t.deepEqual([one?.link.shortUrl, other?.link.shortUrl], [shortUrl, shortUrl]);
      const expected = [sold({conversions: 1, value: 4900})];
      t.deepEqual((await links.stats(ann, shortUrl)).conversions, expected, `after ${survived} operations`);
      t.deepEqual((await links.accountStats(ann)).conversions, expected, `after ${survived} operations`);
    }
  });
}
