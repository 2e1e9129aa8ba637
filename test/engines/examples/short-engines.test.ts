import {buildApp as onPostgres} from '../../../examples/postgres.ts';
import {eachOf} from '../../support/engines/each.ts';
import {engines} from '../../support/engines/engines.ts';
import {visitorOf} from '../../support/examples/visitor.ts';

const url = 'https://destination.example/page';
const secret = 'a secret for this test, and for nothing else';

const onEach = await eachOf(engines.filter(({name}) => name === 'postgres'));

onEach((check) => {
  check('links outlast the site, and the health check reports the database', async (t, engine) => {
    const {store: database} = await engine.fresh(t);
    const first = onPostgres({database, secret});
    await first.shortener.accounts.create('ann');
    const {shortUrl} = await first.shortener.links.create('ann', {url});
    await first.shortener.close();

    const {app, shortener} = onPostgres({database, secret});
    t.teardown(() => shortener.close());
    const visit = await visitorOf(t, app);
    t.is((await visit(shortUrl)).headers.location, url);
    t.is((await shortener.links.info('ann', shortUrl)).totalVisits, 1);
    t.is((await visit('https://example.com/healthz')).status, 200);

    // No server listens on port 1.
    const away = onPostgres({database: 'postgres://postgres@127.0.0.1:1/site', secret});
    t.teardown(() => away.shortener.close());
    t.is((await (await visitorOf(t, away.app))('https://example.com/healthz')).status, 503);
  });
});
