import type {ExecutionContext} from 'ava';
import type {Store} from '../../../src/store/port.ts';

/** Checks that every operation rejects with store_unavailable within its timeout, in milliseconds. */
export async function isUnavailable(t: ExecutionContext, store: Store, timeout: number): Promise<void> {
  const start = performance.now();
  const operations = [
    store.get('before'),
    store.getMany(['before', 'absent']),
    store.insert('during', 1),
    store.replace('before', '{"value":1}', 2),
    store.remove('before'),
    store.increment('sequence'),
    store.current(['sequence']),
    store.count({writer: 'w', number: 1, additions: [{keys: ['counters'], adds: [{visits: 1}], at: 1}]}),
    store.getCounters(['counters']),
    store.removeCounters('counters', ['visits']),
    store.ping(),
  ];
  for (const result of await Promise.allSettled(operations)) {
    t.like(result, {status: 'rejected', reason: {code: 'store_unavailable', status: 503, retryAfter: 1}});
  }
  t.true(performance.now() - start < timeout + 1000);
}
