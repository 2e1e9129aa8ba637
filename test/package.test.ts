import {execFile} from 'node:child_process';
import {mkdir, mkdtemp, readdir, rm, writeFile} from 'node:fs/promises';
import {promisify} from 'node:util';
import test from 'ava';

const run = promisify(execFile);

const program = `
(async () => {
  const app = new Koa();
  const shortener = shortUrl({baseUrl: 'https://example.com', store: 'memory:'});
  app.use(shortener);
  const server = app.listen(0, '127.0.0.1', async () => {
    await shortener.accounts.create('ann');
    const link = await shortener.links.create('ann', {url: 'https://example.org/'});
    const {port} = server.address();
    http.get({port, path: '/' + link.shortUrlPart, headers: {host: 'example.com'}}, (response) => {
      console.log(response.statusCode, response.headers.location);
      server.close();
      shortener.close();
    });
  });
})();
`;

test('the packed tarball works in an ES module and through require', async (t) => {
  // Within the repository, so that the dependencies are found.
  const folder = await mkdtemp('test/package-');
  t.teardown(() => rm(folder, {recursive: true, force: true}));
  // Built already, and another build would take the files away from under tests that run beside this one.
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder]);
  const [tarball = ''] = await readdir(folder);
  const installed = `${folder}/node_modules/koa-short-url`;
  await mkdir(installed, {recursive: true});
  await run('tar', ['-xzf', `${folder}/${tarball}`, '-C', installed, '--strip-components=1']);

  const contents = (await readdir(installed)).sort();
  t.deepEqual(contents, ['CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md', 'dist', 'docs', 'package.json']);

  const imports = "import http from 'node:http'; import Koa from 'koa'; import {shortUrl} from 'koa-short-url';";
  const requires =
    "const http = require('node:http'); const Koa = require('koa'); const {shortUrl} = require('koa-short-url');";
  await writeFile(`${folder}/site.mjs`, imports + program);
  await writeFile(`${folder}/site.cjs`, requires + program);
  for (const file of ['site.mjs', 'site.cjs']) {
    const {stdout} = await run(process.execPath, [`${folder}/${file}`]);
    t.is(stdout, '302 https://example.org/\n', file);
  }
});
