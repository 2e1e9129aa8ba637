/** The built command, in its own processes. */
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import {temporaryDirectory} from '../../support/store/temporary.ts';
import {dump, fill, type Place, runSite, secret as oldSecret} from '../../support/tools/world.ts';
import {readManifest} from '../../contract/package/tarball.ts';

const {bin} = await readManifest();
const directory = temporaryDirectory();
let files = 0;
const file = (ending: string): string => join(directory, `${(files += 1)}.${ending}`);

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** @param how the environment and the standard input */
async function command(
  args: readonly string[],
  how: {env?: Record<string, string>; stdin?: string} = {},
): Promise<Ended> {
  const {PATH = ''} = process.env;
  const child = spawn(process.execPath, [bin['koa-short-url'] ?? '', ...args], {env: {PATH, ...how.env}});
  const said = {stdout: '', stderr: ''};
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => (said[name] += text));
  }
  child.stdin.end(how.stdin);
  const [code] = (await once(child, 'close')) as [number | null];
  return {code, ...said};
}

async function filled(t: ExecutionContext): Promise<Place & {store: string}> {
  const place = {store: `sqlite:${file('db')}`};
  const site = await runSite(t, place);
  await fill(site, 5);
  await site.shortener.close();
  return place;
}

test('a site can be exported, imported, copied and exported again', async (t) => {
  const {store} = await filled(t);
  const exported = await command(['export', '--store', store]);
  t.is(exported.code, 0);
  t.like(JSON.parse(exported.stderr), {accounts: 3, links: 11, unreadable: 0});
  const name = file('ndjson');
  await writeFile(name, exported.stdout);

  const imported = `sqlite:${file('db')}`;
  const first = await command(['import', '--store', imported, name]);
  t.deepEqual([first.code, first.stderr], [0, '']);
  t.like(JSON.parse(first.stdout), {accounts: 3, links: 11});
  t.deepEqual(await dump({store: imported}), await dump({store}));

  const copied = `sqlite:${file('db')}`;
  const copy = await command(['copy', '--to-namespace', 'other'], {env: {FROM: imported, TO: copied}});
  t.deepEqual([copy.code, copy.stderr], [0, '']);
  t.like(JSON.parse(copy.stdout), {accounts: 3, links: 11});
  const again = await command(['export', '--namespace=other'], {env: {STORE: copied}});
  t.is(again.stdout, exported.stdout);
});

test('links of another shortener are imported, and rejected lines are reported', async (t) => {
  const {store} = await filled(t);
  const csv = 'short_part,long_url\nnew,https://destination.example/new\nfoo/bar,https://destination.example/\n';
  const args = ['import', '--store', store, '--account', 'bob', '--base-url', 'https://example.com', '--format', 'csv'];
  const {code, stdout, stderr} = await command([...args, '-'], {stdin: csv});
  t.is(code, 1);
  t.like(JSON.parse(stdout), {imported: 1, rejected: 1});
  t.regex(stderr, /^3 "foo\/bar": invalid_custom_url: .*\nkoa-short-url: 1 link was rejected\.\n$/);
  const [first = ''] = csv.split(/foo.*\n/);
  const again = await command([...args, '-'], {stdin: first});
  t.deepEqual([again.code, again.stderr], [0, '']);
  t.like(JSON.parse(again.stdout), {imported: 0, unchanged: 1});
});

test('a store is checked, and keys are encrypted with a new secret', async (t) => {
  const {store} = await filled(t);
  const SHORT_URL_SECRET = 'a new secret for this test, and for nothing else';
  const found = await command(['check', '--store', store], {env: {SHORT_URL_SECRET}});
  t.is(found.code, 1);
  t.regex(found.stderr, /^problem: wrong_secret: .*\n {2}\S.*$/m);
  t.like(JSON.parse(found.stdout), {ok: false, engine: 'sqlite'});
  const lost = await command(['reseal', '--store', store], {env: {SHORT_URL_SECRET}});
  t.is(lost.code, 1);
  t.like(JSON.parse(lost.stdout), {ok: false, resealed: 0, unopened: 3});
  t.regex(lost.stderr, /No secret decrypts the API key of the account "ann"\./);
  const resealed = await command(['reseal', '--store', store], {
    env: {SHORT_URL_SECRET, OLD_SECRETS: `an old secret that has encrypted nothing here,${oldSecret}`},
  });
  t.deepEqual([resealed.code, resealed.stderr], [0, '']);
  t.like(JSON.parse(resealed.stdout), {ok: true, resealed: 3});
  const healthy = await command(['check', '--store', store, '--base-url', 'https://example.com'], {
    env: {SHORT_URL_SECRET},
  });
  t.like(JSON.parse(healthy.stdout), {ok: true});
  t.is(healthy.code, 0);
  t.regex(healthy.stderr, /warnings.*\n.*troubleshooting\.md#warnings\n$/);
});

test('a failure ends with code 1 and a message', async (t) => {
  const missing = await command(['export', '--store', `sqlite:${file('db')}`]);
  t.deepEqual([missing.code, missing.stdout], [1, '']);
  t.regex(missing.stderr, /^koa-short-url: The file [^\n]+ does not exist\n$/);

  const {store} = await filled(t);
  const {stdout} = await command(['export', '--store', store]);
  const name = file('ndjson');
  await writeFile(name, stdout.slice(0, -20));
  const cut = await command(['import', '--store', `sqlite:${file('db')}`, name]);
  t.deepEqual([cut.code, cut.stdout], [1, '']);
  t.regex(cut.stderr, /^\d+: unreadable_line: [^\n]*cut off\nkoa-short-url: The file is incomplete: [^\n]*\n$/);
  const unknown = await command(['export', '--store', store, '--account', 'nobody']);
  t.deepEqual([unknown.code, unknown.stdout], [1, '']);
});
