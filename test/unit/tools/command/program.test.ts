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
  {stdout = new Output(), stderr = new Output(), stdin = ''} = {},
): Promise<{code: number; stdout: string; stderr: string}> {
  const surroundings = {env: {}, stdin: Readable.from([stdin]), stdout, stderr} as unknown as Surroundings;
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
  const args = [
    'import',
    '--store',
    store,
    '--account',
    'ann',
    '--base-url',
    'https://example.com',
    '--format',
    'csv',
    '-',
  ];
  const stdin = `short_part,url\n${'foo/bar,https://a.example/\n'.repeat(300)}good,https://b.example/\n`;
  const {code, stdout} = await run(args, {stderr: new Output('EPIPE'), stdin});
  t.is(code, 1);
  t.like(JSON.parse(stdout), {imported: 1, rejected: 300});
  const full = await run(args, {stdout: new Output('ENOSPC'), stdin});
  t.is(full.code, 1);
  t.regex(full.stderr, /\nkoa-short-url: ENOSPC: write\n$/);
  t.is((await shortener.links.page('ann')).links.length, 1);
});
