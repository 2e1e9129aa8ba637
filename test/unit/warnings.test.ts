import {execFile} from 'node:child_process';
import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {promisify} from 'node:util';
import test from 'ava';
import Koa from 'koa';
import {shortUrl} from '../../src/index.ts';
import {temporaryDirectory} from '../support/store/temporary.ts';
import {listen} from '../support/listen.ts';
import {warningsOf} from '../support/warnings.ts';

const secret = 'a-secret-of-good-length-0123456789';
const login = 'keeper:hunter2';

const folder = temporaryDirectory();

async function notADatabase(name: string): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, 'This is not a database. '.repeat(100));
  return `sqlite:${file}`;
}

test.serial('a store that refuses its file prints one warning with the cause', async (t) => {
  const store = await notADatabase('links.db');
  const warnings = await warningsOf(async () => {
    const shortener = shortUrl({baseUrl: 'https://example.com', store, secret});
    for (let call = 0; call < 3; call += 1) {
      const error = await t.throwsAsync(shortener.accounts.create('user-42'), {code: 'store_unavailable'});
      t.regex(error.message, /The file of the store was refused/);
    }
    await shortener.close();
  });
  // Node.js 22 says besides that its SQLite is experimental.
  const own = warnings.filter(({name}) => name === 'ShortUrlWarning');
  t.is(own.length, 1);
  t.regex(String(own[0]?.message), /refused.*Cause: file is not a database/);
});

test('API answers and pages do not tell visitors why the store failed', async (t) => {
  const shortener = shortUrl({baseUrl: 'http://127.0.0.1', store: await notADatabase('spoiled.db'), secret});
  shortener.events.on('error', () => undefined);
  const {port} = await listen(t, new Koa().use(shortener));
  t.teardown(() => shortener.close());
  for (const path of [`/api/v1/${'x'.repeat(32)}-1/shorturl/list_active_urls`, '/unseen']) {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {headers: {Accept: 'application/json'}});
    t.is(answer.status, 503);
    t.like(await answer.json(), {
      code: 503,
      data: {error: 'store_unavailable', message: 'The store is not available. Try again later.'},
    });
  }
});

test('a site without a listener prints the warning on standard error', async (t) => {
  await writeFile(
    join(folder, 'site.mts'),
    `import {shortUrl} from ${JSON.stringify(new URL('../../src/index.ts', import.meta.url).href)};
     const shortener = shortUrl({baseUrl: 'https://example.com', store: 'redis://${login}@127.0.0.1:1', secret: '${secret}'});
     await shortener.ready().catch(() => undefined);
     await shortener.close();`,
  );
  const {stdout, stderr} = await promisify(execFile)(process.execPath, ['--import', 'tsx', join(folder, 'site.mts')]);
  t.is(stdout, '');
  t.regex(
    stderr,
    /^\(node:\d+\) \[store_unavailable\] ShortUrlWarning: The store did not answer\. Cause: .*ECONNREFUSED/m,
  );
  t.notRegex(stderr, /hunter2/);
});
