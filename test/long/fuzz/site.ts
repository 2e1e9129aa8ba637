import Koa, {type Context, type Next} from 'koa';
import {type Rule, shortUrl} from '../../../src/index.ts';
import {hostApi, notFound, pages} from '../../support/host.ts';
import {structureOf} from '../../support/documents.ts';
import {listen} from '../../support/listen.ts';
import type {Owner} from '../../support/owner.ts';
import {Clock, type Options} from '../../support/site.ts';

/** The API keys for the requests. */
export interface Keys {
  readonly mine: string;
  readonly theirs: string;
  /** Of the same account as `mine`, with a narrower scope. */
  readonly reading: string;
  readonly creating: string;
  /** Of an account that the operator has blocked. */
  readonly blocked: string;
  /** Rotated away. */
  readonly old: string;
  readonly revoked: string;
  /** Of labelled keys of several accounts. None of them is one of these. */
  readonly ids: readonly string[];
}

/** The keys that work and must not be shown. */
export function secretsOf({mine, theirs, reading, creating, blocked}: Keys): readonly string[] {
  return [mine, theirs, reading, creating, blocked, password];
}

/** Short parts on example.com, each with a link in another state. */
export const slugs = [
  ...(['live', 'wide', 'off', 'past', 'locked', 'few', 'blocked', 'theirs', 'removed'] as const),
  ...(['later', 'ended', 'ruled', 'barred'] as const),
] as const;
/** The most labelled keys of an account. */
const maxKeys = 20;
export const password = 'correct horse: 100 %/?#';

/** A site to be fuzzed, and the faults that no answer shows. */
export interface FuzzSite {
  readonly shortener: ReturnType<typeof shortUrl>;
  readonly clock: Clock;
  readonly port: number;
  readonly keys: Keys;
  /** Failures other than outages that the shortener or Koa reported. No request may cause one. */
  readonly faults: unknown[];
}

export async function startFuzzSite(
  owner: Owner,
  store: Pick<Options, 'store' | 'secret' | 'namespace'>,
): Promise<FuzzSite> {
  const clock = new Clock();
  const baseDomains = ['sho.rt', 'https://go.example.org/x'];
  const shortener = shortUrl({
    baseUrl: 'https://example.com',
    baseDomains,
    now: () => clock.now,
    // Soon reached, because each wrong password costs a tenth of a second.
    passwordAttempts: 1,
    keyAttempts: 1,
    ...store,
  });
  const faults: unknown[] = [];
  const app = new Koa({proxy: true});
  app.on('error', (error: NodeJS.ErrnoException) => {
    // Koa reports clients that disconnect or continue with malformed bytes.
    if (!/^(ECONNRESET|EPIPE|ECONNABORTED|ERR_STREAM_PREMATURE_CLOSE|HPE_\w+)$/.test(error.code ?? ''))
      faults.push(error);
  });
  shortener.events.on('error', (error) => {
    if (error.code !== 'store_unavailable') faults.push(error);
  });
  app.use(shortener).use(refuseStrangeTargets).use(pages('')).use(hostApi('')).use(notFound);
  owner.teardown(() => shortener.close());
  const {port} = await listen(owner, app);
  const keys = await populate(shortener, clock);
  return {shortener, clock, port, keys, faults};
}

/** Koa cannot parse some targets that Node.js accepts, and the host's pages read the path. */
async function refuseStrangeTargets(ctx: Context, next: Next): Promise<void> {
  if (hasPath(ctx)) {
    await next();
    return;
  }
  ctx.status = 400;
  ctx.body = 'No such page on this site.';
}

function hasPath(ctx: Context): boolean {
  try {
    return typeof (ctx.path as unknown) === 'string';
  } catch {
    return false;
  }
}

