import {shortUrl} from '../../src/index.ts';
import {collect} from '../support/collect.ts';
import {eachOf} from '../support/engines/each.ts';
import {engines, hostEngines, openedOn} from '../support/engines/engines.ts';

const onEach = await eachOf([...engines, ...hostEngines]);

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
