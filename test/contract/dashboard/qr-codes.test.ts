import '../../support/quick-scrypt.ts';
import {execFileSync} from 'node:child_process';
import {mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import test, {type ExecutionContext} from 'ava';
import {fieldsIn, open, type Stage, textOf} from '../../support/dashboard.ts';

/** The files of an archive, as another program unpacks it. */
function unpacked(t: ExecutionContext, archive: Uint8Array): Map<string, Buffer> {
  const folder = mkdtempSync(path.join(tmpdir(), 'codes-'));
  t.teardown(() => {
    rmSync(folder, {recursive: true});
  });
  const file = path.join(folder, 'codes.zip');
  writeFileSync(file, archive);
  const script =
    'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; z.extractall(sys.argv[2])';
  execFileSync('python3', ['-c', script, file, path.join(folder, 'out')]);
  const names = readdirSync(path.join(folder, 'out')).sort();
  return new Map(names.map((name) => [name, readFileSync(path.join(folder, 'out', name))]));
}

async function download(
  {home, visitor}: Stage,
  fields: Readonly<Record<string, string>>,
): Promise<{status: number; type: string | null; disposition: string | null; bytes: Uint8Array}> {
  const body = new URLSearchParams({_token: await visitor('ann').token(), ...fields});
  const headers = {'X-User': 'ann', 'Sec-Fetch-Site': 'same-origin'};
  const answer = await fetch(`${home}qr.zip`, {method: 'POST', body, headers});
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const {headers: sent} = answer;
  return {status: answer.status, type: sent.get('Content-Type'), disposition: sent.get('Content-Disposition'), bytes};
}

test('the QR codes of the links of a tag are one file, in a form and size of choice', async (t) => {
  const stage = await open(t);
  const {links} = stage.shortener;
  for (const customUrl of ['Spring', 'spring']) {
    await links.create('ann', {url: 'https://example.org/', customUrl, tags: ['mail']});
  }
  await links.create('ann', {url: 'https://example.org/', customUrl: 'other'});
  const page = (await stage.visitor('ann').get('qr-codes?tag=mail')).text;
  t.regex(page, /<h1>QR codes of 2 links<\/h1>/);
  const {short_urls = ''} = fieldsIn(page, './qr.zip');

  const png = await download(stage, {short_urls, format: 'png', size: '400'});
  t.like(png, {status: 200, type: 'application/zip', disposition: 'attachment; filename="qr-codes.zip"'});
  const files = unpacked(t, png.bytes);
  // A file system that ignores case keeps both.
  t.deepEqual([...files.keys()], ['Spring-2.png', 'spring.png']);
  t.deepEqual(files.get('spring.png'), await links.qr('ann', `${stage.origin}/spring`, {format: 'png', size: 400}));

  const svg = unpacked(t, (await download(stage, {short_urls, format: 'svg', size: '200'})).bytes);
  t.is(svg.get('spring.svg')?.toString(), await links.qr('ann', `${stage.origin}/spring`, {format: 'svg', size: 200}));
});

test('a file of QR codes has names that Windows takes, and the titles below the codes if the user wants them', async (t) => {
  const stage = await open(t);
  const {links} = stage.shortener;
  const names = ['con', 'NUL', 'com1', 'lpt9.x', 'console', 'aux-1'];
  for (const customUrl of names) {
    const title = customUrl === 'con' ? `<A> & ${'long words '.repeat(10).trim()}` : undefined;
    await links.create('ann', {url: 'https://example.org/', customUrl, title});
  }
  const short_urls = names.map((name) => `${stage.origin}/${name}`).join('\n');
  const {bytes} = await download(stage, {short_urls, format: 'captioned', size: '400'});
  const files = unpacked(t, bytes);
  t.deepEqual([...files.keys()].sort(), [
    'NUL-.svg',
    'aux-1.svg',
    'com1-.svg',
    'con-.svg',
    'console.svg',
    'lpt9-.x.svg',
  ]);
  const code = files.get('con-.svg')?.toString() ?? '';
  t.true(code.includes('>&lt;A&gt; &amp; long words long words<'), code.slice(-600));
  t.is(code.split('<text').length, 3);
  t.is(
    files.get('console.svg')?.toString(),
    await links.qr('ann', `${stage.origin}/console`, {format: 'svg', size: 400}),
  );
});

test('the QR codes of selected links are asked for on a page', async (t) => {
  const {visitor, shortener, origin} = await open(t);
  for (const customUrl of ['a', 'b', 'c'])
    await shortener.links.create('ann', {url: 'https://example.org/', customUrl});
  const selected = {selected_0: `${origin}/c`, selected_2: `${origin}/a`};
  const {status, text} = await visitor('ann').post('selection', {...selected, do: 'qr'});
  t.is(status, 200);
  t.true(textOf(text).includes('QR codes of 2 links'));
  t.is(fieldsIn(text, './qr.zip')['short_urls'], `${origin}/c\n${origin}/a`);
  t.is((await visitor('ann').post('selection', {do: 'qr'})).status, 400);
});

test('a wrong width is explained, and links of others have no QR codes here', async (t) => {
  const stage = await open(t);
  const {shortener, origin, visitor} = stage;
  await shortener.accounts.create('bob');
  await shortener.links.create('bob', {url: 'https://example.org/', customUrl: 'bobs', tags: ['mail']});
  await shortener.links.create('ann', {url: 'https://example.org/', customUrl: 'anns'});
  for (const size of ['', '199', '2001', '300.5', 'x']) {
    const {status, bytes} = await download(stage, {short_urls: `${origin}/anns`, format: 'png', size});
    t.is(status, 400, size);
    t.true(textOf(Buffer.from(bytes).toString()).includes('Enter a width from 200 to 2,000.'), size);
  }
  t.is((await download(stage, {short_urls: `${origin}/bobs`, format: 'png', size: '300'})).status, 404);
  const both = await download(stage, {short_urls: `${origin}/bobs\n${origin}/anns`, format: 'svg', size: '300'});
  t.deepEqual([...unpacked(t, both.bytes).keys()], ['anns.svg'], 'one that is not theirs keeps no other from it');
  t.is((await download(stage, {short_urls: '', format: 'png', size: '300'})).status, 404);
  t.is((await visitor('ann').get('qr-codes?tag=mail')).status, 404);
  const stale = await visitor('ann').post('qr.zip', {
    _token: 'old',
    short_urls: `${origin}/anns`,
    format: 'svg',
    size: '300',
  });
  t.is(stale.status, 403);
});
