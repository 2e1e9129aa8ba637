import {createSentinel} from '@redis/client';
import test from 'ava';
import {openLike} from '../../../../../src/store/engines/redis/host-client.ts';

const sentinel = () => createSentinel({name: 'links', sentinelRootNodes: [{host: '127.0.0.1', port: 1}]});

test('a sentinel client has what the shortener uses of it, and one of a later version without that is refused', (t) => {
  t.is(openLike(sentinel())?.isCluster, false);
  const later = sentinel();
  Object.defineProperty(later, '_execute', {value: undefined});
  t.is(openLike(later), undefined);
});

test('a sentinel client that the site does not connect is an outage, and not waited for without an end', async (t) => {
  const open = openLike(sentinel())?.open;
  await t.throwsAsync(async () => open?.(new AbortController().signal, () => undefined), {message: /not connected/});
});
