import KeyvRedis, {createKeyv} from '@keyv/redis';
import test from 'ava';
import {Keyv} from 'keyv';
import Koa from 'koa';
import {shortUrl} from '../../../src/index.ts';
import {openStore} from '../../../src/store/opening/open.ts';
import {collect} from '../../support/collect.ts';
import {sharedRedis} from '../../support/engines/servers.ts';
import {visitorOf} from '../../support/examples/visitor.ts';
import {testStore} from '../../support/store/conformance.ts';
import {run} from '../../support/store/run.ts';
import {cleanSharedRedis, missing} from '../../support/store/own.ts';

const skip = await missing('redis');
const guarantee = 'process';
const timeout = 20_000;
const secret = 'a secret for this test, and for nothing else';
const url = 'https://destination.example/page';
const check = skip === undefined ? test.serial : test.serial.skip;

cleanSharedRedis(skip);

const hosts = {
  'the Redis adapter with a namespace': new KeyvRedis(sharedRedis, {namespace: `${run}-adapter`}),
  'a Keyv over Redis': new Keyv(new KeyvRedis(sharedRedis), {namespace: `${run}-host`}),
};
for (const [title, option] of Object.entries(hosts)) {
  testStore({title, guarantee, skip, open: (namespace, now) => openStore(option, {namespace, now, timeout})});
  test.after.always(() => option.disconnect());
}

check('links over a Keyv on Redis work, with one warning, and close() leaves its connection open', async (t) => {
  const keyv = createKeyv(sharedRedis, {namespace: `${run}-links`});
  const warnings: string[] = [];
  const onWarning = ({code = '', message}: Error & {code?: string}): void => {
    if (code === 'keyv_store') warnings.push(message);
  };
  process.on('warning', onWarning);
  t.teardown(async () => {
    process.off('warning', onWarning);
    await keyv.disconnect();
  });
  for (const customUrl of ['first', 'second']) {
    const app = new Koa();
    const shortener = shortUrl({baseUrl: 'https://example.com', store: keyv, secret});
    app.use(shortener);
    t.like(await shortener.health(), {engine: 'keyv', guarantee: 'process'});
    await shortener.accounts.create('ann');
    const link = await shortener.links.create('ann', {url, customUrl});
    t.is((await (await visitorOf(t, app))(link.shortUrl)).headers.location, url);
    t.is((await shortener.links.info('ann', link.shortUrl)).totalVisits, 1);
    t.is((await collect(shortener.links.list('ann'))).at(-1)?.shortUrl, link.shortUrl);
    await shortener.close();
  }
  t.is(warnings.length, 1);
  t.regex(warnings[0] ?? '', /redis:\/\/user:password@host/);
  await keyv.set('cached', 1);
  t.is(await keyv.get('cached'), 1);
});
