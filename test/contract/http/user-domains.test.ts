import test, {type ExecutionContext} from 'ava';
import '../../support/quick-scrypt.ts';
import type {ShortUrlError, ShortUrlOptions} from '../../../src/index.ts';
import {isTheHosts, redirects, refused} from '../../support/answers.ts';
import {startSite} from '../../support/site.ts';
import {eventually} from '../../support/store/eventually.ts';

const url = 'https://destination.example/page';
const minute = 60_000;
const own = 'go.ann.example';

type Domains = NonNullable<ShortUrlOptions['domains']>;

/** A site on which ann has a domain, and every question to the host. */
async function serving(t: ExecutionContext, answer?: Domains, options: Partial<ShortUrlOptions> = {}) {
  const questions: Array<readonly [domain: string, account: string | undefined]> = [];
  const usual: Domains = (domain, account) => domain === own && (account === undefined || account === 'ann');
  const domains: Domains = (domain, account) => {
    questions.push([domain, account]);
    return (answer ?? usual)(domain, account);
  };
  const site = await startSite(t, {shortUrl: {...options, domains}});
  const errors: ShortUrlError[] = [];
  site.shortener.events.on('error', (error) => errors.push(error));
  await site.shortener.accounts.create('ann');
  const make = () => site.shortener.links.create('ann', {url, baseDomain: own, customUrl: 'spring'});
  return {site, questions, errors, make};
}

for (const defer of [true, false]) {
  test(`with defer: ${defer}, a link on the domain of a user answers there and nowhere else`, async (t) => {
    const {site, make} = await serving(t, undefined, {defer});
    const {shortUrl} = await make();
    t.is(shortUrl, `https://${own}/spring`);
    redirects(t, await site.visit(shortUrl), url);
    redirects(t, await site.visit(`https://GO.Ann.example:8443/spring`), url);
    for (const host of ['example.com', 'sho.rt', 'go.bob.example'])
      isTheHosts(t, await site.visit(shortUrl, {host}), 404, 'No such page on this site.');
    t.is((await site.shortener.links.info('ann', shortUrl)).totalVisits, 2);
  });
}

test('an account makes links only on its own domains and on those of the options', async (t) => {
  const {site, questions} = await serving(t);
  const bob = {url, baseDomain: own};
  await t.throwsAsync(site.shortener.links.create('user-42', bob), {code: 'unknown_base_domain'});
  refused(t, await site.api('create', {url, base_domain: own}), 'unknown_base_domain');
  for (const base_domain of ['127.0.0.1', '[::1]', 'localhost', 'go_ann.example', `${'a'.repeat(300)}.example`])
    refused(t, await site.api('create', {url, base_domain}), 'unknown_base_domain');
  t.deepEqual(questions, [
    [own, 'user-42'],
    [own, 'user-42'],
  ]);
  await site.create({base_domain: 'sho.rt'});
  t.deepEqual(questions.slice(2), [['destination.example', undefined]]);
});

test('the host is asked once a minute for each domain, also of many visits at once', async (t) => {
  const {site, questions, make} = await serving(t, async () => Promise.resolve(true));
  const {shortUrl} = await make();
  questions.length = 0;
  const replies = await Promise.all(Array.from({length: 20}, () => site.visit(shortUrl)));
  for (const reply of replies) redirects(t, reply, url);
  site.clock.now += minute - 1;
  redirects(t, await site.visit(shortUrl), url);
  t.deepEqual(questions, [[own, undefined]]);
  site.clock.now += 1;
  redirects(t, await site.visit(shortUrl), url);
  t.is(questions.length, 2);
});

