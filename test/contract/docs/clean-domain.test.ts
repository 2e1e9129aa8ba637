import '../../support/quick-scrypt.ts';
import {once} from 'node:events';
import {readFile} from 'node:fs/promises';
import http, {createServer, type RequestListener} from 'node:http';
import https from 'node:https';
import type {AddressInfo} from 'node:net';
import {BlockList, isIP} from 'node:net';
import {compileFunction} from 'node:vm';
import test, {type ExecutionContext} from 'ava';
import {type ShortUrl, shortUrl, type ShortUrlOptions} from '../../../src/index.ts';
import {blocksOf} from '../../support/pages.ts';

const page = await readFile('docs/clean-domain.md', 'utf8');
const [site = '', dangerous = '', addresses = '', dead = '', job = '', events = ''] = blocksOf(page).map(
  ({code}) => code,
);

/** Runs blocks of the page, with what they take from their surroundings. Returns what `result` is in them. */
function run(code: string, result: string, names: object = {}): unknown {
  const program = compileFunction(`${code}\nreturn ${result};`, Object.keys(names)) as (
    ...values: unknown[]
  ) => unknown;
  return program(...(Object.values(names) as unknown[]));
}

const isPublic = run(addresses, 'isPublic', {BlockList, isIP}) as (address: string) => boolean;

type DeadBecause = (url: string) => Promise<string | undefined>;

/** A server on this machine. Returns its port. */
async function serve(t: ExecutionContext, answer: RequestListener): Promise<number> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

type Lookup = (
  host: string,
  options: object,
  done: (error: Error | null, addresses?: ReadonlyArray<{address: string; family: number}>) => void,
) => void;

/** Names of this test. Each lookup of `rebinding.example` leads elsewhere. */
function names(): {lookup: Lookup; asked: string[]} {
  const asked: string[] = [];
  const known: Readonly<Record<string, readonly string[]>> = {
    'page.example': ['127.0.0.1'],
    'inside.example': ['10.0.0.1'],
    'both.example': ['127.0.0.1', '192.168.0.1'],
  };
  const lookup: Lookup = (host, _, done) => {
    asked.push(host);
    const rebound = asked.filter((each) => each === host).length > 1 ? ['10.0.0.1'] : ['127.0.0.1'];
    const found = host === 'rebinding.example' ? rebound : known[host];
    if (found === undefined) done(Object.assign(new Error('There is no such name'), {code: 'ENOTFOUND'}));
    else
      done(
        null,
        found.map((address) => ({address, family: 4})),
      );
  };
  return {lookup, asked};
}

/** Only the servers of this test count as public. */
const isOfTest = (address: string): boolean => address === '127.0.0.1';

test('public addresses are those that the Internet routes', (t) => {
  for (const address of ['93.184.215.14', '8.8.8.8', '172.15.0.1', '172.32.0.1', '2606:4700::1111', '2a00:1450::1']) {
    t.true(isPublic(address), address);
  }
  for (const address of [
    ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '127.0.0.1', '127.255.0.1', '169.254.169.254', '172.16.0.1'],
    ...['172.31.255.255', '192.168.1.1', '198.18.0.1', '224.0.0.1', '255.255.255.255', '203.0.113.5'],
    ...['::', '::1', 'fe80::1', 'fc00::1', 'fd00:ec2::254', '::ffff:10.0.0.1', '::ffff:127.0.0.1', '64:ff9b::a00:1'],
    ...['2002:a00:1::', '2001:db8::1', 'ff02::1', ''],
  ]) {
    t.false(isPublic(address), address);
  }
});

test('a page is dead if it answers 404 or 410 or its domain is gone, and not if it refuses robots or fails', async (t) => {
  const requests: string[] = [];
  const port = await serve(t, ({method = '', url = ''}, response) => {
    requests.push(`${method} ${url}`);
    const [, status = '200', to = ''] = /^\/(\d+)(?:\/(.*))?$/.exec(url) ?? [];
    if (url === '/no-head' && method === 'HEAD') response.writeHead(404).end();
    else if (url === '/endless') response.writeHead(200).flushHeaders();
    else if (url === '/circle') response.writeHead(302, {Location: '/circle'}).end();
    else response.writeHead(Number(status), to === '' ? {} : {Location: decodeURIComponent(to)}).end('page');
  });
  const {lookup} = names();
  const scope = {lookup, http, https, isIP, isPublic: isOfTest};
  const deadBecause = run(dead, 'deadBecause', scope) as DeadBecause;
  const at = (path: string, host = 'page.example'): string => `http://${host}:${port}${path}`;
  const to = (url: string): string => at(`/302/${encodeURIComponent(url)}`);
  for (const [url, reason] of [
    [at('/200'), undefined],
    [at('/no-head'), undefined],
    [at('/endless'), undefined],
    [at('/404'), 'The page answers 404'],
    [at('/410'), 'The page answers 410'],
    ...[401, 403, 429].map((status) => [at(`/${status}`), undefined] as const),
    [at('/304'), undefined],
    [to(at('/200')), undefined],
    [to('/404'), 'The page answers 404'],
    [to(at('/200', 'gone.example')), 'The domain does not exist'],
    [at('/circle'), 'The page redirects in circles'],
    [at('/200', 'gone.example'), 'The domain does not exist'],
    ['mailto:ann@mail.example', undefined],
  ] as const) {
    t.is(await deadBecause(url), reason, url);
  }
  await t.throwsAsync(deadBecause(at('/503')), {message: 'The page answers 503'});
  await t.throwsAsync(deadBecause('http://page.example:1/'), {code: 'ECONNREFUSED'});
  t.deepEqual(
    requests.filter((each) => each.endsWith('/no-head')),
    ['HEAD /no-head', 'GET /no-head'],
  );

  requests.length = 0;
  for (const url of [
    at('/404', 'inside.example'),
    at('/404', 'both.example'),
    at('/404', '127.0.0.2'),
    at('/404', '2130706434'),
    at('/404', '[::1]'),
    at('/404', '[::ffff:127.0.0.1]'),
    to(at('/404', '169.254.169.254')),
    to(at('/404', 'inside.example')),
  ]) {
    t.is(await deadBecause(url), undefined, url);
  }
  t.deepEqual(
    requests.filter((each) => !each.includes('/302/')),
    [],
  );
});

