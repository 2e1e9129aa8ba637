import '../support/quick-scrypt.ts';
import test from 'ava';
import {shortUrl, type ShortUrlError} from '../../src/index.ts';
import {eventually} from '../support/store/eventually.ts';
import {missing} from '../support/store/own.ts';
import {RedisServer} from '../support/store/redis-server.ts';
import {temporaryDirectory} from '../support/store/temporary.ts';
import {isTheHosts, redirects, refused} from '../support/answers.ts';
import {startSite} from '../support/site.ts';

const skip = await missing('redis');
const check = skip === undefined ? test.serial : test.serial.skip;
const directory = temporaryDirectory();
const destination = 'https://destination.example/page';
const storeTimeout = 500;
const secret = 'a-secret-of-good-length-0123456789';

check('a Redis that is killed and restarted has every acknowledged write, and no refused one', async (t) => {
  // The settings that the documentation gives to hosts that must not lose the last second.
  const durable = ['--appendonly', 'yes', '--appendfsync', 'always', '--dir', directory];
  const redis = await RedisServer.start(t, ...durable);
  const site = await eventually(() => startSite(t, {shortUrl: {store: redis.url, storeTimeout, secret}}));
  const errors: ShortUrlError[] = [];
  site.shortener.events.on('error', (error) => errors.push(error));
  const seen = await site.create({custom_url: 'seen'});
  redirects(t, await site.visit(seen.short_url), destination);
  let visits = 1;

  for (let round = 0; round < 5; round += 1) {
    const answered: string[] = [];
    const refusedNames: string[] = [];
    const create = async (index: number): Promise<void> => {
      const name = `r${round}-${index}`;
      const reply = await site.api('create', {url: destination, custom_url: name});
      if (reply.status === 200) answered.push(name);
      else if (refused(t, reply, 'store_unavailable')) refusedNames.push(name);
    };
    const underWay = Promise.all(Array.from({length: 40}, (_, index) => create(index)));
    await eventually(async () => {
      if (answered.length < 3) throw new Error('Not under way yet');
    });
    await redis.kill();
    await underWay;
    const reply = await site.api('create', {url: destination, custom_url: `r${round}-refused`});
    refused(t, reply, 'store_unavailable');
    isTheHosts(t, await site.request({path: '/about'}), 200, 'About this site');
    for (let visit = 0; visit < 3; visit += 1, visits += 1) redirects(t, await site.visit(seen.short_url), destination);

    await redis.restart(...durable);
    await eventually(() => site.shortener.ready());
    const listed = new Set(await site.list());
    for (const name of answered) t.true(listed.has(`${site.baseUrl}/${name}`), `${name} was answered 200`);
    t.false(listed.has(`${site.baseUrl}/r${round}-refused`));
    for (const name of refusedNames) {
      // The last command of some may have been done just before the end. A repeated create tells.
      const again = await site.api('create', {url: destination, custom_url: name});
      t.is(again.status, listed.has(`${site.baseUrl}/${name}`) ? 409 : 200);
    }
    await eventually(async () => {
      const {total_visits} = await site.info(seen.short_url);
      if (total_visits < visits) throw new Error(`${total_visits} of ${visits} visits`);
    });
    t.is((await site.info(seen.short_url)).total_visits, visits);
  }
  const lost = errors.filter(({message}) => message === 'The connection to the store failed.').length;
  t.true(errors.length > 0 && lost <= 5, 'no outage is told twice');
});

check('a Redis that comes back empty is reported once after the outage, and the site goes on', async (t) => {
  const redis = await RedisServer.start(t);
  const options = {store: redis.url, secret};
  const [site, other] = [await startSite(t, {shortUrl: options}), await startSite(t, {shortUrl: options})];
  const messages = [site, other].map(({shortener}) => {
    const told: string[] = [];
    shortener.events.on('error', ({code, message}) => told.push(`${code} ${message}`));
    return told;
  });
  const link = await site.create();
  await redis.kill();
  await redis.restart();
  for (const {shortener} of [site, other]) {
    await eventually(async () => {
      const {isReady, failure} = await shortener.health();
      if (!isReady) throw new Error(String(failure));
      t.regex(String(failure), /^The store has lost the data of the site/);
    });
    const {apiKey} = await shortener.accounts.create('user-42');
    t.is(await shortener.accounts.apiKey('user-42'), apiKey);
    await shortener.ready();
  }
  t.is((await site.visit(link.short_url)).status, 404);
  for (const told of messages) {
    t.is(told.filter((message) => message.startsWith('internal_error The store has lost')).length, 1);
    t.true(
      told.every((message) => /lost the data|did not answer/.test(message)),
      told.join('\n'),
    );
  }
  const later = shortUrl({baseUrl: 'https://example.com', ...options});
  t.teardown(() => later.close());
  await later.ready();
  t.is((await later.health()).failure, null);
});
