import {execFile} from 'node:child_process';
import {chmod, mkdir, readFile, writeFile} from 'node:fs/promises';
import {join, resolve} from 'node:path';
import {promisify} from 'node:util';
import test from 'ava';
import {shortUrl} from '../../../src/index.ts';
import {blocksOf} from '../../support/pages.ts';
import {temporaryDirectory} from '../../support/store/temporary.ts';
import {readManifest} from '../package/tarball.ts';

const run = promisify(execFile);
const {bin} = await readManifest();
const page = await readFile('docs/moving.md', 'utf8');
const directory = temporaryDirectory();

test('the commands in docs/moving.md do what the page says, in its order', async (t) => {
  const store = `sqlite:${join(directory, 'links.db')}`;
  const site = {baseUrl: 'https://example.com', secret: 'the secret of a site that is moved by a test'};
  const shortener = shortUrl({...site, store});
  const {apiKey} = await shortener.accounts.create('user-42');
  await shortener.links.create('user-42', {url: 'https://example.com/a/long/one', title: 'Spring'});
  await shortener.close();
  // Instead of the package from the registry, `npx` runs the program that was built here.
  const programs = join(directory, 'bin');
  await mkdir(programs);
  const program = resolve(bin['koa-short-url'] ?? '');
  await writeFile(join(programs, 'npx'), `#!/bin/sh\nshift\nexec "${process.execPath}" "${program}" "$@"\n`);
  await chmod(join(programs, 'npx'), 0o755);
  const env = {PATH: `${programs}:${process.env['PATH'] ?? ''}`};
  const commands = blocksOf(page).flatMap(({language, code}) => (language === 'sh' ? code.trim().split('\n') : []));
  t.true(commands.length >= 8);
  for (const command of commands) {
    await t.notThrowsAsync(run('bash', ['-euo', 'pipefail', '-c', command], {cwd: directory, env}), command);
  }
  for (const file of ['new.db', 'restored.db', 'another.db']) {
    const moved = shortUrl({...site, store: `sqlite:${join(directory, file)}`});
    t.is(await moved.accounts.apiKey('user-42'), apiKey, file);
    await moved.close();
  }
  const [header = '', row = ''] = (await readFile(join(directory, 'links.csv'), 'utf8')).split('\r\n');
  const [, columns = ''] = /The columns are (.*?)\. For each currency/.exec(page) ?? [];
  const named = Array.from(columns.matchAll(/`(\w+)`/g), ([, name]) => name);
  t.deepEqual(header.replace('\uFEFF', '').split(','), named);
  t.regex(row, /^user-42,example\.com,/);
});
