import test from 'ava';
import type {LinkName} from '../../src/links/bases.ts';
import {linkKey} from '../../src/links/record.ts';
import {VisitLog} from '../../src/links/visit-log.ts';
import {Visits} from '../../src/links/visits.ts';
import {intercepted, memoryStore, outage} from '../support/store-stub.ts';

const domain = 'example.com';

/** Visits of links that are on a store, which can be made to fail. */
async function visitsOf(names: readonly LinkName[]): Promise<{visits: Visits; fail: () => void}> {
  const inner = memoryStore();
  for (const [id, name] of names.entries()) {
    await inner.insert(linkKey(name), {...name, id, target: 'https://destination.example/', state: 'active'});
  }
  let isDown = false;
  const store = intercepted(inner, () => {
    if (isDown) throw outage();
  });
  const visits = new Visits({store, log: new VisitLog(store, () => undefined), now: () => 0});
  return {
    visits,
    fail: () => {
      isDown = true;
    },
  };
}

test('no more than ten thousand links are remembered for an outage, those that were seen last', async (t) => {
  const names = Array.from({length: 10_001}, (_, index) => ({domain, slug: `link-${index}`}));
  const {visits, fail} = await visitsOf(names);
  for (const name of names) await visits.find(name);
  fail();
  await t.throwsAsync(visits.find({domain, slug: 'link-0'}), {code: 'store_unavailable'});
  for (const slug of ['link-1', 'link-10000']) {
    t.like(await visits.find({domain, slug}), {status: 'active', isRemembered: true});
  }
});

test.serial('a link that was seen more than five minutes ago is not remembered', async (t) => {
  const [early, late] = [
    {domain, slug: 'early'},
    {domain, slug: 'late'},
  ];
  const {visits, fail} = await visitsOf([early, late]);
  const now = performance.now.bind(performance);
  t.teardown(() => {
    performance.now = now;
  });
  let passed = 0;
  performance.now = () => now() + passed;
  await visits.find(early);
  passed = 60_000;
  await visits.find(late);
  fail();
  passed = 5 * 60_000 + 1000;
  await t.throwsAsync(visits.find(early), {code: 'store_unavailable'});
  t.like(await visits.find(late), {status: 'active', isRemembered: true});
});
