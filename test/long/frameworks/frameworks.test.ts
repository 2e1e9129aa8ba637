import {type ChildProcess, execFile, spawn} from 'node:child_process';
import {randomInt} from 'node:crypto';
import {once} from 'node:events';
import {rm} from 'node:fs/promises';
import {resolve} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {promisify} from 'node:util';
import type {ExecutionContext} from 'ava';
import {shortUrl} from '../../../src/index.ts';
import {install} from '../../contract/package/installation.ts';
import {nodeOf} from '../../contract/package/node-versions.ts';
import {packed} from '../../contract/package/tarball.ts';
import {Client} from '../../support/client.ts';
import {fieldsIn} from '../../support/dashboard.ts';
import {range} from '../../support/engines/crowd.ts';
import {onDemand} from '../../support/on-demand.ts';
import {eventually} from '../../support/store/eventually.ts';
import {freePort} from '../../support/store/redis-server.ts';
import {thisFile} from '../../support/this-file.ts';
import {koaSites} from './koa-sites.ts';
import type {Site} from './sites.ts';
import {webSites} from './web-sites.ts';

const run = promisify(execFile);

const sites = {...koaSites, ...webSites};
const owner = thisFile();
const folders = new Map<string, Promise<string>>();

/** The folder of a site, which is installed and built once. */
function folderOf(name: string, {packages, files, build}: Site): Promise<string> {
  const folder = folders.get(name) ?? installed();
  folders.set(name, folder);
  return folder;

  async function installed(): Promise<string> {
    const all = {libsql: '^0.5.0', ...packages, 'koa-short-url': `file:${await packed(owner)}`};
    const path = await install(owner, {packages: all, files});
    const env = {...process.env, NODE_ENV: 'production'};
    if (build !== undefined) await run(process.execPath, build, {cwd: path, env});
    return path;
  }
}

const secret = 'a secret of this test, and for nothing else';

async function start(
  t: ExecutionContext,
  folder: string,
  command: readonly string[],
): Promise<{origin: string; store: string; site: ChildProcess}> {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const file = resolve(folder, 'links.db');
  await Promise.all(['', '-wal', '-shm', '-info'].map((end) => rm(file + end, {force: true})));
  const env = {
    ...process.env,
    NODE_ENV: 'production',
    PORT: String(port),
    PUBLIC_URL: origin,
    // SvelteKit compares it with that of each form.
    ORIGIN: origin,
    STORE: `sqlite:${file}`,
    SHORT_URL_SECRET: secret,
  };
  const [node = '', ...given] = command;
  const site = spawn(node, given, {cwd: folder, env, stdio: 'ignore'});
  t.teardown(() => site.kill('SIGKILL'));
  await eventually(async () => fetch(`${origin}/about`), 120_000);
  return {origin, store: env.STORE, site};
}

/** Visits a link without a pause until the site ends, and ends it meanwhile. Returns how many redirects came. */
async function visitUntilEnd(
  t: ExecutionContext,
  site: ChildProcess,
  visit: () => Promise<number>,
): Promise<{answered: number; exit: number | null}> {
  let answered = 0;
  const clients = range(8).map(async () => {
    for (;;) {
      const status = await visit().catch(() => 0);
      // Next waits until the connections are idle.
      if (status === 0 || answered >= 1000) return;
      t.is(status, 302);
      answered += 1;
      if (answered === 200) site.kill('SIGTERM');
      await delay(randomInt(3));
    }
  });
  const [exit] = (await once(site, 'exit')) as [number | null];
  await Promise.all(clients);
  return {answered, exit};
}

for (const [name, site] of Object.entries(sites)) {
  for (const version of ['20', '22', '24']) {
    onDemand(
      `${name} on Node.js ${version}, mounted as the page says, has links, forms and exact counts`,
      async (t) => {
        t.timeout(600_000);
        const command = [await nodeOf(version), ...(site.start ?? ['start.mjs'])];
        const {origin, store, site: running} = await start(t, await folderOf(name, site), command);
        const headers = {'User-Agent': 'Mozilla/5.0 Firefox/140.0', 'Sec-Fetch-Site': 'same-origin', Origin: origin};
        const browser = new Client(origin, headers);
        t.is((await browser.get('/about')).text, 'About');
        t.is((await browser.get('/none')).status, site.missing);
        t.regex((await browser.get('/links/')).location, /\/login\?/);
        t.is((await browser.get('/login?user=ann')).location, `${origin}/links/`);

        const page = (await browser.get('/links/')).text;
        const fields = {...fieldsIn(page, './create'), url: 'https://destination.example/form'};
        const made = await browser.send('/links/create', {method: 'POST', body: new URLSearchParams(fields)});
        t.regex(made.location, /done=created/);

        const [, apiKey = ''] = />([\w-]{34,})</.exec((await browser.get('/links/api')).text) ?? [];
        const call = async (operation: string, parameters: object) => {
          const answer = await fetch(`${origin}/api/v1/shorturl/${operation}`, {
            method: 'POST',
            headers: {Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json'},
            body: JSON.stringify(parameters),
          });
          return ((await answer.json()) as {data: {short_url: string; total_visits: number}}).data;
        };
        const destination = 'https://destination.example/a';
        const link = await call('create', {url: destination, custom_url: 'spring'});
        for (const end of ['', '.', '/', ''])
          t.is((await browser.get(link.short_url + end)).location, destination, end);
        t.is((await browser.get(`${link.short_url}+`)).status, 200);
        t.is((await call('info', {short_url: link.short_url})).total_visits, 4);

        const locked = await call('create', {url: destination, password: 's3cret'});
        const [, action = ''] = /action="([^"]+)"/.exec((await browser.get(locked.short_url)).text) ?? [];
        const enter = async (password: string) =>
          browser.send(action, {method: 'POST', body: new URLSearchParams({password})});
        t.is((await enter('wrong')).status, 401);
        t.is((await enter('s3cret')).location, destination);

        await browser.get('/login?user=root');
        t.is((await browser.get('/links/operator')).status, 200);

        const {answered: visits, exit} = await visitUntilEnd(t, running, async () => {
          const {status} = await browser.get(link.short_url);
          return status;
        });
        t.is(exit, site.exit ?? 0);
        const reopened = shortUrl({baseUrl: origin, store, secret});
        t.teardown(() => reopened.close());
        const {totalVisits} = await reopened.links.info('ann', link.short_url);
        t.log(`${visits} redirects`);
        t.is(totalVisits, 4 + visits);
        // One visit by the form.
        t.is((await reopened.accounts.stats('ann')).totalVisits, totalVisits + 1);
      },
    );
  }
}
