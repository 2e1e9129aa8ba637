import {execFile, spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {type AddressInfo, createServer} from 'node:net';
import {promisify} from 'node:util';
import test from 'ava';
import {blocksOf, outputsOf, programsOf, promisedOutputs} from '../../support/pages.ts';

const run = promisify(execFile);
const readme = await readFile('README.md', 'utf8');
const blocks = blocksOf(readme);
const [quickStart = '', dashboard = '', ...programs] = programsOf(readme).programs;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const {port} = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

test('the README shows how to mount within its first 25 lines, in at most 15 lines of code', (t) => {
  const line = readme.split('\n').findIndex((text) => text.includes('app.use(shortener)'));
  t.true(line !== -1 && line < 25, `it is on line ${line + 1}`);
  t.true(quickStart.trim().split('\n').length <= 15);
});

test('the README has at most 1,200 words', (t) => {
  const words = readme.split(/\s+/).filter((word) => word !== '');
  t.true(words.length <= 1200, `it has ${words.length}`);
});

test('the README has the commands that start the example and the tests', (t) => {
  const lines = blocks.map(({code}) => code.trim());
  for (const command of ['npm ci && npm start', 'npm ci && npm test']) t.true(lines.includes(command), command);
});

test('the quick start runs as written, and its curl line gets the answer shown', async (t) => {
  // Inside the package, so that its name can be imported.
  const folder = await mkdtemp('test/readme-');
  t.teardown(() => rm(folder, {recursive: true, force: true}));
  const port = await freePort();
  await writeFile(`${folder}/site.mjs`, quickStart.replaceAll('3000', String(port)));
  const site = spawn(process.execPath, ['site.mjs'], {
    cwd: folder,
    env: {...process.env, SHORT_URL_SECRET: 'a-secret-of-good-length-0123456789'},
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.teardown(() => site.kill());
  const [output] = (await once(site.stdout, 'data')) as [Buffer];
  const key = output.toString().trim();

  const at = blocks.findIndex(({code}) => code.includes('curl'));
  const curl = blocks[at]?.code.replaceAll('3000', String(port)) ?? '';
  const {stdout} = await run('bash', ['-c', curl], {env: {...process.env, KEY: key}});
  const shape = (json: string): unknown =>
    JSON.parse(
      json
        .replaceAll(String(port), '3000')
        .replaceAll(/[2-9A-HJ-NP-Za-hjkmnp-z]{7}(?=")/g, 'shortpt')
        .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, 'yyyy-mm-dd hh:mm:ss'),
    );
  t.deepEqual(shape(stdout), shape(blocks[at + 1]?.code ?? ''));
});

test("the dashboard's lines run after the lines that mount the shortener", async (t) => {
  const site = `
    import Koa from 'koa';
    import {shortUrl} from 'koa-short-url';
    const app = new Koa();
    app.use((ctx, next) => {
      ctx.session = {};
      return next();
    });
    const shortener = shortUrl({baseUrl: 'http://localhost', store: 'memory:'});
    app.use(shortener);`;
  const visit = `
    const server = app.listen(0);
    const answer = await fetch('http://localhost:' + server.address().port + '/links/', {redirect: 'manual'});
    console.log(answer.status, new URL(answer.headers.get('location'), 'http://localhost').pathname);
    server.close();
    server.closeAllConnections();
    await shortener.close();`;
  const [output] = await outputsOf(t, [site + dashboard + visit]);
  t.regex(output ?? '', /^30\d \/login\n$/);
});

test('the other programs run as written, and print what their comments say', async (t) => {
  const lines = (await outputsOf(t, programs)).join('').split('\n');
  const missing = programs.flatMap(promisedOutputs).filter((text) => !lines.includes(text));
  t.deepEqual(missing, []);
});
