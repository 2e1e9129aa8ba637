import {execFile} from 'node:child_process';
import {mkdir, readdir, readFile, symlink, writeFile} from 'node:fs/promises';
import {dirname, join, resolve} from 'node:path';
import {promisify} from 'node:util';
import test from 'ava';
import {build} from 'esbuild';
import {bundledOutput, bundledSite} from '../../support/bundled-site.ts';
import {temporaryFolder} from '../../support/folder.ts';
import {thisFile} from '../../support/this-file.ts';
import {readManifest, unpackedIn} from './tarball.ts';

const run = promisify(execFile);
const manifest = await readManifest();
const owner = thisFile();
/** A project with the package, its dependencies, Koa, and nothing else. */
let project = '';

test.before(async () => {
  project = await temporaryFolder(owner);
  await unpackedIn(project, owner);
  for (const name of ['koa', ...Object.keys(manifest.dependencies)]) {
    const link = join(project, 'node_modules', name);
    await mkdir(dirname(link), {recursive: true});
    await symlink(resolve('node_modules', name), link);
  }
});

/** The entries that are programs, such as `.` and `./testing`. */
const programs = Object.entries(manifest.exports).flatMap(([entry, target]) =>
  typeof target === 'string' ? [] : [entry],
);

const site = `
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

const beginnings = {
  'site.mjs': "import http from 'node:http'; import Koa from 'koa'; import {shortUrl} from 'koa-short-url';",
  'site.cjs':
    "const http = require('node:http'); const Koa = require('koa'); const {shortUrl} = require('koa-short-url');",
};

for (const [file, beginning] of Object.entries(beginnings)) {
  test(`with only Koa beside it the package works in ${file}`, async (t) => {
    await writeFile(join(project, file), beginning + site);
    const {stdout} = await run(process.execPath, [file], {cwd: project});
    t.is(stdout, '302 https://example.org/\n');
  });
}

test('import and require of an entry give the same object', async (t) => {
  const names = programs.map((entry) => manifest.name + entry.slice(1));
  const program = `
    const {createRequire} = await import('node:module');
    const require = createRequire(import.meta.url);
    for (const name of ${JSON.stringify(names)}) {
      const [imported, required] = [await import(name), require(name)];
      const exports = Object.keys(imported).sort();
      console.log(name, exports.join(), exports.every((key) => imported[key] === required[key]));
    }`;
  await writeFile(join(project, 'same.mjs'), program);
  const {stdout} = await run(process.execPath, ['same.mjs'], {cwd: project});
  t.deepEqual(stdout.trim().split('\n'), [
    'koa-short-url ShortUrlError,defaultVisitDetails,redactUrl,shortUrl true',
    'koa-short-url/client ApiError,createClient true',
    'koa-short-url/dashboard dashboard true',
    'koa-short-url/node toNodeHandler true',
    'koa-short-url/testing testShortUrl true',
    'koa-short-url/tools ToolError,checkStore,copyStore,exportLinks,importLinks,plan,reseal true',
    'koa-short-url/web toWebHandler true',
  ]);
});

test('the command runs with nothing but the package, and names the driver that a store needs', async (t) => {
  const program = join(project, 'node_modules', manifest.name, manifest.bin['koa-short-url'] ?? '');
  const {stdout} = await run(process.execPath, [program, '--version'], {cwd: project});
  t.is(stdout, `${manifest.version}\n`);
  t.regex(await readFile(program, 'utf8'), /^#!\/usr\/bin\/env node\n/);
  const failed = await t.throwsAsync(run(process.execPath, [program, 'export', '--store', 'redis://localhost']));
  t.regex(String(failed), /npm install @?\w/);
});

test('links are created under fake timers, also those that replace the functions of `node:timers`', async (t) => {
  const program = `
    const {mock} = require('node:test');
    const {shortUrl} = require('koa-short-url');
    mock.timers.enable({apis: ['setTimeout', 'setInterval', 'setImmediate']});
    (async () => {
      const shortener = shortUrl({baseUrl: 'http://localhost', store: 'memory:'});
      await shortener.accounts.create('ann');
      console.log((await shortener.links.create('ann', {url: 'https://example.org/', customUrl: 'spring'})).shortUrl);
      await shortener.close();
    })();`;
  const {stdout} = await run(process.execPath, ['-e', program], {cwd: project});
  t.is(stdout, 'http://localhost/spring\n');
});

const requireInModules = "import {createRequire} from 'node:module'; const require = createRequire(import.meta.url);";

for (const format of ['cjs', 'esm'] as const) {
  test(`a site that esbuild bundles as ${format} runs by itself, without the engines that it does not use`, async (t) => {
    await writeFile(join(project, `bundled-${format}.mjs`), bundledSite);
    const outfile = join(await temporaryFolder(t), `site.${format === 'esm' ? 'mjs' : 'cjs'}`);
    const {warnings} = await build({
      absWorkingDir: project,
      entryPoints: [`bundled-${format}.mjs`],
      outfile,
      bundle: true,
      platform: 'node',
      format,
      logLevel: 'silent',
      ...(format === 'esm' && {banner: {js: requireInModules}}),
    });
    const {stdout} = await run(process.execPath, [outfile]);
    t.true(stdout.startsWith(bundledOutput), stdout);
    t.regex(stdout, /npm install pg/);
    t.log(warnings.map(({text}) => text));
  });
}

/** The other packages of which an import of the package loads a module. */
async function loadedByImport(): Promise<Set<string>> {
  const coverage = join(project, 'coverage');
  await writeFile(join(project, 'import.mjs'), "import 'koa-short-url';");
  // V8's own list of loaded scripts, however they were loaded.
  await run(process.execPath, ['import.mjs'], {cwd: project, env: {...process.env, NODE_V8_COVERAGE: coverage}});
  const [report = ''] = await readdir(coverage);
  const {result} = JSON.parse(await readFile(join(coverage, report), 'utf8')) as {result: Array<{url: string}>};
  const packages = result.flatMap(({url}) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? []);
  return new Set(packages.filter((name) => name !== manifest.name));
}

/** What only other entries of the package, or the command, need. */
const forOthers = ['@streamparser/json', 'fast-xml-parser'];

/** What is loaded when it is first used: by an answer in XML, or a posted body. */
const forLater = ['fast-xml-builder', 'raw-body'];

test('an import of the package loads the dependencies of every site, but neither Koa nor a driver', async (t) => {
  const loaded = await loadedByImport();
  t.deepEqual(
    [...loaded].filter((name) => name in manifest.dependencies).toSorted(),
    Object.keys(manifest.dependencies)
      .filter((name) => ![...forOthers, ...forLater].includes(name))
      .toSorted(),
  );
  for (const name of Object.keys(manifest.peerDependencies)) t.false(loaded.has(name), name);
  for (const name of ['pg', 'mysql2', '@redis/client', 'fast-xml-parser']) t.false(loaded.has(name), name);
  // Counts indirect dependencies too. Today's two dozen packages take a tenth of a second to import.
  t.true(loaded.size <= 25, [...loaded].join(', '));
});
