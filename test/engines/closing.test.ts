import '../support/quick-scrypt.ts';
import {shortUrl} from '../../src/index.ts';
import {collect} from '../support/collect.ts';
import {eachOf, serverEngines} from '../support/engines/each.ts';
import {engines, freshOn, hostEngines, openedOn} from '../support/engines/engines.ts';
import {siteProcesses} from '../support/engines/site-processes.ts';
import {TcpProxy} from '../support/store/tcp-proxy.ts';

const onEach = await eachOf([...engines, ...hostEngines]);
const onServer = await eachOf(serverEngines);
const start = siteProcesses();

onEach((check) => {
  check('calls that have begun end before the shortener is closed, and later ones are no outage', async (t, engine) => {
    const shortener = shortUrl({...(await openedOn(engine, t)), baseUrl: 'https://example.com'});
    t.teardown(() => shortener.close());
    const errors: Error[] = [];
    shortener.events.on('error', (error) => errors.push(error));
    const {accounts, links, keys, admin} = shortener;
    await accounts.create('ann');
    await links.create('ann', {url: 'https://example.org/first'});
    const inputs = Array.from({length: 20}, (_, index) => ({url: `https://example.org/${index}`}));
    const begun = [
      ...inputs.map((input) => links.create('ann', input)),
      links.create('ann', {url: 'https://example.org/secret', password: 's3cret'}),
      collect(links.createMany('ann', inputs)),
      collect(links.list('ann')),
      keys.create('ann', {label: 'phone', scope: 'full'}),
      accounts.create('ben'),
      admin.stats(),
    ];
    // A generator that nobody reads has not begun.
    links.list('ann');
    const closed = shortener.close();
    await t.notThrowsAsync(Promise.all(begun));
    await closed;
    for (const late of [links.create('ann', {url: 'https://example.org/late'}), collect(links.list('ann'))]) {
      await t.throwsAsync(late, {code: 'store_unavailable', message: 'The store is closed.'});
    }
    t.deepEqual(errors, []);
  });
});

onServer((check) => {
  check('a process that is closed while its server is silent ends, also with a visit in memory', async (t, engine) => {
    const options = await freshOn(engine, t);
    const proxy = await TcpProxy.start(t, Number(new URL(options.store).port));
    const site = await start(t, engine, {...options, store: proxy.through(options.store), storeTimeout: 2000});
    const {short_url} = await site.data(await site.register('ann'), 'create', {url: 'https://example.org/'});
    t.is((await site.visit(short_url)).status, 302);
    proxy.silence();
    t.is((await site.visit(short_url)).status, 302);
    await t.notThrowsAsync(site.close());
    t.true(site.failures.some((failure) => failure.startsWith('store_unavailable: ')));
  });
});
