import test from 'ava';
import {accepted, redirects} from '../../support/answers.ts';
import type {Data, Reply} from '../../support/request.ts';
import {sharedSite, type Site, startSite} from '../../support/site.ts';
import type {World} from '../../support/worlds.ts';

const url = 'https://destination.example/page';

/** Links with a password. Hashing is slow on purpose, so tests that change nothing share one link. */
export function passwords(world: World): void {
  const start = sharedSite({world, proxy: true});
  const links = new WeakMap<Site, Promise<Data>>();
  const shared = async () => {
    const site = await start();
    const link = links.get(site) ?? site.create({password: 'é'.repeat(64), custom_url: 'spring'});
    links.set(site, link);
    return {site, link: await link};
  };

  test('a password may have 128 bytes of UTF-8, and only has_password shows it', async (t) => {
    const {site, link} = await shared();
    const info = await site.api('info', {short_url: link.short_url});
    t.is(accepted(t, info).has_password, true);
    const xml = await site.api('info', {short_url: link.short_url}, {suffix: '.xml'});
    t.regex(xml.text, /<has_password>true</);
    t.notRegex(JSON.stringify(link) + info.text + xml.text, /é|%C3|\\u00e9/i);
  });

  test('a link with a password shows a form that cannot be framed, cached or scripted', async (t) => {
    const {site, link} = await shared();
    const reply = await site.visit(link.short_url);
    t.is(reply.status, 200);
    showsTheForm(t, reply);
    t.is(reply.headers.location, undefined);
    t.false(reply.text.includes('é'));

    const head = await site.visit(link.short_url, {method: 'HEAD'});
    t.is(head.status, 200);
    t.is(head.text, '');
    t.is(head.headers['content-security-policy'], reply.headers['content-security-policy']);
    t.is((await site.info(link.short_url)).total_visits, 0);
  });

  test('on a foreign Host the form of a link is left to the host', async (t) => {
    const {site, link} = await shared();
    const host = 'foreign.example';
    t.is((await site.visit(link.short_url, {host})).text, world.mount.notFound);
    t.is((await site.submit(link.short_url, 'é'.repeat(64), {host})).headers.location, undefined);
  });

  const form = 'application/x-www-form-urlencoded';
  test('a body that is not a password form does not open a link', async (t) => {
    const {site, link} = await shared();
    const bodies: Array<[type: string | undefined, body: string | undefined]> = [
      [undefined, undefined],
      [form, 'Password=s3cret'],
      [form, '__proto__[password]=s3cret'],
      ['application/json', '{"password":'],
      ['multipart/form-data; boundary=x', '--x\r\nContent-Disposition: form-data; name="password"\r\n\r\ns3cret'],
    ];
    for (const [index, [type, body]] of bodies.entries()) {
      const headers = {'X-Forwarded-For': `192.0.2.${index}`, ...(type === undefined ? {} : {'Content-Type': type})};
      const reply = await site.visit(link.short_url, {method: 'POST', headers, body});
      t.is(reply.status, 400);
      t.is(reply.headers.location, undefined);
    }
    t.is((await site.info(link.short_url)).total_visits, 0);
  });

  test('the right password answers 303 to the destination and is counted, a wrong one 401 with the form', async (t) => {
    const site = await startSite(t, {world});
    const password = 'p%2F+&=ü /?#"<;.json';
    const link = await site.create({password});

    const refusal = await site.submit(link.short_url, decodeURIComponent(password));
    t.is(refusal.status, 401);
    showsTheForm(t, refusal);
    t.false(refusal.text.includes('&=ü'));
    t.is((await site.info(link.short_url)).total_visits, 0);

    site.clock.set('2031-05-07T08:09:10Z');
    redirects(t, await site.submit(link.short_url, password), url, 303);
    const info = await site.info(link.short_url);
    t.is(info.total_visits, 1);
    t.is(info.last_accessed, '2031-05-07 08:09:10');
  });

  test('after passwordAttempts wrong passwords even the right one has to wait', async (t) => {
    const site = await startSite(t, {world, shortUrl: {passwordAttempts: 2}});
    const link = await site.create({password: 's3cret'});

    const replies = await Promise.all(Array.from({length: 6}, async () => site.submit(link.short_url, 'wrong')));
    t.deepEqual(replies.map((reply) => reply.status).toSorted(), [401, 401, 429, 429, 429, 429]);

    const waiting = await site.submit(link.short_url, 's3cret');
    t.is(waiting.status, 429);
    t.is(waiting.headers.location, undefined);
    const seconds = Number(waiting.headers['retry-after']);
    t.true(Number.isInteger(seconds) && seconds >= 1 && seconds <= 15 * 60, `Retry-After: ${seconds}`);
    t.is((await site.info(link.short_url)).total_visits, 0);

    site.clock.now += seconds * 1000;
    redirects(t, await site.submit(link.short_url, 's3cret'), url, 303);
  });

  test('a body without a password is no attempt', async (t) => {
    const site = await startSite(t, {world, shortUrl: {passwordAttempts: 1}});
    const link = await site.create({password: 's3cret'});
    const denied: unknown[] = [];
    site.shortener.events.on('denied', (event) => denied.push(event));
    for (let turn = 0; turn < 3; turn++) {
      t.is(
        (await site.visit(link.short_url, {method: 'POST', headers: {'Content-Type': form}, body: 'a=b'})).status,
        400,
      );
    }
    t.deepEqual(denied, []);
    redirects(t, await site.submit(link.short_url, 's3cret'), url, 303);
  });

  test('the form is posted to an address that the shortener answers before the site, and opens the link there', async (t) => {
    const seen: string[] = [];
    const site = await startSite(t, {
      world,
      async downstream(ctx, next) {
        if (ctx.method === 'POST') seen.push(ctx.path);
        await next();
      },
    });
    for (const base_domain of ['example.com', 'sho.rt', 'go.example.org']) {
      const link = await site.create({password: 's3cret', custom_url: 'v1.2', base_domain});
      const action = actionOf(await site.visit(link.short_url));
      const origin = new URL(link.short_url).origin;
      const refusal = await site.submit(origin + action, 'wrong');
      t.is(refusal.status, 401);
      showsTheForm(t, refusal);
      t.is(actionOf(refusal), action);
      redirects(t, await site.submit(origin + action, 's3cret'), url, 303);
      t.is((await site.info(link.short_url)).total_visits, 1);
      accepted(t, await site.api('disable', {short_url: link.short_url}));
      t.is((await site.submit(origin + action, 's3cret')).status, 410);
    }
    // A path of a domain that is not that of the API may not reach the shortener, so its form is posted to the short URL.
    if (!world.mount.otherBaseUrl.endsWith('/x')) t.deepEqual(seen, []);
  });

  test('the address of the form leads to the short URL when it is opened, and where there is no form any more', async (t) => {
    const site = await startSite(t, {world});
    const link = await site.create({password: 's3cret', confirm: 'false'});
    const address = site.baseUrl.replace(site.base, '') + actionOf(await site.visit(link.short_url));
    for (const method of ['GET', 'HEAD']) redirects(t, await site.visit(address, {method}), link.short_url);
    const early = await site.visit(address, {headers: {'Sec-Purpose': 'prefetch'}});
    t.deepEqual([early.status, early.text, early.headers.location], [503, '', undefined]);
    accepted(t, await site.api('update', {short_url: link.short_url, clear: 'password'}));
    redirects(t, await site.submit(address, 's3cret'), link.short_url, 303);
    t.is((await site.info(link.short_url)).total_visits, 0);
    const unknown = address.replace(/[^/]*$/, Buffer.from('unknown').toString('base64url'));
    redirects(t, await site.submit(unknown, 's3cret'), `${site.baseUrl}/unknown`, 303);
  });

  test('a disabled or expired link with a password answers 410, to the form too', async (t) => {
    const site = await startSite(t, {world});
    const link = await site.create({password: 's3cret', expiry_date: '2031-05-07'});
    accepted(t, await site.api('disable', {short_url: link.short_url}));
    t.is((await site.visit(link.short_url)).status, 410);
    t.is((await site.submit(link.short_url, 's3cret')).status, 410);
    accepted(t, await site.api('enable', {short_url: link.short_url}));
    site.clock.set('2031-05-08T00:00:00Z');
    t.is((await site.visit(link.short_url)).status, 410);
    t.is((await site.submit(link.short_url, 's3cret')).status, 410);
  });
}

