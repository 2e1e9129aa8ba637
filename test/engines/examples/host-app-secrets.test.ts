import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtemp, readdir, readFile, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import {missingRedis, RedisServer} from '../../support/store/redis-server.ts';
import {formsOf, secretsIn} from '../../support/secrets.ts';
import {apiKeyOf, Browser, dashboardTokenOf} from '../../support/examples/browser.ts';
import {createLink} from '../../support/examples/stage.ts';

const server = new URL('../../../examples/host-app/server.ts', import.meta.url).pathname;
const noRedis = await missingRedis();
const secret = 'Secret-of-the-site/with some+signs&0123456789';
const base64 = (text: string): string => Buffer.from(text).toString('base64url');

interface Running {
  readonly origin: string;
  /** The output and the errors of the process. */
  readonly written: () => string;
  readonly end: () => Promise<void>;
}

async function start(t: ExecutionContext, store: string): Promise<Running> {
  const child = spawn(process.execPath, ['--import', 'tsx', server], {
    env: {PATH: process.env['PATH'], PORT: '0', STORE: store, SHORT_URL_SECRET: secret},
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  let written = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (written += String(data)));
  await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
  const origin = /http:\/\/\S+/.exec(written)?.[0];
  if (origin === undefined) throw new Error(`The server did not start: ${written}`);
  const end = async (): Promise<void> => {
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  return {origin, written: () => written, end};
}

/** Uses the site as a user, a program and a visitor, with mistakes; returns all secrets involved. */
async function live(t: ExecutionContext, origin: string): Promise<Record<string, string>> {
  const secrets: Record<string, string> = {
    secret,
    'password of the user': 'Anchor, reef & Tide 7',
    'wrong password of the user': 'Anchor, reef & Tide 8',
    'password of a link': 'Mussels? 100% #fresh',
    'password of a link made in a form': 'Cockles+and=chips',
    'wrong password of a link': 'Winkles/with;salt',
    'password in a mistyped call': 'Barnacle-on-the-hull',
  };
  const of = (name: string): string => secrets[name] ?? '';
  const email = 'ada@example.org';
  const browser = new Browser(origin);
  await browser.submit('/register', '/register', {email, password: of('password of the user')});
  const other = new Browser(origin);
  t.is((await other.submit('/login', '/login', {email, password: of('wrong password of the user')})).status, 401);
  t.is((await other.submit('/login', '/login', {email, password: of('password of the user')})).status, 303);
  const account = (await browser.open('/account/api')).text;
  secrets['API key'] = apiKeyOf(account) ?? '';
  secrets['token of a form'] = dashboardTokenOf(account);
  await createLink(browser, {
    url: 'https://a.example/',
    custom_url: 'form',
    password: of('password of a link made in a form'),
  });

  const call = async (key: string, rest: string): Promise<number> =>
    (await fetch(`${origin}/api/v1/${key}/shorturl/${rest}`, {redirect: 'manual'})).status;
  const password = encodeURIComponent(of('password of a link'));
  const url = base64('https://b.example/');
  t.is(await call(secrets['API key'], `create/custom_url/locked/password/${password}/url/${url}.json`), 200);
  t.is(await call(secrets['API key'], `create/custom_url/locked/password/${password}/url/${url}.xml`), 409);
  for (const rest of ['list_active_urls', `info/short_url/${base64(`${origin}/locked`)}`, 'nonsense', 'create/url/!']) {
    await call(secrets['API key'], rest);
  }
  const mistyped = encodeURIComponent(of('password in a mistyped call'));
  for (const path of [
    `/api/v1/${secrets['API key']}/shorturls/create/password/${mistyped}/url/${url}`,
    `/api/v1/${secrets['API key']}/shorturl/create/pasword/${mistyped}/url/${url}`,
    `/API/V1/${secrets['API key']}/ShortUrl/create/PASSWORD/what?${mistyped}`,
    `/api/v1/${secrets['API key']}/shorturl/create/password/%ZZ${mistyped}/url/${url}`,
    `/about?password=${mistyped}&key=${secrets['API key']}`,
    `/locked?password=${mistyped}`,
  ]) {
    await fetch(origin + path);
  }
  const form = async (name: string): Promise<number> =>
    (await new Browser(origin).post('/locked', {password: of(name)})).status;
  t.is(await form('wrong password of a link'), 401);
  t.is(await form('password of a link'), 303);

  await browser.submit('/account/api', '/account/key', {});
  const page = (await browser.open('/account/api')).text;
  secrets['new API key'] = apiKeyOf(page) ?? '';
  t.is(await call(secrets['API key'], 'list_active_urls'), 401);
  t.is(await call(secrets['new API key'], 'list_active_urls'), 200);
  const cookies = await fetch(`${origin}/login`);
  for (const [index, cookie] of cookies.headers.getSetCookie().entries()) {
    secrets[`cookie ${index}`] = /=([^;]{16,})/.exec(cookie)?.[1] ?? '';
  }
  t.false(Object.values(secrets).includes(''), JSON.stringify(secrets));
  return secrets;
}

test('a secret is found in each of its forms', (t) => {
  const all = {password: 'Mussels? 100% #fresh', key: 'Vt5-hJq2_mZx8WcRk1nBv7TfYp4LsDg9'};
  for (const [name, value] of Object.entries(all)) {
    for (const form of formsOf(value)) t.deepEqual(secretsIn(`before ${form} behind`, all), [name], form);
    for (const before of ['', 'x', 'xy', 'xyz']) {
      for (const encoding of ['base64', 'base64url', 'hex'] as const) {
        t.deepEqual(secretsIn(Buffer.from(`${before}${value}${before}`).toString(encoding), all), [name]);
      }
    }
  }
  t.deepEqual(secretsIn('GET /api/v1/[redacted]/shorturl/create/password/[redacted]', all), []);
});

test("neither the site's output nor its SQLite files have a secret", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'koa-short-url-secrets-'));
  t.teardown(() => rm(folder, {recursive: true}));
  const site = await start(t, `sqlite:${join(folder, 'site.db')}`);
  const secrets = await live(t, site.origin);
  // Before the end, while the write-ahead log still exists.
  const files = await readdir(folder);
  const contents = await Promise.all(files.map((file) => readFile(join(folder, file), 'latin1')));
  await site.end();
  for (const file of ['site.db', 'site.db-users']) contents.push(await readFile(join(folder, file), 'latin1'));

  t.regex(
    site.written(),
    /GET \/api\/v1\/\[redacted\]\/shorturl\/create\/custom_url\/locked\/password\/\[redacted\]\/url/,
  );
  t.deepEqual(secretsIn(site.written(), secrets), []);
  for (const written of ['ada@example.org', 'scrypt$']) t.true(contents.some((content) => content.includes(written)));
  t.deepEqual(secretsIn(contents.join('\n'), secrets), []);
});

