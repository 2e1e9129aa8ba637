import test, {type ExecutionContext} from 'ava';
import '../../support/quick-scrypt.ts';
import type {ShortUrlError, ShortUrlOptions} from '../../../src/index.ts';
import {accepted, redirects} from '../../support/answers.ts';
import {startSite} from '../../support/site.ts';

const url = 'https://destination.example/page';
const chosen = 'https://chosen.example/';

type Destination = NonNullable<ShortUrlOptions['destination']>;

/** A site whose host chooses destinations, and the errors that were reported. */
async function choosing(t: ExecutionContext, destination: Destination, options: Partial<ShortUrlOptions> = {}) {
  const site = await startSite(t, {shortUrl: {...options, destination}});
  const errors: ShortUrlError[] = [];
  site.shortener.events.on('error', (error) => errors.push(error));
  return {site, errors};
}

test('the host chooses a destination for a visitor, or leaves it to the link', async (t) => {
  const links: string[] = [];
  const {site, errors} = await choosing(t, async (ctx, link) => {
    links.push(link.originalUrl);
    return ctx.get('X-Group') === 'b' ? `${chosen}?a=1` : undefined;
  });
  const {short_url} = await site.create({forward_query: 'true'});
  redirects(t, await site.visit(`${short_url}?a=2&c=3`), `${url}?a=2&c=3`);
  const headers = {'X-Group': 'b'};
  for (const method of ['GET', 'HEAD']) {
    const reply = await site.visit(`${short_url}?a=2&c=3`, {method, headers});
    t.is(reply.headers.location, `${chosen}?a=1&c=3`);
  }
  t.deepEqual(links, [url, url, url]);
  t.is((await site.info(short_url)).total_visits, 2);
  t.deepEqual(errors, []);
});

test('the host is not asked for a link that is not redirected', async (t) => {
  let calls = 0;
  const {site} = await choosing(t, () => {
    calls += 1;
    return chosen;
  });
  const {short_url} = await site.create({expiry_date: '2031-05-06', expired_url: 'https://over.example/'});
  const limited = await site.create({max_visits: '1'});
  t.is((await site.visit(limited.short_url, {headers: {'User-Agent': 'Googlebot/2.1'}})).status, 200);
  site.clock.set('2031-05-08T00:00:00Z');
  redirects(t, await site.visit(short_url), 'https://over.example/');
  t.is(calls, 0);
});

test("a wrong destination of the host is reported, and the visitor goes to the link's own", async (t) => {
  let answer = (): unknown => undefined;
  const {site, errors} = await choosing(t, () => answer() as undefined);
  const {short_url} = await site.create();
  const taken = (await site.create()).short_url;
  const broken = new Error('the callback is broken');
  const answers: Array<() => unknown> = [
    ...[5, null, 'destination', 'javascript:alert(1)', `${chosen}${'a'.repeat(8192)}`].map((value) => () => value),
    ...[taken, `${site.baseUrl}/api/v1/shorturl/create`].map((value) => () => value),
    () => {
      throw broken;
    },
    () => Promise.reject(broken),
  ];
  for (const [index, wrong] of answers.entries()) {
    answer = wrong;
    redirects(t, await site.visit(short_url), url);
    t.is(errors.length, index + 1);
    t.like(errors[index], {code: 'internal_error'});
    t.regex(String(errors[index]?.message), /`destination` failed/);
  }
  t.is((await site.info(short_url)).total_visits, answers.length);
});

test('a link that changes while the host chooses is decided again', async (t) => {
  const asked: string[] = [];
  let change = async (): Promise<void> => undefined;
  const {site} = await choosing(t, async (_ctx, link) => {
    asked.push(link.originalUrl);
    const work = change;
    change = async () => undefined;
    await work();
    return link.originalUrl === url ? chosen : undefined;
  });
  const {short_url} = await site.create();
  change = async () => {
    await site.shortener.links.update('user-42', short_url, {url: 'https://new.example/'});
  };
  redirects(t, await site.visit(short_url), 'https://new.example/');
  t.deepEqual(asked, [url, 'https://new.example/']);
  for (const method of ['GET', 'HEAD']) {
    accepted(t, await site.api('enable', {short_url}));
    change = async () => {
      await site.shortener.links.disable('user-42', short_url);
    };
    t.is((await site.visit(short_url, {method})).status, 410, method);
  }
  t.is((await site.info(short_url)).total_visits, 1);
});

test('a forwarded query is added to pages and apps, but neither to a phone number nor to a mail', async (t) => {
  const site = await startSite(t, {shortUrl: {forwardQuery: true, schemes: ['mailto', 'tel', 'myapp']}});
  for (const [long, expected] of [
    ['myapp://open/item?id=7', 'myapp://open/item?id=7&bcc=spy@elsewhere.example'],
    ['tel:+49301234567', 'tel:+49301234567'],
    ['mailto:shop@example.org?subject=offer', 'mailto:shop@example.org?subject=offer'],
  ] as const) {
    const {short_url} = accepted(t, await site.post('create', {url: long}));
    redirects(t, await site.visit(`${short_url}?bcc=spy@elsewhere.example`), expected);
  }
});

test('the option forwardQuery is the default of links that do not set it', async (t) => {
  const site = await startSite(t, {shortUrl: {forwardQuery: true}});
  const {short_url} = await site.create();
  const not = (await site.create({forward_query: 'false'})).short_url;
  redirects(t, await site.visit(`${short_url}?a=1`), `${url}?a=1`);
  redirects(t, await site.visit(`${not}?a=1`), url);
  t.true((await site.shortener.links.info('user-42', short_url)).forwardQuery);
  t.false((await site.shortener.links.info('user-42', not)).forwardQuery);
  const {forwardQuery} = await site.shortener.links.update('user-42', not, {forwardQuery: null});
  t.true(forwardQuery);
});