/** The path to which the form of a page is posted. */
function actionOf({text}: Reply): string {
  return /<form[^>]+action="([^"]+)"/.exec(text)?.[1] ?? '';
}

/** The form itself. */
function showsTheForm(t: Parameters<typeof redirects>[0], {headers, text}: Reply): void {
  t.regex(headers['content-type'] ?? '', /^text\/html; ?charset=utf-8$/i);
  t.regex(headers['cache-control'] ?? '', /no-store/);
  const policy = String(headers['content-security-policy']);
  t.regex(policy, /default-src 'none'/);
  t.regex(policy, /frame-ancestors 'none'/);
  t.notRegex(policy, /script-src|unsafe-eval/);
  // Browsers apply form-action to the redirect after a form too; 'self' alone would block it.
  t.notRegex(policy, /form-action 'self'\s*(;|$)|form-action 'none'/);
  t.regex(text, /^<!doctype html>/i);
  t.regex(text, /<form[^>]+method="?post"?/i);
  t.regex(text, /<input[^>]+type="?password"?/i);
  t.regex(text, /<input[^>]+name="?password"?/i);
  t.regex(text, /<meta[^>]+name="?viewport"?/i);
  t.notRegex(text, /<script|javascript:|\son\w+=/i);
  t.false(text.includes('destination.example'));
}
