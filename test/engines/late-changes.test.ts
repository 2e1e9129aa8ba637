import '../support/quick-scrypt.ts';
import {eachOf, serverEngines} from '../support/engines/each.ts';
import {freshOn} from '../support/engines/engines.ts';
import {type Site, startSite} from '../support/site.ts';
import {eventually} from '../support/store/eventually.ts';
import {TcpProxy} from '../support/store/tcp-proxy.ts';

const onEach = await eachOf(serverEngines);

/** A disable takes fewer requests. */
const maxRequests = 20;

onEach((check) => {
  check('a disable that was answered with 503 does not undo what another process answered since', async (t, engine) => {
    const {store: url, namespace} = await freshOn(engine, t);
    const proxy = await TcpProxy.start(t, Number(new URL(url).port));
    const secret = 'one secret for both processes of the site';
    const siteOn = (store: string, storeTimeout: number): Promise<Site> =>
      startSite(t, {shortUrl: {namespace, store, secret, storeTimeout}});
    const other = await siteOn(url, 20_000);
    const cut = await siteOn(proxy.through(url), 500);
    let refusals = 0;
    let passing = 0;
    for (; passing < maxRequests; passing += 1) {
      const {short_url} = await other.create();
      await eventually(async () => {
        if ((await cut.api('info', {short_url})).status !== 200) throw new Error('The store is away');
      });
      proxy.hold(passing);
      const {status} = await cut.api('disable', {short_url});
      if (status !== 503) break;
      refusals += 1;
      t.is((await other.api('enable', {short_url})).status, 200);
      await proxy.mend();
      t.is((await other.info(short_url)).status, 'active', `${passing} requests of the disable had passed`);
      t.is((await other.visit(short_url)).status, 302);
    }
    await proxy.mend();
    t.log(`${refusals} times the network was away when the disable was stored`);
    t.true(refusals > 0 && passing < maxRequests);
  });
});
