import test, {type ExecutionContext} from 'ava';
import {openStore} from '../../../src/store/opening/open.ts';
import type {Store} from '../../../src/store/port.ts';
import {run} from './run.ts';
import {eventually} from './eventually.ts';
import {isUnavailable, nothingHappened} from './unavailable.ts';
import {TcpProxy} from './tcp-proxy.ts';

export interface SqlEngine {
  readonly title: string;
  /** The URL of the server, with a password that it does not require. */
  readonly url: string;
  readonly skip: string | undefined;
}

/** Milliseconds; far more than a healthy server needs, and as long as the tests wait for another. */
const timeout = 1000;

/** Tests failures of the network and the server. */
export function testSqlOutages({title, url, skip}: SqlEngine): void {
  const check = skip === undefined ? test.serial : test.serial.skip;
  let number = 0;

  /** A proxy in front of the server, and a store that goes through it. */
  async function behindProxy(
    t: ExecutionContext,
    state: 'open' | 'cut' = 'open',
    change: (url: string) => string = (address) => address,
  ): Promise<{proxy: TcpProxy; store: Store; direct: Store; errors: Error[]}> {
    const proxy = await TcpProxy.start(t, Number(new URL(url).port));
    if (state === 'cut') await proxy.cut();
    const errors: Error[] = [];
    const namespace = `${run}-${(number += 1)}`;
    const store = openStore(change(proxy.through(url)), {namespace, timeout, onOutage: (error) => errors.push(error)});
    const direct = openStore(url, {namespace, timeout: 20_000});
    t.teardown(async () => {
      await store.close();
      await direct.close();
    });
    return {proxy, store, direct, errors};
  }

  check(`${title} a server that is down is an outage, and the store reconnects by itself`, async (t) => {
    const {proxy, store, direct, errors} = await behindProxy(t);
    t.true(await store.insert('before', 1));
    await proxy.cut();
    await isUnavailable(t, store, timeout);
    await isUnavailable(t, store, timeout);
    t.is(errors.length, 1, 'one outage is reported once');
    await proxy.mend();
    await eventually(() => store.ping());
    await nothingHappened(t, direct);
    t.true(await store.insert('after', 1));
  });

  check(`${title} a server that accepts connections slowly serves all processes in the end`, async (t) => {
    const {proxy} = await behindProxy(t);
    proxy.acceptSlowly(100);
    const stores = Array.from({length: 4}, () => openStore(proxy.through(url), {namespace: run, timeout: 500}));
    t.teardown(() => Promise.all(stores.map((store) => store.close())));
    // The connections of all processes together take longer to be accepted than any process waits for one.
    const callers = stores.flatMap((store) => Array.from({length: 10}, () => store));
    await t.notThrowsAsync(Promise.all(callers.map((store) => eventually(() => store.ping()))));
  });

  check(`${title} a silent network is an outage for as long as it lasts`, async (t) => {
    const {proxy, store} = await behindProxy(t);
    await store.ping();
    proxy.silence();
    await isUnavailable(t, store, timeout);
    await isUnavailable(t, store, timeout);
    await proxy.mend();
    await eventually(() => store.ping());
    // The network may deliver late what it had accepted before.
    t.true(await store.insert('after', 1));
    t.is((await store.get('after'))?.value, 1);
  });

  check(`${title} a write that the network delivers after its deadline is never stored`, async (t) => {
    const {proxy, store, direct} = await behindProxy(t);
    t.true(await store.insert('link', 'active'));
    t.true(await store.insert('removed', 'kept'));
    const {revision} = (await store.get('link')) ?? {};
    proxy.silence();
    const writes = [
      store.replace('link', revision, 'disabled'),
      store.remove('removed'),
      store.insert('late', 1),
      store.increment('late'),
    ];
    for (const {status} of await Promise.allSettled(writes)) t.is(status, 'rejected');
    t.is((await direct.get('link'))?.value, 'active');
    await proxy.mend();
    await store.close();
    await eventually(() => hasNoConnections(proxy));
    t.true(await direct.replace('link', revision, 'active again'));
    t.is((await direct.get('removed'))?.value, 'kept');
    t.is(await direct.get('late'), undefined);
    t.is(await direct.current('late'), 0);
  });
}

async function hasNoConnections(proxy: TcpProxy): Promise<void> {
  if (proxy.connections > 0) throw new Error(`There are still ${proxy.connections} connections`);
}
