import '../../support/quick-scrypt.ts';
import {randomBytes} from 'node:crypto';
import {readFile} from 'node:fs/promises';
import {compileFunction} from 'node:vm';
import Router from '@koa/router';
import test, {type ExecutionContext} from 'ava';
import Koa from 'koa';
import {shortUrl, type ShortUrlOptions} from '../../../src/index.ts';
import {redirects} from '../../support/answers.ts';
import {visitorOf} from '../../support/examples/visitor.ts';
import {blocksOf} from '../../support/pages.ts';

const page = await readFile('docs/one-time-links.md', 'utf8');
const [first = '', invitation = '', betterAuth = '', own = '', vote = '', ownPage = ''] = blocksOf(page).map(
  ({code}) => code,
);

/** A table of a host, whose rows have random ids. */
class Table<Row> {
  readonly #rows = new Map<string, Row>();

  async add(row: Row): Promise<string> {
    const id = randomBytes(8).toString('hex');
    this.#rows.set(id, row);
    return id;
  }

  async get(id: string): Promise<Row | undefined> {
    return this.#rows.get(id);
  }

  async take(id: string): Promise<Row | undefined> {
    const row = this.#rows.get(id);
    this.#rows.delete(id);
    return row;
  }
}

async function start(t: ExecutionContext, options: Partial<ShortUrlOptions> = {}) {
  const shortener = shortUrl({baseUrl: 'https://example.com', store: 'memory:', ...options});
  t.teardown(() => shortener.close());
  for (const account of ['team', 'sign-in', 'polls']) await shortener.accounts.create(account);
  const session: {userId?: number} = {};
  const votes: string[][] = [];
  const mails: string[] = [];
  const router = new Router();
  const app = new Koa().use(shortener).use(async (ctx, next) => {
    Object.assign(ctx, {session});
    await next();
  });
  app.use(router.routes());
  const ask = await visitorOf(t, app);
  /** Runs a block of the page, with what it takes from its surroundings. Returns what `result` is in it. */
  const run = (code: string, result: string, names: object = {}): unknown => {
    const scope: Record<string, unknown> = {
      shortener,
      router,
      randomBytes,
      mail: async (_: string, text: string) => mails.push(text),
      invitations: new Table(),
      tokens: new Table(),
      ballots: new Table(),
      votes: {set: async ({member}: {member: string}, choice: string) => votes.push([member, choice])},
      ...names,
    };
    const program = compileFunction(`${code}\nreturn ${result};`, Object.keys(scope)) as (
      ...values: unknown[]
    ) => unknown;
    return program(...Object.values(scope));
  };
  /** The short URLs in the last mail. */
  const links = () => mails.at(-1)?.match(/https:\/\/example\.com\/[0-9a-f]{32}/g) ?? [];
  /** Opens a link as scanners do, and then as a person does. Returns the answer to the button. */
  const open = async (link: string) => {
    for (const method of ['GET', 'HEAD', 'GET']) t.is((await ask(link, {method})).status, 200);
    const [, action = ''] = /action="([^"]+)"/.exec((await ask(link)).text) ?? [];
    return ask(new URL(action, link).href, {method: 'POST'});
  };
  return {shortener, session, votes, ask, run, links, open};
}

test('a link that asks is created as the page says', async (t) => {
  const {shortener, run, open} = await start(t);
  const url = 'https://destination.example/';
  const create = run(first, 'createOnce') as (long: string) => Promise<{shortUrl: string}>;
  const {shortUrl: link} = await create(url);
  redirects(t, await open(link), url, 303);
  t.like(await shortener.links.info('team', link), {confirm: true, totalVisits: 1, status: 'expired'});
});

test('an invitation outlasts scanners, works once, and then leads to a page that offers another', async (t) => {
  const {run, links, ask, open} = await start(t);
  const invite = run(invitation, 'invite') as (team: string, email: string) => Promise<void>;
  await invite('team', 'ann@mail.example');
  const [link = ''] = links();
  t.regex(String((await open(link)).headers.location), /^https:\/\/example\.com\/join\?token=\w+$/);
  redirects(t, await ask(link), 'https://example.com/ask-again');
});

test('better-auth: only the person who presses the button reaches its link', async (t) => {
  const {run, links, open, ask} = await start(t);
  interface Given {
    readonly sendMagicLink: (data: {email: string; url: string}) => Promise<void>;
  }
  const names = {database: {}, betterAuth: (options: object) => options, magicLink: (options: object) => options};
  const {plugins} = run(betterAuth, 'auth', names) as {plugins: readonly Given[]};
  const url = 'https://example.com/api/auth/magic-link/verify?token=abc&callbackURL=%2F';
  await plugins[0]?.sendMagicLink({email: 'ann@mail.example', url});
  const [link = ''] = links();
  redirects(t, await open(link), url, 303);
  redirects(t, await ask(link), 'https://example.com/login');
});

test('a sign-in link of the site signs in the person who presses the button, once', async (t) => {
  const {run, links, open, ask, session} = await start(t);
  const send = run(own, 'sendSignIn') as (user: {id: number; email: string}) => Promise<void>;
  await send({id: 7, email: 'ann@mail.example'});
  const [link = ''] = links();
  const destination = String((await open(link)).headers.location);
  t.is(session.userId, undefined);
  t.is((await ask(destination)).headers.location, '/');
  t.is(session.userId, 7);
  t.is((await ask(destination)).headers.location, '/login');
});

test('a vote is cast by the button, and not by scanners', async (t) => {
  const {run, links, open, ask, votes, shortener} = await start(t);
  const members = [{id: 'ann', email: 'ann@mail.example'}];
  const askFor = run(vote, 'askFor') as (poll: string, all: object) => Promise<void>;
  await askFor('poll', members);
  const [yes = '', no = ''] = links();
  t.regex((await ask(yes)).text, /Vote yes/);
  for (const link of [yes, no]) await ask(String((await open(link)).headers.location));
  t.deepEqual(votes, [
    ['ann', 'yes'],
    ['ann', 'no'],
  ]);
  t.is((await shortener.links.info('polls', {reference: 'poll:ann:no'})).totalVisits, 1);
});

test('a page of the site opens its links', async (t) => {
  const escapeHtml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  const make = compileFunction(`${ownPage}\nreturn confirm;`, ['escapeHtml']) as (escape: object) => () => string;
  const confirm = make(escapeHtml);
  const {shortener, open} = await start(t, {confirm: 'always', pages: {confirm}});
  const {shortUrl: link} = await shortener.links.create('team', {url: 'https://destination.example/'});
  redirects(t, await open(link), 'https://destination.example/', 303);
});
