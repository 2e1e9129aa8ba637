import {setImmediate} from 'node:timers/promises';
import test from 'ava';
import {PendingVisits} from '../../../src/visits/pending-visits.ts';
import type {SeenLink} from '../../../src/store/port.ts';
import {collectGarbage} from '../../support/heap.ts';

test('a kept visit does not hold its link in memory', async (t) => {
  const keep = (): {pending: PendingVisits; seen: WeakRef<SeenLink>} => {
    const link: SeenLink = {key: 'link', revision: 'https://destination.example/'};
    const pending = new PendingVisits({link, keys: ['counters'], adds: [{visits: 1}], at: 1});
    pending.keep();
    return {pending, seen: new WeakRef(link)};
  };
  const {pending, seen} = keep();
  await setImmediate();
  collectGarbage();
  t.is(seen.deref(), undefined);
  t.deepEqual({...pending.addition().adds[0]}, {visits: 1});
});
