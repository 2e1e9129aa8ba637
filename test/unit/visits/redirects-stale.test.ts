import test from 'ava';
import {DetailValues} from '../../../src/visits/detail-values.ts';
import {linkKey, type LinkRecord} from '../../../src/links/record.ts';
import {type Found, Redirects} from '../../../src/visits/redirects.ts';
import {VisitLog} from '../../../src/visits/visit-log.ts';
import type {Store} from '../../../src/store/port.ts';
import {memoryStore, outage} from '../../support/store-stub.ts';

const name = {domain: 'example.com', slug: 'spring'};
const link: LinkRecord = {
  ...name,
  id: 1,
  account: 'user-42',
  generation: 'life-1',
  position: 1,
  url: 'https://destination.example/',
  created: 0,
  counters: 'abc',
  state: 'active',
};

/** A process that remembers a link, with a store whose next operations can fail. */
async function start() {
  const inner = memoryStore();
  await inner.insert(linkKey(name), link);
  const fails = {count: 0, get: 0};
  const store: Store = new Proxy(inner, {
    get(target, member: keyof Store) {
      if (member === 'isAway') return false;
      if (member !== 'count' && member !== 'get') return (Reflect.get(target, member) as () => unknown).bind(target);
      return async (...values: unknown[]): Promise<unknown> => {
        if (fails[member] > 0) {
          fails[member] -= 1;
          throw outage();
        }
        return (Reflect.get(target, member) as (...values: unknown[]) => unknown).apply(target, values);
      };
    },
  });
  const log = new VisitLog(store, () => undefined);
  const redirects = new Redirects(store, log, new DetailValues(store), () => 0);
  const visit = async (): Promise<Found> => redirects.visit(redirects.seen(name) ?? (await redirects.find(name)));
  const disable = async (): Promise<void> => {
    const entry = await inner.get<LinkRecord>(linkKey(name));
    await inner.replace(linkKey(name), entry?.revision, {...link, state: 'disabled'});
  };
  await redirects.find(name);
  return {fails, log, redirects, visit, disable};
}

test('a disabled link is not redirected while batches fail and reads succeed', async (t) => {
  const {fails, log, visit, disable} = await start();
  fails.count = 1000;
  const first = await visit();
  t.is(first.status, 'active');
  t.true(log.isBehind);
  await disable();
  t.is((await visit()).status, 'gone');
  fails.count = 0;
  t.is(await log.close(5000), 0);
});

test('a visit whose batch fails once is checked against the link at the second try', async (t) => {
  const {fails, log, redirects, disable} = await start();
  const seen = await redirects.find(name);
  await disable();
  fails.count = 1;
  t.is((await redirects.visit(seen)).status, 'gone');
  t.is(await log.close(5000), 0);
});

test('a failed read is tried again before the remembered link is used', async (t) => {
  const {fails, redirects, disable} = await start();
  await disable();
  fails.get = 1;
  t.is((await redirects.find(name)).status, 'gone');
  fails.get = 2;
  t.is((await redirects.find({...name, slug: 'other'})).status, 'unavailable');
});
