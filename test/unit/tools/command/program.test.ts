import '../../../support/quick-scrypt.ts';
import {join} from 'node:path';
import {Readable, Writable} from 'node:stream';
import test from 'ava';
import {runProgram, type Surroundings} from '../../../../src/tools/command/program.ts';
import {temporaryDirectory} from '../../../support/store/temporary.ts';
import {runSite} from '../../../support/tools/world.ts';

const directory = temporaryDirectory();

/** A stream that keeps what is written to it, or that refuses it. */
class Output extends Writable {
  text = '';
  readonly #code: string | undefined;

  constructor(code?: string) {
    super();
    this.#code = code;
  }

  override _write(part: Buffer, _: unknown, done: (error?: Error) => void): void {
    if (this.#code === undefined) this.text += part.toString();
    done(this.#code === undefined ? undefined : Object.assign(new Error(`${this.#code}: write`), {code: this.#code}));
  }
}

async function run(
  args: readonly string[],
  {stdout = new Output(), stderr = new Output(), stdin = '', env = {}} = {},
): Promise<{code: number; stdout: string; stderr: string}> {
  const surroundings = {env, stdin: Readable.from([stdin]), stdout, stderr} as unknown as Surroundings;
  return {code: await runProgram(args, surroundings), stdout: stdout.text, stderr: stderr.text};
}

test('a standard output that cannot be written ends the command with code 1 and one line', async (t) => {
  for (const args of [['--help'], ['--version'], ['check', '--help']]) {
    const {code, stderr} = await run(args, {stdout: new Output('EPIPE')});
    t.is(stderr, 'koa-short-url: Nobody reads standard output any more.\n', args.join(' '));
    t.is(code, 1);
    t.is((await run(args)).code, 0);
  }
});

test('an import continues if nobody reads its output', async (t) => {
  const store = `sqlite:${join(directory, 'links.db')}`;
  const {shortener} = await runSite(t, {store});
  await shortener.accounts.create('ann');
  const args = ['import', `--store=${store}`, '--account=ann', '--base-url=https://example.com', '--format=csv', '-'];
  const stdin = `short_part,url\n${'foo/bar,https://a.example/\n'.repeat(300)}good,https://b.example/\n`;
  const {code, stdout} = await run(args, {stderr: new Output('EPIPE'), stdin});
  t.is(code, 1);
  t.like(JSON.parse(stdout), {imported: 1, rejected: 300});
  const full = await run(args, {stdout: new Output('ENOSPC'), stdin});
  t.is(full.code, 1);
  t.regex(full.stderr, /\nkoa-short-url: ENOSPC: write\n$/);
  t.is((await shortener.links.page('ann')).links.length, 1);
});

test('an invalid command line ends with code 2 and the reason, and writes nothing on standard output', async (t) => {
  const refused = async (args: readonly string[], message: RegExp): Promise<void> => {
    const {code, stdout, stderr} = await run(args);
    t.deepEqual([code, stdout], [2, ''], args.join(' '));
    t.regex(stderr, message);
    t.regex(stderr, /\nTry: koa-short-url.* --help\n$/);
  };
  await refused([], /Expected a command: copy, export, import/);
  await refused(['exprot'], /Unknown command exprot\. Did you mean export\?/);
  await refused(['copy', '--form', 'sqlite:a.db'], /Unknown option --form\. Did you mean --from\?/);
  await refused(['copy', '--from', 'sqlite:a.db'], /in --to or in the environment variable TO/);
  await refused(['export'], /in --store or in the environment variable STORE/);
  await refused(['export', '--store', 'sqlite:a.db', '--format', 'xml'], /ndjson or csv/);
  await refused(['import', '--store', 'sqlite:a.db'], /Expected FILE/);
  await refused(['import', '--store', 'sqlite:a.db', '--format', 'ndjsn', 'a'], /Did you mean ndjson\?/);
  await refused(
    ['import', '--store', 'sqlite:a.db', '--account', 'bob', 'a'],
    /--account does not apply to the format ndjson/,
  );
  await refused(['import', '--store', 'sqlite:a.db', '--format', 'csv', 'a'], /csv needs --account/);
  const bring = ['import', '--store', 'sqlite:a.db', '--account', 'bob', '--base-url', 'https://example.com'];
  await refused([...bring, '--format', 'api', 'https://other.example'], /api needs .* SOURCE_KEY/);
  await refused([...bring, '--create-account', '--format', 'csv', 'a'], /--create-account needs .* SHORT_URL_SECRET/);
  await refused(['reseal', '--store', 'sqlite:a.db'], /in the environment variable SHORT_URL_SECRET/);
  await refused(['export', '--store', 'nothing://user:s3cret@host'], /begin with one of/);
  await refused(['export', '--store', 'sqlite:a.db', '--namespace', 'a b'], /namespace/);
});

test('no failure prints the password of a connection string', async (t) => {
  const secret = 'sup3rs3cret';
  const urls = [
    `redis://user:${secret}@127.0.0.1:1`,
    `redis://user:${secret}@127.0.0.1:1/?x=y`,
    `postgres://user:${secret}@127.0.0.1:1/links`,
    `mysql://user:${secret}@127.0.0.1:1/links`,
    `mariadb://user:${secret}@127.0.0.1:1/links`,
    `mongodb://user:${secret}@host/`,
    `//user:${secret}@host`,
  ];
  for (const url of urls) {
    const ends = await Promise.all([
      run(['export', '--store', url]),
      run(['copy'], {env: {FROM: url, TO: url}}),
      run(['import', '--store', url, url]),
      run(['export', `--stor=${url}`]),
      run([url]),
    ]);
    for (const {code, stdout, stderr} of ends) {
      t.true(code === 1 || code === 2, url);
      t.is(stdout, '');
      t.notRegex(stderr, new RegExp(secret), url);
      t.notRegex(stderr, /\n {4}at /, 'no stack');
    }
  }
});
