import {execFile} from 'node:child_process';
import {join} from 'node:path';
import {promisify} from 'node:util';
import test from 'ava';
import {install, type Project} from '../contract/package/installation.ts';
import {nodeOf} from '../contract/package/node-versions.ts';
import {packed} from '../contract/package/tarball.ts';
import {isNight} from '../support/night.ts';
import {thisFile} from '../support/this-file.ts';

const run = promisify(execFile);
const owner = thisFile();
/** The project of a site in CommonJS, with the tarball and Jest. */
let project = '';

const assertions = `
test('what the site does without links', () => {
  expect(new Koa()).toHaveProperty('listen');
});

test.each(['memory:', 'sqlite::memory:'])('a link on %s', async (store) => {
  const shortener = shortUrl({baseUrl: 'https://example.com', store});
  const app = new Koa();
  app.proxy = true;
  app.use(shortener).use(dashboard(shortener, {path: '/links', account: () => 'ann', login: '/login'}));
  const {apiKey} = await shortener.accounts.create('ann');
  const server = app.listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  const origin = 'http://127.0.0.1:' + (server.address() as AddressInfo).port;
  const headers = {'X-Forwarded-Host': 'example.com', 'X-Forwarded-Proto': 'https', Authorization: 'Bearer ' + apiKey};
  const body = JSON.stringify({url: 'https://example.org/'});
  const json = {...headers, 'Content-Type': 'application/json'};
  const made = await fetch(origin + '/api/v1/shorturl/create.xml', {method: 'POST', headers: json, body});
  expect(await made.text()).toContain('<code>200</code>');
  const {links} = await shortener.links.page('ann');
  const visit = await fetch(origin + '/' + links[0]!.shortUrlPart, {headers, redirect: 'manual'});
  expect(visit.headers.get('location')).toBe('https://example.org/');
  expect(String(await shortener.links.qr('ann', links[0]!.shortUrl))).toContain('<svg');
  for (const path of ['/links', '/links/openapi.json']) {
    expect((await fetch(origin + path, {headers})).status).toBe(200);
  }
  await expect(shortener.links.create('ann', {url: 'no'})).rejects.toBeInstanceOf(ShortUrlError);
  await new Promise((done) => server.close(done));
  await shortener.close();
});

test('links of the kit, and the other entries', async () => {
  const kit = await testShortUrl();
  expect(kit).toHaveProperty('options');
  await kit.close();
  for (const entry of [toNodeHandler, createClient, importLinks]) expect(typeof entry).toBe('function');
});
`;

const imports = `
import Koa from 'koa';
import type {AddressInfo} from 'node:net';
import {ShortUrlError, shortUrl} from 'koa-short-url';
import {createClient} from 'koa-short-url/client';
import {dashboard} from 'koa-short-url/dashboard';
import {toNodeHandler} from 'koa-short-url/node';
import {testShortUrl} from 'koa-short-url/testing';
import {importLinks} from 'koa-short-url/tools';
`;

/** The same suite in JavaScript. */
const required = imports
  .replace(/^import type .*$/m, '')
  .replaceAll(/^import (.*) from (.*);$/gm, 'const $1 = require($2);');

const inJavaScript: Project = {
  packages: {koa: '3', libsql: '0.5', jest: '30'},
  files: {
    'javascript.test.js': required + assertions.replaceAll(' as AddressInfo', '').replaceAll(']!', ']'),
    'jest.config.js': "module.exports = {testEnvironment: 'node'};",
  },
};

const inBoth: Project = {
  packages: {
    ...inJavaScript.packages,
    ...{'@types/koa': '3', '@types/node': '20', '@types/jest': '30', 'ts-jest': '29', typescript: '5.9'},
  },
  files: {
    ...inJavaScript.files,
    'typescript.test.ts': imports + assertions,
    'jest.config.js': "module.exports = {testEnvironment: 'node', transform: {'\\\\.ts$': 'ts-jest'}};",
    'tsconfig.json': JSON.stringify({
      compilerOptions: {
        module: 'node16',
        target: 'es2022',
        strict: true,
        esModuleInterop: true,
        types: ['node', 'jest'],
      },
    }),
  },
};

// By day types.test.ts and `npm run lint:pack` look at the types, which takes less than to install a compiler.
const [site, suites] = isNight ? [inBoth, 2] : [inJavaScript, 1];

test.before(async (t) => {
  t.timeout(600_000);
  const packages = {...site.packages, 'koa-short-url': `file:${await packed(owner)}`};
  project = await install(owner, {...site, packages});
});

// Node.js 20 and 22 are those on which Jest cannot require an ES module.
for (const version of isNight ? ['20', '22', '24'] : ['current']) {
  test(`Jest runs the suite of a site in CommonJS, at night also in TypeScript, on Node.js ${version}`, async (t) => {
    t.timeout(600_000);
    const jest = join(project, 'node_modules', 'jest', 'bin', 'jest.js');
    const {stderr} = await run(await nodeOf(version), [jest, '--forceExit', '--testTimeout=60000'], {
      cwd: project,
    }).catch((error: unknown) => error as {stderr: string});
    const tests = suites * 4;
    t.regex(stderr, new RegExp(`Tests: +${tests} passed, ${tests} total`), stderr);
  });
}
