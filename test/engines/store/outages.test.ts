import {once} from 'node:events';
import {type AddressInfo, createServer} from 'node:net';
import type {ExecutionContext} from 'ava';
import {openStore} from '../../../src/store/opening/open.ts';
import type {ToolStore} from '../../../src/store/port.ts';
import {eachOf, hostServerEngines, serverEngines} from '../../support/engines/each.ts';
import {type Engine, freshOn, storeOn} from '../../support/engines/engines.ts';
import {eventually} from '../../support/store/eventually.ts';
import {TcpProxy} from '../../support/store/tcp-proxy.ts';
import {isUnavailable} from '../../support/store/unavailable.ts';
import {countsOf} from '../../support/store-stub.ts';

/** Milliseconds; far more than a healthy server needs, and as long as the tests wait for another. */
const timeout = 1000;
const unavailable = {code: 'store_unavailable'};

/** A proxy in front of a server, a store that goes around it, and a function that opens stores that go through it. */
async function behindProxy(t: ExecutionContext, engine: Engine) {
  const {store: url, namespace} = await freshOn(engine, t);
  const proxy = await TcpProxy.start(t, Number(new URL(url).port), hostServerEngines.includes(engine));
  const opened = (address: string, limit: number, onOutage: (error: Error) => void = () => undefined): ToolStore => {
    const store = openStore(storeOn(engine, address, t), {namespace, timeout: limit, onOutage});
    t.teardown(() => store.close());
    return store;
  };
  const open = (limit = timeout, onOutage?: (error: Error) => void) => opened(proxy.through(url), limit, onOutage);
  return {proxy, direct: opened(url, 20_000), open};
}

const visit = (key: string, at: number) => ({keys: [key], adds: [{visits: 1}], at});

const onEach = await eachOf([...serverEngines, ...hostServerEngines]);
onEach((check) => {
  check('a server that is down is one outage, also for a store that is opened meanwhile', async (t, engine) => {
    const {proxy, direct, open} = await behindProxy(t, engine);
    const errors: Error[] = [];
    const store = open(timeout, (error) => errors.push(error));
    t.true(await store.insert('before', 1));
    await proxy.cut();
    await isUnavailable(t, store, timeout);
    await isUnavailable(t, store, timeout);
    t.is(errors.length, 1, 'one outage is reported once');
    const later = open();
    await t.throwsAsync(later.ping(), unavailable);
    await proxy.mend();
    for (const each of [store, later]) await eventually(() => each.ping());
    t.is(await direct.get('during'), undefined);
    t.deepEqual(await direct.current(['sequence']), [0]);
    t.deepEqual(await direct.getCounters(['counters']), [{counts: new Map(), at: undefined}]);
    t.true(await store.insert('after', 1));
  });

  check('a silent network is an outage for as long as it lasts', async (t, engine) => {
    const {proxy, open} = await behindProxy(t, engine);
    const store = open();
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

  check('a server that accepts a connection and stays silent is connected to again', async (t, engine) => {
    const {proxy, open} = await behindProxy(t, engine);
    const silent = createServer((socket) => socket.on('error', () => undefined).resume()).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    t.teardown(() => silent.close());
    const {target} = proxy;
    proxy.target = (silent.address() as AddressInfo).port;
    const store = open();
    await t.throwsAsync(store.ping(), unavailable);
    proxy.target = target;
    await eventually(() => store.ping());
    t.pass();
  });

  check('a server that accepts connections slowly serves all processes in the end', async (t, engine) => {
    const {proxy, open} = await behindProxy(t, engine);
    proxy.acceptSlowly(100);
    const stores = Array.from({length: 4}, () => open(500));
    // The connections of all processes together take longer to be accepted than any process waits for one.
    const callers = stores.flatMap((store) => Array.from({length: 10}, () => store));
    // A busy machine takes long for a handshake, too.
    await t.notThrowsAsync(Promise.all(callers.map((store) => eventually(() => store.ping(), 60_000))));
  });

  check('a write that reaches the server after its caller got an error changes nothing', async (t, engine) => {
    const {proxy, direct, open} = await behindProxy(t, engine);
    const store = open();
    for (const key of ['link', 'removed']) t.true(await store.insert(key, 'as it was'));
    await direct.setCounters([['counters', {counts: new Map([['visits', 5]]), at: 5}]]);
    const {revision} = (await store.get('link')) ?? {};
    // A Redis refuses a script that it does not know before it looks at the deadline.
    await direct.count({writer: 'other', number: 1, additions: []});
    proxy.silence();
    const writes = [
      store.insert('late', 1),
      store.replace('link', revision, 'changed'),
      store.remove('removed'),
      store.increment('sequence'),
      store.setCounters([['counters', {counts: new Map([['visits', 1]]), at: 1}]]),
      store.removeCounters('counters', ['visits']),
      store.count({writer: 'w', number: 1, additions: [visit('counters', 9)]}),
    ];
    await Promise.all(writes.map((write) => t.throwsAsync(write, unavailable)));
    await proxy.mend();
    await eventually(() => store.insert('after', 1));
    await store.close();
    // The site's own connections stay open.
    await eventually(async () => {
      if (proxy.connections > 0 && engine.open === undefined)
        throw new Error(`There are still ${proxy.connections} connections`);
    });
    t.truthy(await direct.replace('link', revision, 'changed now'));
    t.is((await direct.get('removed'))?.value, 'as it was');
    t.is(await direct.get('late'), undefined);
    t.deepEqual(await direct.current(['sequence']), [0]);
    t.deepEqual(await direct.getCounters(['counters']), [{counts: new Map([['visits', 5]]), at: 5}]);
  });

  check('connections that fell silent are replaced, also all of a pool', async (t, engine) => {
    const {proxy, direct, open} = await behindProxy(t, engine);
    const store = open();
    const all = (): Array<Promise<void>> => Array.from({length: 10}, () => store.ping());
    await Promise.all(all());
    // By its answer they are free again.
    await direct.ping();
    proxy.silence();
    await Promise.all(all().map((call) => t.throwsAsync(call, unavailable)));
    proxy.strand();
    await eventually(() => Promise.all(all()));
    await proxy.mend();
  });

  check('a batch that arrives after the next one of its writer changes nothing', async (t, engine) => {
    const {proxy, direct, open} = await behindProxy(t, engine);
    const store = open();
    const send = (number: number, key: string, writer = 'writer'): Promise<readonly boolean[]> =>
      store.count({writer, number, additions: [visit(key, number)]});
    const visits = (): Promise<number[]> => countsOf(direct, ['link', 'late']);

    await send(1, 'link');
    // Opens a connection for each of two batches.
    await Promise.all([store.ping(), store.ping()]);
    // By its answer they are free again.
    await direct.ping();
    // A pool may open another connection for a batch, which is stranded too.
    proxy.silence();
    const stranded = [send(2, 'link'), send(2, 'late', 'other writer')];
    await Promise.all(stranded.map((batch) => t.throwsAsync(batch, unavailable)));
    proxy.strand();
    await eventually(() => send(2, 'link'));
    await send(3, 'link');
    t.deepEqual(await visits(), [3, 0]);
    await proxy.mend();
    // The server refuses what arrives after its deadline, from any writer.
    await send(4, 'link');
    t.deepEqual(await visits(), [4, 0]);
  });
});
