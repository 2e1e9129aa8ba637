import {execFile} from 'node:child_process';
import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {promisify} from 'node:util';
import test, {type ExecutionContext} from 'ava';
import ts from 'typescript';

const run = promisify(execFile);

const names = {
  import:
    "import {once} from 'node:events';\nimport Koa from 'koa';\nimport {testShortUrl} from 'koa-short-url/testing';",
  require:
    "const {once} = require('node:events');\nconst Koa = require('koa');\nconst {testShortUrl} = require('koa-short-url/testing');",
};

const program = `
async function main() {
  const kit = await testShortUrl({pages: {gone: ({shortUrl}) => 'gone: ' + shortUrl}});
  const server = new Koa().use(kit.shortener).listen(0);
  await once(server, 'listening');
  const {port} = server.address();
  for (const link of Object.values(kit.links)) {
    const answer = await fetch('http://localhost:' + port + link.path, {redirect: 'manual'});
    console.log(answer.status);
  }
  server.closeAllConnections();
  server.close();
  await kit.close();
}
main();
`;

const typed = `
import type {ShortUrl} from 'koa-short-url';
import {shortUrl} from 'koa-short-url';
import {type KitOptions, type TestClock, type TestLink, type TestLinks, type TestOutage, type TestShortUrl, testShortUrl} from 'koa-short-url/testing';
import type {TestShortUrlOptions} from 'koa-short-url/testing';

const options: TestShortUrlOptions = {baseUrl: 'https://example.com', createQuota: 3};
export async function use(): Promise<[ShortUrl, KitOptions, TestClock, TestLinks, TestLink, TestOutage]> {
  const kit: TestShortUrl = await testShortUrl(options);
  kit.clock.advance(1000);
  const now: () => number = kit.options.now;
  const secret: string = kit.options.secret;
  const paths: string[] = Object.values<TestLink>({...kit.links}).map(({path}) => path);
  const site = shortUrl({...kit.options, now, secret, defer: paths.length > 0});
  await site.accounts.apiKey(kit.account);
  return [kit.shortener, kit.options, kit.clock, kit.links, kit.links.active, kit.outage];
}
// @ts-expect-error the store is the kit's
export const store = testShortUrl({store: 'memory:'});
// @ts-expect-error there is no such option
export const unknown = testShortUrl({baseURL: 'https://example.com'});
`;

/** Inside the repository, so that the package and its dependencies are found by name. */
async function folder(t: ExecutionContext): Promise<string> {
  const path = await mkdtemp('test/testing-');
  t.teardown(() => rm(path, {recursive: true, force: true}));
  return path;
}

test('the kit works in an ES module and through require', async (t) => {
  const path = await folder(t);
  await writeFile(`${path}/site.mjs`, names.import + program);
  await writeFile(`${path}/site.cjs`, names.require + program);
  for (const file of ['site.mjs', 'site.cjs']) {
    const {stdout, stderr} = await run(process.execPath, ['--no-warnings=ExperimentalWarning', join(path, file)]);
    t.is(stdout, '302\n200\n410\n410\n410\n404\n410\n', file);
    t.is(stderr, '', file);
  }
});

test('the types of the kit compile in strict mode, in ES modules and in CommonJS', async (t) => {
  const path = await folder(t);
  const files = ['site.mts', 'site.cts'].map((file) => join(path, file));
  for (const file of files) await writeFile(file, typed);
  const compiler = ts.createProgram(files, {
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'],
    module: ts.ModuleKind.NodeNext,
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmit: true,
  });
  const mistakes = ts.getPreEmitDiagnostics(compiler);
  t.deepEqual(
    mistakes.map(({messageText}) => ts.flattenDiagnosticMessageText(messageText, '\n')),
    [],
  );
});
