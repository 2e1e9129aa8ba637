import {join} from 'node:path';
import test from 'ava';
import {buildApp, FolderAdapter} from '../../../examples/keyv-adapter.ts';
import {openStore} from '../../../src/store/opening/open.ts';
import {testStore} from '../../support/store/conformance.ts';
import {temporaryFolder} from '../../support/folder.ts';
import {temporaryDirectory} from '../../support/store/temporary.ts';
import {visitorOf} from '../../support/examples/visitor.ts';

const directory = temporaryDirectory();

testStore({
  title: 'the adapter of the example',
  guarantee: 'process',
  canList: false,
  open: (() => {
    const store = new FolderAdapter(join(directory, 'records'));
    return (namespace, now) => openStore(store, {namespace, now, timeout: 20_000});
  })(),
});

test('with the adapter of the example a site keeps its links over a restart', async (t) => {
  const folder = await temporaryFolder(t);
  const settings = {folder, secret: 'a secret for this test, and for nothing else'};
  const url = 'https://destination.example/page';
  const first = buildApp(settings);
  const {apiKey} = await first.shortener.accounts.create('ann');
  const {shortUrl} = await first.shortener.links.create('ann', {url, customUrl: 'spring'});
  await first.shortener.close();

  const {app, shortener} = buildApp(settings);
  t.teardown(() => shortener.close());
  const visit = await visitorOf(t, app);
  t.is((await visit(shortUrl)).headers.location, url);
  t.is((await shortener.links.info('ann', shortUrl)).totalVisits, 1);
  t.is(await shortener.accounts.apiKey('ann'), apiKey);
  await t.throwsAsync(shortener.links.create('ann', {url, customUrl: 'spring'}), {code: 'custom_url_taken'});
});
