import {eachOf} from '../support/engines/each.ts';
import {engines, freshOn} from '../support/engines/engines.ts';
import {openStore} from '../../src/store/opening/open.ts';
import {eventually} from '../support/store/eventually.ts';
import {TcpProxy} from '../support/store/tcp-proxy.ts';
import {countsOf} from '../support/store-stub.ts';

const wired = ['redis', 'postgres', 'mysql'];
const onEach = await eachOf(engines.filter(({name}) => wired.includes(name)));

onEach((check) => {
  check('a batch that arrives after the next one of its writer changes nothing', async (t, engine) => {
    const {store: url, namespace} = await freshOn(engine, t);
    const proxy = await TcpProxy.start(t, Number(new URL(url).port));
    const steady = openStore(url, {namespace, timeout: 20_000});
    const store = openStore(proxy.through(url), {namespace, timeout: 1000});
    t.teardown(async () => {
      await Promise.all([store.close(), steady.close()]);
    });
    const send = (number: number, key: string, writer = 'writer'): Promise<readonly boolean[]> =>
      store.count({writer, number, additions: [{keys: [key], adds: [{visits: 1}], at: number}]});
    const visits = (): Promise<number[]> => countsOf(steady, ['link', 'late']);

    await send(1, 'link');
    // Opens a connection for each of two batches.
    await Promise.all([store.ping(), store.ping()]);
    proxy.strand();
    await Promise.all([
      t.throwsAsync(send(2, 'link'), {code: 'store_unavailable'}),
      t.throwsAsync(send(2, 'late', 'other writer'), {code: 'store_unavailable'}),
    ]);
    await eventually(() => send(2, 'link'));
    await send(3, 'link');
    t.deepEqual(await visits(), [3, 0]);
    await proxy.mend();
    // The server refuses what arrives after its deadline, from any writer.
    await send(4, 'link');
    t.deepEqual(await visits(), [4, 0]);
  });
});