test('a name that leads elsewhere after it was checked is refused at each connection', async (t) => {
  let requests = 0;
  const port = await serve(t, (_, response) => {
    requests += 1;
    response.writeHead(404).end();
  });
  const {lookup, asked} = names();
  const scope = {lookup, http, https, isIP, isPublic: isOfTest};
  const deadBecause = run(dead, 'deadBecause', scope) as DeadBecause;
  t.is(await deadBecause(`http://rebinding.example:${port}/`), undefined);
  t.deepEqual([asked.length, requests], [2, 1]);
});

test('the job blocks what the service reports, marks what is dead, goes on after a restart and tells the owners', async (t) => {
  const pages = await serve(t, ({url}, response) => {
    response.writeHead(url === '/dead' ? 404 : 200).end();
  });
  let isDown = false;
  const service = await serve(t, ({url = ''}, response) => {
    const asked = new URL(url, 'http://service.example').searchParams;
    t.deepEqual(asked.getAll('threatTypes'), ['MALWARE', 'SOCIAL_ENGINEERING']);
    t.is(asked.get('key'), 'a key');
    const isBad = asked.get('uri')?.includes('bad') === true;
    response.writeHead(isDown ? 503 : 200, {'Content-Type': 'application/json'});
    response.end(JSON.stringify(isBad ? {threat: {threatTypes: ['SOCIAL_ENGINEERING']}} : {}));
  });
  const process = {
    env: {WEB_RISK_URL: `http://127.0.0.1:${service}/v1/uris:search`, WEB_RISK_KEY: 'a key', DATABASE_URL: 'memory:'},
  };
  const shortener = run(site, 'shortener', {
    process,
    shortUrl: (options: ShortUrlOptions) => shortUrl({...options, secret: 'a secret of good length, for tests'}),
  }) as ShortUrl;
  t.teardown(() => shortener.close());
  const mails: string[] = [];
  run(events, 'undefined', {shortener, mail: (account: string, text: string) => mails.push(`${account}: ${text}`)});
  await shortener.accounts.create('ann');
  const url = `http://page.example:${pages}`;
  for (const name of ['fine', 'dead', 'bad'])
    await shortener.links.create('ann', {url: `${url}/${name}`, customUrl: name});
  const rules = [{device: 'ios' as const, url: `${url}/bad`}];
  await shortener.links.create('ann', {url: `${url}/fine`, customUrl: 'rule', rules});

  const {lookup} = names();
  const printed: unknown[] = [];
  const console = {
    log: (...values: unknown[]) => printed.push(values),
    error: (...values: unknown[]) => printed.push(values),
  };
  const scope = {process, shortener, lookup, http, https, isIP, isPublic: isOfTest, console, fetch, AbortSignal, URL};
  interface Saved {
    get: () => Promise<string | undefined>;
    set: (cursor: string | undefined) => Promise<void>;
  }
  const recheckAll = run(`${dangerous}${dead}${job}`, 'recheckAll', scope) as (saved: Saved) => Promise<void>;
  let cursor: string | undefined;
  let saves = 0;
  const saved: Saved = {
    get: async () => cursor,
    set: async (next) => {
      cursor = next;
      if ((saves += 1) === 2) throw new Error('The process ends');
    },
  };
  await t.throwsAsync(recheckAll(saved), {message: 'The process ends'});
  t.not(cursor, undefined);
  await recheckAll(saved);
  t.is(cursor, undefined);
  const infos = await Promise.all(
    ['fine', 'dead', 'bad', 'rule'].map(async (name) => {
      const {isBlocked = false, broken} = await shortener.links.info('ann', `https://exm.pl/${name}`);
      return [name, isBlocked, broken?.reason];
    }),
  );
  t.deepEqual(infos, [
    ['fine', false, undefined],
    ['dead', false, 'The page answers 404'],
    ['bad', true, undefined],
    ['rule', true, undefined],
  ]);
  t.deepEqual(mails.toSorted(), [
    'ann: https://exm.pl/bad was blocked: Reported as dangerous. Write to us if that is wrong.',
    'ann: https://exm.pl/dead leads nowhere: The page answers 404. Change its long URL, or disable it.',
    'ann: https://exm.pl/rule was blocked: Reported as dangerous. Write to us if that is wrong.',
  ]);

  isDown = true;
  printed.length = 0;
  await recheckAll(saved);
  t.true(printed.every((values) => String(values).includes('Web Risk answers 503')));
  t.not((await shortener.links.info('ann', 'https://exm.pl/dead')).broken, null);
});
