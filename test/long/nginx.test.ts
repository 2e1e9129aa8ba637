import {execFileSync, spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {chmod, readFile, writeFile} from 'node:fs/promises';
import type {IncomingMessage} from 'node:http';
import {Agent, request} from 'node:https';
import {text} from 'node:stream/consumers';
import test, {type ExecutionContext} from 'ava';
import {buildApp, type Site} from '../../examples/host-app/app.ts';
import {standard as base64} from '../support/base64.ts';
import {temporaryFolder} from '../support/folder.ts';
import {serve} from '../support/listen.ts';
import {eventually} from '../support/store/eventually.ts';
import {freePort} from '../support/store/redis-server.ts';

const nginx = '/usr/sbin/nginx';
const check = whyNoNginx() === undefined ? test.serial : test.serial.skip;

function whyNoNginx(): string | undefined {
  const {error} = spawnSync(nginx, ['-v']);
  if (error === undefined) return undefined;
  if (process.env['CI'] === 'true') throw error;
  const reason = 'nginx is not installed';
  console.warn(`Tests behind it are skipped: ${reason}`);
  return reason;
}

interface Ask {
  readonly host?: string;
  readonly headers?: Record<string, string>;
  /** The client's address, in 127.0.0.0/8. */
  readonly from?: string;
}

interface Reply {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

interface Front extends Site {
  readonly key: string;
  /** Requests an exact path over TLS. */
  readonly ask: (path: string, ask?: Ask) => Promise<Reply>;
  /** The same without TLS. */
  readonly askInClear: (path: string) => Promise<Response>;
  /** Ends the site, so that nginx is alone. */
  readonly leave: () => Promise<void>;
  /** Ends nginx, and returns its logs. */
  readonly logs: () => Promise<{access: string; error: string}>;
}

/** The example site behind nginx with the lines of SECURITY.md. */
async function start(t: ExecutionContext): Promise<Front> {
  const site = buildApp({
    baseUrl: 'https://example.com',
    baseDomains: ['sho.rt'],
    store: 'memory:',
    secret: 'a secret for tests, and for nothing else',
    proxy: true,
  });
  const {server, port: sitePort} = await serve(t, '127.0.0.1');
  const handle = site.app.callback();
  server.on('request', (incoming, response) => void handle(incoming, response));

  const folder = await temporaryFolder(t);
  // If root starts nginx, its workers run as another user.
  await chmod(folder, 0o755);
  const certificate = ['-subj', '/CN=example.com', '-keyout', `${folder}/tls.key`, '-out', `${folder}/tls.pem`];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...certificate], {stdio: 'ignore'});
  const clearPort = await freePort();
  const port = await freePort();
  const page = await readFile('SECURITY.md', 'utf8');
  const lines = (/^```nginx\n(.*?)^```$/ms.exec(page)?.[1] ?? '')
    .replaceAll('127.0.0.1:3000', `127.0.0.1:${sitePort}`)
    .replace('listen 80;', `listen 127.0.0.1:${clearPort};`)
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port} ssl;`)
    .replace('/etc/ssl/example.com.pem', `${folder}/tls.pem`)
    .replace('/etc/ssl/example.com.key', `${folder}/tls.key`)
    .replaceAll('/var/log/nginx/', `${folder}/`);
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  await writeFile(
    `${folder}/nginx.conf`,
    `daemon off; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
events {}
http {
${places.join('\n')}
${lines}}
`,
  );
  const front = spawn(nginx, ['-c', `${folder}/nginx.conf`, '-e', `${folder}/error.log`], {stdio: 'inherit'});
  const end = once(front, 'exit');
  const agent = new Agent({rejectUnauthorized: false});
  const leave = async () => {
    server.closeAllConnections();
    server.close();
    await site.close();
  };
  t.teardown(async () => {
    agent.destroy();
    front.kill('SIGTERM');
    await end;
    await leave();
  });

  const ask = async (path: string, {host = 'example.com', headers = {}, from = '127.0.0.1'}: Ask = {}) => {
    const settings = {host: '127.0.0.1', port, agent, localAddress: from, servername: 'example.com'};
    const outgoing = request({...settings, path, headers: {...headers, Host: host}}).end();
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    return {status: incoming.statusCode, headers: incoming.headers, text: await text(incoming)};
  };
  await eventually(() => ask('/about'));
  const {apiKey} = await site.shortener.accounts.create('user-42');
  return {
    ...site,
    key: apiKey,
    ask,
    askInClear: (path) => fetch(`http://127.0.0.1:${clearPort}${path}`, {redirect: 'manual'}),
    leave,
    async logs() {
      front.kill('SIGQUIT');
      await end;
      const read = (name: string) => readFile(`${folder}/${name}.log`, 'utf8');
      return {access: await read('access'), error: await read('error')};
    },
  };
}

