import '../support/quick-scrypt.ts';
import {spawn, spawnSync} from 'node:child_process';
import {mkdtempSync} from 'node:fs';
import {rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';
import test, {type ExecutionContext} from 'ava';
import {shortUrl} from '../../src/index.ts';
import {anyClient} from '../../src/store/engines/sqlite/client.ts';
import {compiled} from '../support/engines/compiled.ts';

const secret = 'a-secret-of-good-length-0123456789';
const directory = mkdtempSync(join(tmpdir(), 'koa-short-url-'));
test.after.always(() => rm(directory, {recursive: true, force: true}));

const creating = compiled('test/support/engines/creating.ts');
const whyNot = whyNoTrace();
const check = whyNot === undefined ? test.serial : test.serial.skip;

/** Why system calls cannot be made to fail here, which fails in CI. */
function whyNoTrace(): string | undefined {
  const {status, error, stderr} = spawnSync('strace', ['-qq', '-e', 'trace=none', 'true'], {encoding: 'utf8'});
  if (status === 0) return undefined;
  const reason = `strace cannot run: ${error?.message ?? stderr}`;
  if (process.env['CI'] === 'true') throw new Error(reason);
  console.warn(`The tests of a failing disk are skipped: ${reason}`);
  return reason;
}

/** The short parts of creates by their outcome, and what health() said after the first failure and at the end. */
interface Outcome {
  readonly done: string[];
  readonly failed: string[];
  readonly whileFailing: string | null;
  readonly atEnd: string | null;
}

/**
 * Creates links one after another while some system calls on the files of a database fail.
 *
 * @param calls their names
 * @param failing how they fail, in the words of strace
 */
async function createOn(path: string, calls: string, failing: string, ends = ['', '-wal']): Promise<Outcome> {
  const files = ends.flatMap((end) => ['-P', path + end]);
  const strace = ['-f', '-qq', '-o', '/dev/null', ...files, '-e', `trace=${calls}`, '-e', `inject=${calls}:${failing}`];
  const child = spawn('strace', [...strace, process.execPath, await creating(), `sqlite:${path}`, secret], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(await text(child.stdout)) as Outcome;
}

/** Fails unless another process finds the links. */
async function areThere(t: ExecutionContext, path: string, slugs: readonly string[]): Promise<void> {
  const site = shortUrl({baseUrl: 'https://example.com', secret, store: `sqlite:${path}`});
  t.teardown(() => site.close());
  const listed = new Set<string>();
  for await (const {shortUrlPart} of site.links.list('ann')) listed.add(shortUrlPart);
  t.deepEqual(
    slugs.filter((slug) => !listed.has(slug)),
    [],
  );
}

const faults = [
  {name: 'fsync fails', calls: 'fsync,fdatasync', failing: 'error=EIO:when=20..30', file: 'fsync.db'},
  {name: 'file system is read-only', calls: 'pwrite64', failing: 'error=EROFS:when=60..70', file: 'read-only.db'},
];

for (const {name, calls, failing, file} of faults) {
  check(
    `a create whose ${name} answers 503, health() says why, and what was acknowledged is there later`,
    async (t) => {
      t.timeout(120_000);
      const path = join(directory, file);
      const {done, failed, whileFailing, atEnd} = await createOn(path, calls, failing);
      t.true(failed.length > 0, 'some creates fail');
      t.regex(String(whileFailing), /^The store refused to write: its disk fails\./);
      t.true(done.length > 0, 'others succeed');
      t.is(done.at(-1), 'link-29', 'the process goes on when the disk works again');
      t.is(atEnd, null);
      await areThere(t, path, done);
    },
  );
}

check('in a folder that is read-only SQLite refuses each create, and health() says why', async (t) => {
  t.timeout(120_000);
  const path = join(directory, 'folder.db');
  const connection = (await anyClient()).open(path);
  connection.exec('pragma journal_mode = wal');
  connection.close();
  const {done, failed, whileFailing, atEnd} = await createOn(path, 'openat', 'error=EACCES', ['-wal', '-journal']);
  t.deepEqual(done, []);
  t.is(failed.length, 30);
  t.regex(String(whileFailing), /^The file of the store was refused: it cannot be opened or written/);
  t.is(atEnd, whileFailing);
});
