import {execFile, spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {type AddressInfo, createServer} from 'node:net';
import {promisify} from 'node:util';
import test from 'ava';

const run = promisify(execFile);
const readme = await readFile('README.md', 'utf8');
const blocks = Array.from(readme.matchAll(/^```(\w+)\n(.*?)^```$/gms), ([, language = '', code = '']) => ({
  language,
  code,
}));
const programs = blocks.filter(({language}) => language === 'js').map(({code}) => code);

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const {port} = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

test('mounting stands within the first 25 lines', (t) => {
  const line = readme.split('\n').findIndex((text) => text.includes('app.use(shortener)'));
  t.true(line !== -1 && line < 25, `it stands in line ${line + 1}`);
});

test('the quick start runs as it is written, and its curl line gets the answer that is shown', async (t) => {
  // Within the package, so that its own name is found.
  const folder = await mkdtemp('test/readme-');
  t.teardown(() => rm(folder, {recursive: true, force: true}));
  const port = await freePort();
  const [program = ''] = programs;
  await writeFile(`${folder}/site.mjs`, program.replaceAll('3000', String(port)));
  const site = spawn(process.execPath, ['site.mjs'], {
    cwd: folder,
    env: {...process.env, SHORT_URL_SECRET: 'only for this test'},
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.teardown(() => site.kill());
  const [output] = (await once(site.stdout, 'data')) as [Buffer];
  const key = output.toString().trim();

  const at = blocks.findIndex(({code}) => code.startsWith('curl'));
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

  const page = await fetch(`http://localhost:${port}/`);
  t.is(await page.text(), 'Your pages answer as before.');
});

test('the other programs run as they are written, and print what their comments say', async (t) => {
  const folder = await mkdtemp('test/readme-');
  t.teardown(() => rm(folder, {recursive: true, force: true}));
  const outputs = [];
  for (const [index, program] of programs.slice(1).entries()) {
    await writeFile(`${folder}/${index}.mjs`, program);
    outputs.push((await run(process.execPath, [`${folder}/${index}.mjs`])).stdout);
  }
  t.regex(outputs[0] ?? '', /^https:\/\/sho\.rt\/spring\ncustom_url_taken 409\nhttps:\/\/sho\.rt\/spring\n/);
});

test('every option and every error code in the documentation is one of the program, and the other way round', async (t) => {
  const options = await readFile('src/options.ts', 'utf8');
  const face = /export interface ShortUrlOptions \{(.*?)^\}/ms.exec(options)?.[1] ?? '';
  const inSource = Array.from(face.matchAll(/readonly (\w+)\??:/g), ([, name]) => name);
  const table = readme.slice(readme.indexOf('## Options'), readme.indexOf('## Mounting'));
  t.deepEqual(Array.from(table.matchAll(/^\| `(\w+)`/gm), ([, name]) => name).sort(), inSource.sort());

  const errors = await readFile('src/errors.ts', 'utf8');
  const codes = Array.from(errors.matchAll(/^ {2}(\w+): (\d{3}),$/gm), ([, code, status]) => `${status} ${code}`);
  const api = await readFile('docs/api.md', 'utf8');
  t.deepEqual(
    Array.from(api.matchAll(/^\| (\d{3}) +\| `(\w+)`/gm), ([, status, code]) => `${status} ${code}`).sort(),
    codes.sort(),
  );
});
