import {removeAll} from '../../../src/links/change/every-link.ts';
import test from 'ava';
import type {ShortUrlError} from '../../../src/errors.ts';
import type {CreateResult, UpdateResult} from '../../../src/link/link.ts';
import type {ToolStore} from '../../../src/store/port.ts';
import {collect} from '../../support/collect.ts';
import {account, start, url, type World} from '../../support/links-world.ts';
import {memoryStore, outage} from '../../support/store-stub.ts';
import {listedKeys} from '../../support/store/conformance-keys.ts';

const reference = 'order 1001';
const shortUrl = 'https://example.com/old';

async function pointers({store}: World): Promise<number> {
  return (await listedKeys(store as ToolStore, 'records', 'reference:')).length;
}

const codeOf = (error: unknown): string => (error as ShortUrlError).code;

/** Ways in which a link gets a reference. */
const ways: Record<string, (world: World) => Promise<unknown>> = {
  'a create': ({links}) => links.create(account, {url, reference}),
  'a create with a short part': ({links}) => links.create(account, {url, reference, customUrl: 'spring'}),
  'a create under a removed short part': ({links}) => links.create(account, {url, reference, customUrl: 'removed'}),
  'an update': ({links}) => links.update(account, shortUrl, {reference}),
};

for (const [way, give] of Object.entries(ways)) {
  for (const isKilled of [false, true]) {
    test(`${way} that ${isKilled ? 'is killed' : 'pauses'} at any moment and another one do not both get the reference`, async (t) => {
      let isOver = false;
      const round = async (survived: number): Promise<void> => {
        const store = memoryStore();
        const [first, second] = [start({store}), start({store})];
        await second.links.create(account, {url, customUrl: 'old'});
        await second.links.create(account, {url, customUrl: 'removed'});
        await second.links.remove(account, 'https://example.com/removed');
        let count = 0;
        let [paused, resume] = [(): void => undefined, (): void => undefined];
        const pause = new Promise<void>((resolve) => (paused = resolve));
        const resumed = new Promise<void>((resolve) => (resume = resolve));
        first.before = async () => {
          if (count++ !== survived) return;
          paused();
          await resumed;
          if (isKilled) throw outage();
        };
        const one = give(first).then(() => 'got it', codeOf);
        await Promise.race([pause, one]);
        const other = await second.links.create(account, {url, reference}).then(() => 'got it', codeOf);
        resume();
        const outcomes = [await one, other];
        isOver ||= count <= survived;
        const holders = (await collect(second.links.list(account))).filter((link) => link.reference === reference);
        t.is(holders.length, 1, `${survived}: ${outcomes.join()}`);
        t.is((await second.links.info(account, {reference})).urlId, holders[0]?.urlId ?? 0);
        if (!isKilled) t.is(outcomes.filter((outcome) => outcome === 'got it').length, 1, String(survived));
      };
      await Promise.all(Array.from({length: 25}, (_, survived) => round(survived)));
      t.true(isOver);
    });
  }
}

test('a reference leads to its link until it is cleared, changed or removed with the link', async (t) => {
  const world = start();
  const {links} = world;
  const {urlId, shortUrl: own} = await links.create(account, {url, reference});
  t.is((await links.info(account, {reference})).urlId, urlId);
  const page = await links.page(account, {reference});
  t.deepEqual([page.links.length, page.links[0]?.urlId], [1, urlId]);
  t.deepEqual((await links.page(account, {reference, status: 'expired'})).links, []);
  t.deepEqual((await collect(links.list(account, {reference}))).length, 1);
  await t.throwsAsync(links.create(account, {url, reference}), {code: 'reference_taken'});
  await t.throwsAsync(links.info({...account, generation: 'other'}, {reference}), {code: 'unknown_short_url'});

  t.is((await links.update(account, own, {reference: 'order 1002'})).reference, 'order 1002');
  await t.throwsAsync(links.info(account, {reference}), {code: 'unknown_short_url'});
  t.is((await links.update(account, own, {reference: null})).reference, null);
  t.is(await pointers(world), 0);
  const again = await links.create(account, {url, reference});
  await links.remove(account, again.shortUrl);
  t.is(await pointers(world), 0);
  await links.create(account, {url, reference});
  await removeAll(world.services, account);
  t.is(await pointers(world), 0);
});

test('a create that fails after all leaves its reference free', async (t) => {
  const world = start({accounts: {recheck: () => Promise.reject(outage())}});
  await t.throwsAsync(world.links.create(account, {url, reference}));
  const refused = start({
    store: world.store,
    accounts: {recheck: () => Promise.reject(Object.assign(outage(), {code: 'invalid_api_key'}))},
  });
  t.is(await pointers(world), 1, 'the link may have been created');
  await t.throwsAsync(refused.links.create(account, {url, reference: 'order 1002'}), {code: 'invalid_api_key'});
  t.is(await pointers(world), 1);
});

test('of creates with one idempotency key all get the link with the reference', async (t) => {
  const {links} = start();
  const calls = Array.from({length: 5}, () => links.create(account, {url, reference}, {idempotencyKey: 'K-1'}));
  t.is(new Set((await Promise.all(calls)).map(({urlId}) => urlId)).size, 1);
  const {urlId} = await links.create(account, {url, reference: 'r', reuse: true});
  t.is((await links.create(account, {url, reference: 'r', reuse: true})).urlId, urlId);
});

const codesOf = (results: ReadonlyArray<CreateResult | UpdateResult>): unknown[] =>
  results.map(({error}) => error?.code);

test('many changes at once give references in their order', async (t) => {
  const {links} = start();
  const made = await collect(
    links.createMany(account, [
      {url, reference},
      {url, reference},
      {url, reference: 'b'},
    ]),
  );
  t.deepEqual(codesOf(made), [undefined, 'reference_taken', undefined]);
  const [one = '', other = ''] = [made[0]?.link?.shortUrl, made[2]?.link?.shortUrl];
  const moved = await collect(
    links.updateMany(account, [
      {shortUrl: one, changes: {reference: 'c'}},
      {shortUrl: other, changes: {reference}},
      {shortUrl: one, changes: {reference: 'b'}},
    ]),
  );
  t.deepEqual(codesOf(moved), [undefined, undefined, undefined]);
});

for (const wrong of ['', 'x'.repeat(129), 'a\nb', ' a', 5]) {
  test(`${JSON.stringify(wrong).slice(0, 12)} is not a reference`, async (t) => {
    const {links} = start();
    const given = wrong as string;
    await t.throwsAsync(links.create(account, {url, reference: given}), {code: 'malformed_parameter'});
    await t.throwsAsync(links.info(account, {reference: given}), {code: 'malformed_parameter'});
    await t.throwsAsync(links.page(account, {reference: given}), {code: 'malformed_parameter'});
  });
}