test('links of a domain that the host serves no more stop within a minute, and its owner still has them', async (t) => {
  let isServed = true;
  const {site, make} = await serving(t, () => isServed);
  const {shortUrl} = await make();
  redirects(t, await site.visit(shortUrl), url);
  isServed = false;
  site.clock.now += minute;
  isTheHosts(t, await site.visit(shortUrl), 404, 'No such page on this site.');
  t.is((await site.shortener.links.info('ann', shortUrl)).shortUrl, shortUrl);
  await site.shortener.links.disable('ann', shortUrl);
  t.is((await site.shortener.links.page('ann', {})).links[0]?.status, 'disabled');
  await site.shortener.links.enable('ann', shortUrl);
  isServed = true;
  site.clock.now += minute;
  redirects(t, await site.visit(shortUrl), url);
});

test('while the host fails, domains served lately go on, and no other one begins', async (t) => {
  let answer: () => unknown = () => true;
  const {site, errors, make} = await serving(t, () => answer() as boolean);
  const {shortUrl} = await make();
  redirects(t, await site.visit(shortUrl), url);
  const failures: Array<() => unknown> = [
    () => Promise.reject(new Error('no database')),
    () => undefined,
    () => {
      throw new Error('broken');
    },
  ];
  for (const failure of failures) {
    answer = failure;
    site.clock.now += minute;
    redirects(t, await site.visit(shortUrl), url);
    isTheHosts(t, await site.visit('https://go.bob.example/spring'), 404, 'No such page on this site.');
    await t.throwsAsync(site.shortener.links.create('ann', {url, baseDomain: own}), {code: 'internal_error'});
  }
  t.deepEqual(new Set(errors.map(({code}) => code)), new Set(['internal_error']));
  site.clock.now += 60 * minute;
  isTheHosts(t, await site.visit(shortUrl), 404, 'No such page on this site.');
  answer = () => true;
  site.clock.now += 5000;
  redirects(t, await site.visit(shortUrl), url);
});

test('a domain goes on for an hour while the host fails, also after a clock that was ahead', async (t) => {
  let isFailing = false;
  const {site, make} = await serving(t, () => (isFailing ? Promise.reject(new Error('no database')) : true));
  const {shortUrl} = await make();
  site.clock.now += 24 * 60 * minute;
  redirects(t, await site.visit(shortUrl), url);
  isFailing = true;
  site.clock.now -= 24 * 60 * minute;
  redirects(t, await site.visit(shortUrl), url);
  site.clock.now += 60 * minute;
  isTheHosts(t, await site.visit(shortUrl), 404, 'No such page on this site.');
});

/** When a domain of each state is asked about again, in milliseconds. */
const remembered: ReadonlyArray<readonly [state: string, answer: () => boolean | Promise<boolean>, age: number]> = [
  ['is served', () => true, minute],
  ['is not served', () => false, minute],
  ['was never served, and of which the host fails to tell', () => Promise.reject(new Error('no database')), 5000],
];
for (const [state, answer, age] of remembered) {
  test(`a domain that ${state} is asked about once in ${age / 1000} seconds`, async (t) => {
    const {site, questions} = await serving(t, answer);
    for (let round = 1; round <= 3; round += 1) {
      for (const elapsed of [0, 1, age - 2]) {
        site.clock.now += elapsed;
        for (const path of ['spring', 'summer']) await site.visit(`https://${own}/${path}`);
        t.is(questions.length, round);
      }
      site.clock.now += 1;
    }
  });
}

test('while the host fails again and again, the hour of a domain does not begin again', async (t) => {
  for (const pause of [5000, minute, 10 * minute, 59 * minute]) {
    let isFailing = false;
    const {site, make} = await serving(t, () => (isFailing ? Promise.reject(new Error('no database')) : true));
    const {shortUrl} = await make();
    redirects(t, await site.visit(shortUrl), url);
    isFailing = true;
    const start = site.clock.now;
    const end = start + 60 * minute;
    // The domain is asked about for the first time after a minute.
    for (site.clock.now += Math.max(pause, minute); site.clock.now < end; site.clock.now += pause) {
      redirects(t, await site.visit(shortUrl), url);
    }
    site.clock.now = end;
    isTheHosts(t, await site.visit(shortUrl), 404, 'No such page on this site.');
  }
});