check(
  'a URL passes nginx unchanged: with a slash at the end of its base64, escaped, and of the maximum length',
  async (t) => {
    const front = await start(t);
    const slashes = 'https://example.org/?>>>>??';
    t.regex(base64(slashes), /\+.*\/$/);
    const long = `https://example.org/${'?'.repeat(8192 - 20)}`;
    for (const [value, url] of [
      [base64(slashes), slashes],
      [encodeURIComponent(base64(slashes)), slashes],
      [base64(long), long],
    ] as const) {
      const path = `/api/v1/${front.key}/shorturl/create/url/${value}/expiry_date/2999-12-31.json`;
      const {status, text} = await front.ask(path);
      t.is(status, 200, text);
      t.is((JSON.parse(text) as {data: {original_url: string}}).data.original_url, url);
    }
  },
);

check('behind nginx the client and the host are the real ones, whatever headers the client sends', async (t) => {
  const {ask, key, shortener} = await start(t);
  const seen: string[] = [];
  shortener.events.on('denied', ({ip}) => seen.push(ip));
  const lies = {'X-Forwarded-For': '203.0.113.9', 'X-Real-IP': '203.0.113.9', Forwarded: 'for=203.0.113.9'};
  const {status} = await ask(`/api/v1/${'x'.repeat(key.length)}/shorturl/list_active_urls.json`, {
    from: '127.0.0.5',
    headers: lies,
  });
  t.is(status, 401);
  t.deepEqual(seen, ['127.0.0.5']);

  const {shortUrlPart} = await shortener.links.create('user-42', {url: 'https://example.org/', baseDomain: 'sho.rt'});
  const visit = (host: string, claimed: string) =>
    ask(`/${shortUrlPart}`, {host, headers: {'X-Forwarded-Host': claimed}});
  const {status: answer, headers} = await visit('sho.rt', 'example.com');
  t.is(answer, 302);
  t.is(headers.location, 'https://example.org/');
  t.regex(String(headers['strict-transport-security']), /^max-age=/);
  t.is((await visit('example.com', 'sho.rt')).status, 404);
});

check('no log of nginx has a key or a password, also of mistyped and refused calls and without the site', async (t) => {
  const {ask, askInClear, key, leave, logs} = await start(t);
  const tail = `shorturl/create/password/s3cret/url/${base64('https://example.org/')}.json`;
  const paths = [
    `/api/v1/${key}/${tail}`,
    `//API//v1//${key}/${tail}`,
    `/api%2Fv1%2F${key}/${tail}`,
    `/${key}/${tail}`,
  ];
  for (const path of paths) await ask(path);
  t.is((await askInClear(paths[0] ?? '')).status, 403);
  const page = await askInClear('/about?a=b');
  t.is(page.status, 308);
  t.is(page.headers.get('location'), 'https://127.0.0.1/about?a=b');

  const many = await Promise.all(Array.from({length: 100}, () => ask(`/api/v1/${key}/shorturl/list_active_urls.json`)));
  t.true(many.some(({status}) => status === 429));
  t.true(many.filter(({status}) => status === 200).length >= 30);
  await leave();
  t.is((await ask(`/api/v1/${key}/${tail}`, {from: '127.0.0.6'})).status, 502);
  t.is((await ask('/about', {from: '127.0.0.6'})).status, 502);

  const {access, error} = await logs();
  t.regex(access, /^127\.0\.0\.6 \[\S+\] GET \/api\/v1\/\.\.\. 502 \d+$/m);
  t.regex(access, /GET \/about 502/);
  t.regex(error, /connect\(\) failed .* "GET \/about/);
  for (const secret of [key, 's3cret', base64('https://example.org/')]) {
    t.false(access.includes(secret), access);
    t.false(error.includes(secret), error);
  }
});
