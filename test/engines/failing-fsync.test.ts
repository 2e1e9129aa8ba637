import {spawn, spawnSync} from 'node:child_process';
import {mkdtempSync} from 'node:fs';
import {rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';
import test from 'ava';
import {shortUrl} from '../../src/index.ts';
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
  console.warn(`The test of a failing fsync is skipped: ${reason}`);
  return reason;
}

/** Creates links one after another while some calls of `fsync` fail. Returns the short parts that were answered, by outcome. */
async function createOn(path: string, failing: string): Promise<{readonly done: string[]; readonly failed: string[]}> {
  const strace = [
    '-f',
    '-qq',
    '-o',
    '/dev/null',
    '-e',
    'trace=fsync,fdatasync',
    '-e',
    `inject=fsync,fdatasync:${failing}`,
  ];
  const child = spawn('strace', [...strace, process.execPath, await creating(), `sqlite:${path}`, secret], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(await text(child.stdout)) as {done: string[]; failed: string[]};
}

check(
  'a create whose fsync fails answers 503, and what was acknowledged is there when the disk works again',
  async (t) => {
    t.timeout(120_000);
    const path = join(directory, 'links.db');
    const {done, failed} = await createOn(path, 'error=EIO:when=20..30');
    t.true(failed.length > 0, 'some creates fail');
    t.true(done.length > 0, 'others succeed');
    t.is(done.at(-1), 'link-29', 'the process goes on when the disk works again');

    const site = shortUrl({baseUrl: 'https://example.com', secret, store: `sqlite:${path}`});
    t.teardown(() => site.close());
    const listed = new Set<string>();
    for await (const {shortUrlPart} of site.links.list('ann')) listed.add(shortUrlPart);
    t.deepEqual(
      done.filter((slug) => !listed.has(slug)),
      [],
    );
  },
);