const onRedis = noRedis === undefined ? test : test.skip;
onRedis("neither the site's output, also in an outage, nor its Redis has a secret", async (t) => {
  const password = 'Lighthouse:Keeper@7';
  const redis = await RedisServer.start('--requirepass', password);
  t.teardown(() => redis.kill());
  redis.password = password;
  const site = await start(t, `redis://default:${encodeURIComponent(password)}@127.0.0.1:${redis.port}`);
  const secrets: Record<string, string> = {...(await live(t, site.origin)), 'password of the store': password};
  const content = await contentOf(redis);
  await redis.kill();
  const locked = await fetch(`${site.origin}/api/v1/${secrets['new API key'] ?? ''}/shorturl/list_active_urls`);
  t.is(locked.status, 503);
  t.is((await fetch(`${site.origin}/form`)).status, 503);
  t.is((await fetch(`${site.origin}/healthz`)).status, 503);
  await site.end();

  t.regex(site.written(), /store_unavailable/);
  t.deepEqual(secretsIn(site.written(), secrets), []);
  t.true(content.includes('ada@example.org') && content.includes('scrypt$'));
  t.deepEqual(secretsIn(content, secrets), []);
});

async function contentOf(redis: RedisServer): Promise<string> {
  const read: Record<string, (key: string) => string[]> = {
    string: (key) => ['GET', key],
    hash: (key) => ['HGETALL', key],
    set: (key) => ['SMEMBERS', key],
  };
  const keys = (await redis.ask('KEYS', '*')) as string[];
  const values = await Promise.all(
    keys.map(async (key) => {
      const type = String(await redis.ask('TYPE', key));
      const command = read[type]?.(key);
      if (command === undefined) throw new Error(`${key} is a ${type}`);
      return `${key} ${JSON.stringify(await redis.ask(...command))}`;
    }),
  );
  // As stored, without the escapes of JSON.
  return values.join('\n').replaceAll('\\"', '"');
}
