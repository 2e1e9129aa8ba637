import '../support/quick-scrypt.ts';
import {execFile, type ExecFileException} from 'node:child_process';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {promisify} from 'node:util';
import type {ExecutionContext} from 'ava';
import {type LinkRecord, linkShapes} from '../../src/link/record.ts';
import {linkRecords} from '../../src/link/records.ts';
import {packing} from '../../src/link/packing.ts';
import {openStore} from '../../src/store/opening/open.ts';
import {onlyTrue} from '../../src/values/shape.ts';
import {version} from '../../src/version.ts';
import {readManifest} from '../contract/package/tarball.ts';
import {accepted, redirects, refused} from '../support/answers.ts';
import {earlierReleases} from '../support/engines/earlier.ts';
import {eachOf, protocolEngines} from '../support/engines/each.ts';
import {type EngineOptions, engineNamed, freshOn} from '../support/engines/engines.ts';
import {siteProcesses} from '../support/engines/site-processes.ts';
import type {Reply} from '../support/request.ts';
import {Site, startSite} from '../support/site.ts';
import {thisFile} from '../support/this-file.ts';

const onEach = await eachOf([engineNamed('sqlite'), ...protocolEngines.filter(({name}) => name !== 'sqlite')]);
const startProcess = siteProcesses();
const releases = earlierReleases(thisFile());

/** What protects a link, and only this version knows. */
const property = '!tests';

/** From now on to the end of the test the program in this process knows the property. */
function knowProperty(t: ExecutionContext): void {
  Object.assign(linkShapes, {[property]: onlyTrue});
  t.teardown(() => Reflect.deleteProperty(linkShapes, property));
}

/** Protects a link, as this version would. */
async function protect(t: ExecutionContext, {store: option, namespace}: EngineOptions, slug: string): Promise<void> {
  const store = openStore(option, {namespace, packing, timeout: 20_000});
  t.teardown(() => store.close());
  const key = linkRecords.key({domain: 'example.com', slug});
  const entry = await store.get<LinkRecord>(key);
  t.truthy(await store.replace(key, entry?.revision, {...entry?.value, [property]: true}));
}

const url = 'https://destination.example/page';

onEach((check) => {
  check('what protects a link and only this version knows, an earlier version closes', async (t, engine) => {
    for (const release of await releases) {
      const options = await freshOn(engine, t);
      const earlier = await startProcess(t, engine, options, programOf(release));
      const site = await startSite(t, {shortUrl: {...options, now: Date.now}});
      const {short_url} = await site.create({custom_url: 'spring'});
      // It has seen the link before.
      for (const each of [earlier, site]) redirects(t, await each.visit(short_url), url);

      knowProperty(t);
      await protect(t, options, 'spring');
      const isClosed = async (): Promise<void> => {
        const reply = await earlier.visit(short_url);
        t.is(reply.status, 503, reply.text);
        t.is(reply.headers.location, undefined);
        t.is((await earlier.data(site.key, 'info', {short_url})).status, 'disabled');
        refused(t, await earlier.post(site.key, 'enable', {short_url}), 'store_unavailable');
        refused(t, await earlier.post(site.key, 'update', {short_url, title: 'Mine'}), 'store_unavailable');
      };
      await isClosed();
      redirects(t, await site.visit(short_url), url);
      t.is((await site.info(short_url)).status, 'active');
      accepted(t, await site.post('update', {short_url, title: 'Ours'}));
      await isClosed();

      accepted(t, await earlier.post(site.key, 'disable', {short_url}));
      t.is((await site.visit(short_url)).status, 410);
      accepted(t, await site.post('enable', {short_url}));
      redirects(t, await site.visit(short_url), url);
      await isClosed();
      const {status, title, totalVisits} = await site.shortener.links.info('user-42', short_url);
      t.deepEqual({status, title, totalVisits}, {status: 'active', title: 'Ours', totalVisits: 4});
      await checksClosed(t, release, options);
      t.deepEqual(earlier.failures, []);
    }
  });

  check('processes of two versions keep their promises to each other', async (t, engine) => {
    for (const release of await releases) {
      const options = await freshOn(engine, t);
      const earlier = await startProcess(t, engine, options, programOf(release));
      const site = await startSite(t, {shortUrl: {...options, now: Date.now}});
      const {key} = site;
      const post = (to: typeof earlier | Site, operation: string, body: object, headers = {}): Promise<Reply> =>
        to instanceof Site ? to.post(operation, body, {headers}) : to.post(key, operation, body, headers);
      for (const [name, one, other] of [
        ['a', earlier, site],
        ['b', site, earlier],
      ] as const) {
        const headers = {'Idempotency-Key': name};
        const {short_url} = accepted(t, await post(one, 'create', {url, custom_url: name}, headers));
        t.is(accepted(t, await post(other, 'create', {url, custom_url: name}, headers)).short_url, short_url);
        refused(t, await post(other, 'create', {url, custom_url: name}), 'custom_url_taken');
        const race = [one, other].map((each) => post(each, 'create', {url, custom_url: `${name}-race`}));
        t.deepEqual((await Promise.all(race)).map(({status}) => status).sort(), [200, 409]);
        for (const each of [one, other, one]) redirects(t, await each.visit(short_url), url);
        for (const each of [one, other]) t.is(accepted(t, await post(each, 'info', {short_url})).total_visits, 3);
        accepted(t, await post(one, 'update', {short_url, url: `${url}/new`}));
        redirects(t, await other.visit(short_url), `${url}/new`);
        accepted(t, await post(one, 'remove', {short_url}));
        t.is((await other.visit(short_url)).status, 410);
      }
      t.deepEqual(earlier.failures, []);
    }
  });
});

const programOf = (release: string): string => pathToFileURL(join(release, 'dist', 'index.js')).href;

/** The command of an earlier release names the protection and the version that knows it. */
async function checksClosed(t: ExecutionContext, release: string, {store, namespace}: EngineOptions): Promise<void> {
  const {bin} = await readManifest(release);
  const args = [join(release, bin['koa-short-url'] ?? ''), 'check', '--store', store, '--namespace', namespace];
  const {stdout} = await t.throwsAsync<ExecFileException & {stdout: string}>(
    promisify(execFile)(process.execPath, args, {timeout: 60_000}),
  );
  t.regex(stdout, new RegExp(`503 at 1 of .*\`${property}\`.*koa-short-url ${version.replaceAll('.', '\\.')}`));
}