test('visitors of a domain that was served lately do not wait for a host that hangs', async (t) => {
  let answer = (): boolean | Promise<boolean> => true;
  const {site, questions, make} = await serving(t, () => answer());
  const {shortUrl} = await make();
  redirects(t, await site.visit(shortUrl), url);
  let settle: (isServed: boolean) => void = () => undefined;
  answer = () => new Promise((resolve) => (settle = resolve));
  questions.length = 0;
  site.clock.now += minute;
  redirects(t, await site.visit(shortUrl), url);
  redirects(t, await site.visit(shortUrl), url);
  t.is(questions.length, 1);
  settle(false);
  await eventually(async () => {
    const {status} = await site.visit(shortUrl);
    if (status !== 404) throw new Error(`answered with ${status}`);
  });
});

test('a repeat with reuse makes no link on a domain that the account has no more', async (t) => {
  let isAllowed = true;
  const {site, questions} = await serving(t, () => isAllowed);
  const link = {url, baseDomain: own, reuse: true};
  await site.shortener.links.create('ann', link);
  t.deepEqual(
    questions.filter(([domain]) => domain === own),
    [[own, 'ann']],
  );
  isAllowed = false;
  await t.throwsAsync(site.shortener.links.create('ann', link), {code: 'unknown_base_domain'});
});

test('thousands of invented hosts push out no domain of a user, and cost a question each', async (t) => {
  const {site, questions, make} = await serving(t);
  const {shortUrl} = await make();
  redirects(t, await site.visit(shortUrl), url);
  questions.length = 0;
  for (let index = 0; index < 1200; index += 1) await site.visit(`https://h${index}.example/spring`);
  t.is(questions.length, 1200);
  redirects(t, await site.visit(shortUrl), url);
  t.is(questions.length, 1200);
});

test('only a path that could be a link, on a host that could be a domain, is worth a question', async (t) => {
  const {site, questions} = await serving(t);
  for (const path of ['/', '/a/b/c', '/api/v1/none', '/%']) await site.visit(`https://other.example${path}`);
  for (const host of ['10.0.0.1', 'localhost', '[::1]', 'example.com', 'sho.rt', 'a b', `${'a.'.repeat(200)}example`])
    await site.visit('https://example.com/spring', {host});
  await site.visit('https://other.example/spring', {method: 'PUT'});
  t.deepEqual(questions, []);
});

test('a link with a password opens on the domain of a user, also in a process that has not seen it', async (t) => {
  const {site} = await serving(t);
  const {shortUrl} = await site.shortener.links.create('ann', {url, baseDomain: own, password: 'open'});
  const form = await site.visit(shortUrl);
  const action = /action="([^"]+)"/.exec(form.text)?.[1] ?? '';
  site.clock.now += minute;
  const opened = await site.submit(new URL(action, shortUrl).href, 'open');
  t.is(opened.status, 303);
  t.is(opened.headers.location, url);
});

test('no link may lead to a short URL on the domain of a user', async (t) => {
  const {site, make} = await serving(t);
  const {shortUrl} = await make();
  // No visitor has come by the domain.
  await t.throwsAsync(site.shortener.links.create('ann', {url: shortUrl}), {code: 'forbidden_url'});
});

test('a wall lets the links of a domain of a user through', async (t) => {
  const asked: boolean[] = [];
  const site = await startSite(t, {
    shortUrl: {domains: (domain) => domain === own},
    downstream: async (ctx, next) => {
      asked.push(await site.shortener.answers(ctx));
      if (!asked.at(-1)) await next();
    },
  });
  await site.shortener.links.create('user-42', {url, baseDomain: own, customUrl: 'spring'});
  redirects(t, await site.visit(`https://${own}/spring`), url);
  await site.visit(`https://go.bob.example/spring`);
  t.deepEqual(asked, [true, false]);
});
