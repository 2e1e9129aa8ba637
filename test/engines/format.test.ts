import '../support/quick-scrypt.ts';
import {execFile, type ExecFileException} from 'node:child_process';
import {promisify} from 'node:util';
import Koa from 'koa';
import type {ExecutionContext} from 'ava';
import {shortUrl, type ShortUrl} from '../../src/index.ts';
import {openStore} from '../../src/store/opening/open.ts';
import type {ToolStore} from '../../src/store/port.ts';
import {checkStore, copyStore} from '../../src/tools.ts';
import {version} from '../../src/version.ts';
import {compiled} from '../support/engines/compiled.ts';
import {eachOf, sharedEngines} from '../support/engines/each.ts';
import {type EngineOptions, freshOn} from '../support/engines/engines.ts';
import {listen} from '../support/listen.ts';
import {exchange} from '../support/request.ts';
import {eventually} from '../support/store/eventually.ts';
import {exported} from '../support/tools/text.ts';
import {listedKeys} from '../support/store/conformance-keys.ts';

const baseUrl = 'https://example.com';
const url = 'https://destination.example/';
const newer = {format: 99, version: '98.7.6'};

const declareOn = await eachOf(sharedEngines);

const command = compiled('src/tools/command/main.ts');

declareOn((check) => {
  check('a store gets its format with the first write, and none when it is only read', async (t, engine) => {
    const options = await freshOn(engine, t);
    const raw = openRaw(t, options);
    const reader = open(t, options);
    await reader.ready();
    t.is(await reader.accounts.apiKey('ann'), undefined);
    t.is(await raw.get('format'), undefined);
    await reader.accounts.create('ann');
    t.like((await raw.get('format'))?.value, {format: 2, version});
  });

  check('of many processes that write first, all have the same format', async (t, engine) => {
    const options = await freshOn(engine, t);
    const sites = Array.from({length: 5}, () => open(t, options));
    await Promise.all(sites.map((site, number) => site.accounts.create(`account ${number}`)));
    const again = open(t, options);
    await again.ready();
    t.truthy(await again.accounts.apiKey('account 4'));
  });

  check('a store of a newer format is refused until it has ours, and nothing in it changes', async (t, engine) => {
    const options = await freshOn(engine, t);
    const raw = openRaw(t, options);
    const before = open(t, options);
    const {apiKey} = await before.accounts.create('ann');
    const {shortUrl: short} = await before.links.create('ann', {url});
    await before.close();
    const ours = await raw.get('format');
    t.truthy(await raw.replace('format', ours?.revision, newer));

    const site = open(t, options);
    const errors: Error[] = [];
    site.events.on('error', (error) => errors.push(error));
    const refused = {code: 'store_unavailable', message: /format 99.*98\.7\.6/};
    await t.throwsAsync(site.ready(), refused);
    await t.throwsAsync(site.accounts.create('bob'), refused);
    await t.throwsAsync(site.links.create('ann', {url}), refused);
    const {isReady, failure} = await site.health();
    t.false(isReady);
    t.regex(failure ?? '', /98\.7\.6/);
    const app = new Koa();
    app.use(site);
    const {port, agent} = await listen(t, app);
    const {pathname} = new URL(short);
    t.is((await exchange(port, agent, {host: 'example.com', path: pathname})).status, 503);
    const list = await exchange(port, agent, {
      host: 'example.com',
      path: `/api/v1/${apiKey}/shorturl/list_active_urls.json`,
    });
    t.is(list.status, 503);
    t.notRegex(list.text, /98\.7\.6/);
    t.is(errors.length, 1);

    const {store, namespace} = options;
    const {ok, findings} = await checkStore({store, namespace, storeTimeout: 20_000});
    t.false(ok);
    t.is(findings.filter(({code}) => code === 'other_format').length, 1);
    await t.throwsAsync(exported({store, namespace}), refused);
    const target = await freshOn(engine, t);
    await t.throwsAsync(copyStore({from: store, namespace, to: target.store, toNamespace: target.namespace}), refused);
    t.deepEqual((await raw.get('format'))?.value, newer);
    t.is(await raw.get('account:bob'), undefined);

    t.truthy(await raw.replace('format', (await raw.get('format'))?.revision, ours?.value));
    await eventually(() => site.ready());
    t.is((await exchange(port, agent, {host: 'example.com', path: pathname})).status, 302);
  });

  check('a command that refuses a store of another format ends at once', async (t, engine) => {
    const options = await freshOn(engine, t);
    await openRaw(t, options).insert('format', newer);
    const {store, namespace} = options;
    const args = [await command(), 'export', '--store', store, '--namespace', namespace];
    // An operation of a command has thirty seconds.
    const {stderr, killed} = await t.throwsAsync<ExecFileException & {stderr: string}>(
      promisify(execFile)(process.execPath, args, {timeout: 15_000}),
    );
    t.false(killed);
    t.regex(stderr, /Use koa-short-url 98\.7\.6/);
  });

  check('a store with data and without a format is refused', async (t, engine) => {
    const options = await freshOn(engine, t);
    const before = open(t, options);
    await before.accounts.create('ann');
    await before.close();
    const raw = openRaw(t, options);
    await raw.remove('format');
    const site = open(t, options);
    const refused = {code: 'store_unavailable', message: /no format/};
    await t.throwsAsync(site.ready(), refused);
    await t.throwsAsync(site.accounts.create('bob'), refused);
    t.is(await raw.get('format'), undefined);
  });

  check('a store that has only its format is empty, and a copy gives its target one', async (t, engine) => {
    const options = await freshOn(engine, t);
    const target = await freshOn(engine, t);
    const site = open(t, options);
    await site.accounts.create('ann');
    const raw = openRaw(t, target);
    await raw.insert('format', {format: 2, version: '2.0.0'});
    t.deepEqual(await listedKeys(raw, 'records'), []);
    const paths = {from: options.store, namespace: options.namespace, to: target.store, toNamespace: target.namespace};
    t.is((await copyStore(paths)).accounts, 1);
    const fresh = await freshOn(engine, t);
    await copyStore({...paths, to: fresh.store, toNamespace: fresh.namespace});
    t.like((await openRaw(t, fresh).get('format'))?.value, {format: 2, version});
  });
});

function open(t: ExecutionContext, options: EngineOptions): ShortUrl {
  const site = shortUrl({...options, baseUrl});
  t.teardown(() => site.close());
  return site;
}

/** The same store without a check of its format. */
function openRaw(t: ExecutionContext, {store: option, namespace}: EngineOptions): ToolStore {
  const store = openStore(option, {namespace, timeout: 20_000});
  t.teardown(() => store.close());
  return store;
}
