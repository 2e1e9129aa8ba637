import {execFile, spawn} from 'node:child_process';
import {once} from 'node:events';
import {readFile, writeFile} from 'node:fs/promises';
import {promisify} from 'node:util';
import test from 'ava';
import {freePort} from '../../support/store/redis-server.ts';
import {blocksOf, folderInPackage, missingOutputs, programsOf} from '../../support/pages.ts';

const run = promisify(execFile);
const readme = await readFile('README.md', 'utf8');
const blocks = blocksOf(readme);
const [quickStart = '', ...programs] = programsOf(readme).programs;

test('the README begins with a picture and a whole site of at most 30 lines', (t) => {
  const begin = readme.slice(0, readme.indexOf('\n## '));
  t.regex(begin, /^!\[.+\]\(docs\/screenshots\/.+\)$/m);
  t.true(begin.includes(quickStart));
  t.true(quickStart.trim().split('\n').length <= 30);
});

test('the README has at most 900 words', (t) => {
  const words = readme.split(/\s+/).filter((word) => word !== '');
  t.true(words.length <= 900, `it has ${words.length}`);
});

test('the README has the commands that start the example and the tests', (t) => {
  const lines = blocks.map(({code}) => code.trim());
  for (const command of ['npm ci && npm start', 'npm ci && npm test']) t.true(lines.includes(command), command);
});

test('the site runs as written: a user logs in to the dashboard, and the curl line gets the answer shown', async (t) => {
  const folder = await folderInPackage(t);
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

  const login = await fetch(`http://localhost:${port}/login`, {redirect: 'manual'});
  const cookies = login.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0]);
  const page = await fetch(`http://localhost:${port}/links/`, {headers: {Cookie: cookies.join('; ')}});
  t.is(page.status, 200);
  t.regex(await page.text(), /<h1/);

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

test('the other programs run as written, and print what their comments say', async (t) => {
  t.deepEqual(await missingOutputs(t, programs), []);
});