async function populate({accounts, keys, links, admin}: ReturnType<typeof shortUrl>, clock: Clock): Promise<Keys> {
  const {apiKey: old} = await accounts.create('mine');
  const {apiKey: mine} = await accounts.rotate('mine');
  const {apiKey: theirs} = await accounts.create('theirs');
  const {apiKey: blocked} = await accounts.create('blocked');
  await accounts.create('gone');
  const url = 'https://destination.example/page';
  const wide = 'https://ünïcödé.example/%zz/日本?a=<b>&c="d"\'e\'#]]>😀';
  const {now} = clock;
  clock.set('2031-05-01T12:00:00Z');
  await links.create('mine', {url, customUrl: 'live'});
  await links.create('mine', {url: wide, customUrl: 'wide', reference: 'order 1'});
  await links.create('mine', {url, customUrl: 'off'});
  await links.create('mine', {url, customUrl: 'past', expiryDate: '2031-05-02'});
  await links.create('mine', {url, customUrl: 'locked', password});
  await links.create('mine', {url, customUrl: 'few', maxVisits: 3, title: 'A & B', tags: ['mail', '<tag>']});
  await links.create('mine', {url, customUrl: 'blocked'});
  await links.create('theirs', {url, customUrl: 'theirs'});
  await links.create('gone', {url, customUrl: 'removed'});
  await links.create('blocked', {url, customUrl: 'barred'});
  await links.create('mine', {url, customUrl: 'later', startDate: '2031-06-01'});
  await links.create('mine', {url, customUrl: 'ended', expiryDate: '2031-05-02', expiredUrl: wide});
  const rules: Rule[] = [
    {device: 'ios', url: `${url}?device=ios`},
    {language: 'de', from: '2031-05-01', until: '2031-12-31', url: `${url}?language=de`},
  ];
  await links.create('mine', {url: `${url}?x=1#part`, customUrl: 'ruled', forwardQuery: true, rules});
  await links.create('mine', {url, customUrl: 'live', baseDomain: 'sho.rt'});
  await links.create('mine', {url, customUrl: 'live', baseDomain: 'go.example.org'});
  await links.disable('mine', 'https://example.com/off');
  await admin.block('https://example.com/blocked');
  await admin.blockAccount('blocked');
  await accounts.remove('gone');
  clock.now = now;
  const {apiKey: reading} = await keys.create('mine', {label: 'reading', scope: 'read'});
  const {apiKey: creating} = await keys.create('mine', {label: 'creating', scope: 'create'});
  const {apiKey: revoked, id} = await keys.create('mine', {label: 'revoked', scope: 'full'});
  await keys.revoke('mine', id);
  const ids = [id];
  for (const label of ['a', 'b', 'c']) ids.push((await keys.create('mine', {label, scope: 'read'})).id);
  ids.push((await keys.create('theirs', {label: 'a', scope: 'full'})).id);
  for (let count = 2; count <= maxKeys; count++) await keys.create('theirs', {label: 'a', scope: 'full'});
  return {mine, theirs, reading, creating, blocked, old, revoked, ids};
}

/** The status and the structure of the page that a normal visitor gets. */
export async function pageAt({port}: FuzzSite, path: string, form?: URLSearchParams): Promise<[number, string]> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    redirect: 'manual',
    headers: {'X-Forwarded-Host': 'example.com', 'X-Forwarded-For': '203.0.113.1'},
    ...(form && {method: 'POST', body: form}),
  });
  return [response.status, structureOf(await response.text())];
}

/** The structures of the package's own pages in normal operation. */
export async function pagesOf(site: FuzzSite): Promise<Set<string>> {
  const wrong = new URLSearchParams({password: 'wrong'});
  // The agent of `fetch` is known as a bot, so the limited link shows its preview.
  const pages = await Promise.all(
    ['/off', '/locked', '/few', '/live+', '/ruled+', '/locked+', '/few+'].map((path) => pageAt(site, path)),
  );
  for (const status of [401, 429]) {
    const page = await pageAt(site, '/locked', wrong);
    if (page[0] !== status) throw new Error(`${page[0]} in place of ${status}`);
    pages.push(page);
  }
  return new Set(pages.map(([, structure]) => structure));
}
