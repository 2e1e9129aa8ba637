import '../support/quick-scrypt.ts';
import {spawnSync} from 'node:child_process';
import {mkdtempSync, rmdirSync} from 'node:fs';
import {rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test from 'ava';
import {redirects, refused} from '../support/answers.ts';
import type {Reply} from '../support/request.ts';
import {startSite} from '../support/site.ts';
import {eventually} from '../support/store/eventually.ts';

const directory = mkdtempSync(join(tmpdir(), 'koa-short-url-'));
const whyNoDisk = mountSmallDisk();
const check = whyNoDisk === undefined ? test.serial : test.serial.skip;
test.after.always(() => {
  // The client closes its file only when its statements are collected.
  spawnSync('umount', ['--lazy', directory]);
  rmdirSync(directory);
});

/** Mounts a disk of 2 MB. Returns why it cannot, which fails in CI. */
function mountSmallDisk(): string | undefined {
  const {status, stderr} = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', directory], {encoding: 'utf8'});
  if (status === 0) return undefined;
  const reason = `no disk can be mounted: ${stderr}`;
  if (process.env['CI'] === 'true') throw new Error(reason);
  console.warn(`Tests on a full disk are skipped: ${reason}`);
  return reason;
}

check('on a full disk SQLite refuses links, redirects go on, and nothing that was acknowledged is lost', async (t) => {
  const other = join(directory, 'other');
  await writeFile(other, Buffer.alloc(1_000_000));
  const site = await startSite(t, {
    shortUrl: {store: `sqlite:${join(directory, 'links.db')}`, secret: 'a-secret-of-good-length-0123456789'},
  });
  site.shortener.events.on('error', () => undefined);
  const url = `https://destination.example/${'a'.repeat(1500)}`;
  const seen = await site.create({url});
  redirects(t, await site.visit(seen.short_url), url);
  let visits = 1;

  const create = (): Promise<Reply> => site.api('create', {url, custom_url: `full-${answered.length}`});
  const answered: string[] = [];
  let last = await create();
  for (; last.status === 200; last = await create()) answered.push(`${site.baseUrl}/full-${answered.length}`);
  refused(t, last, 'store_unavailable');
  for (; visits < 20; visits += 1) redirects(t, await site.visit(seen.short_url), url);
  const {isReady, failure, unstoredVisits} = await site.shortener.health();
  t.true(isReady);
  t.true(unstoredVisits > 0);
  t.regex(String(failure), /^The store refused to write: it has no room\./);

  await rm(other);
  await eventually(async () => {
    await site.create({url});
  });
  await eventually(async () => {
    const {total_visits} = await site.info(seen.short_url);
    if (total_visits < visits) throw new Error(`${total_visits} of ${visits} visits`);
  });
  t.is((await site.info(seen.short_url)).total_visits, visits);
  t.is((await site.shortener.health()).failure, null);
  const listed = new Set(await site.list());
  for (const link of answered) t.true(listed.has(link), `${link} was answered 200`);
});
