import test from 'ava';
import {accepted, redirects, refused} from '../../support/answers.ts';
import {sharedSite, startSite} from '../../support/site.ts';
import type {World} from '../../support/worlds.ts';

const url = 'https://destination.example/page';

/** custom_url, expiry_date and base_domain. Passwords are in password.ts. */
export function creationOptions(world: World): void {
  // For tests that create links and do not look at others.
  const making = sharedSite({world});
  // For tests that create nothing.
  const refusing = sharedSite({world});

  for (const part of [
    'a',
    '7',
    '-',
    '_',
    'spring',
    'SPRING-sale_2031',
    'apis',
    'x'.repeat(64),
    '__proto__',
    'v1.2',
    'a~b..c',
  ]) {
    test(`custom_url ${part} becomes the short part`, async (t) => {
      const site = await making();
      const link = accepted(t, await site.api('create', {custom_url: part, url}));
      t.is(link.short_url_part, part);
      t.is(link.short_url, `${site.baseUrl}/${part}`);
      redirects(t, await site.visit(link.short_url), url);
    });
  }

  const badParts = [
    'x'.repeat(65),
    'a b',
    'a.',
    '.b',
    'a~',
    '~b',
    'a/b',
    'ä',
    'a+b',
    'a%b',
    '..',
    '.',
    '\n',
    'a\n',
    'api',
    '😀',
  ];
  for (const part of badParts) {
    test(`custom_url ${JSON.stringify(part)} is an invalid_custom_url`, async (t) => {
      const site = await refusing();
      refused(t, await site.api('create', {custom_url: part, url}), 'invalid_custom_url');
      t.deepEqual(await site.list(), []);
    });
  }

  test('reserved short parts cannot be chosen', async (t) => {
    const site = await startSite(t, {world, shortUrl: {reserved: ['about', 'login']}});
    refused(t, await site.api('create', {custom_url: 'about', url}), 'invalid_custom_url');
    refused(t, await site.api('create', {custom_url: 'login', url}), 'invalid_custom_url');
    refused(t, await site.api('create', {custom_url: 'api', url}), 'invalid_custom_url');
    accepted(t, await site.api('create', {custom_url: 'log', url}));
    accepted(t, await site.api('create', {custom_url: 'about-us', url}));
  });

  test('short parts that differ by case are different links', async (t) => {
    const site = await startSite(t, {world});
    const lower = await site.create({custom_url: 'spring', url: 'https://destination.example/lower'});
    const upper = await site.create({custom_url: 'Spring', url: 'https://destination.example/upper'});
    redirects(t, await site.visit(lower.short_url), 'https://destination.example/lower');
    redirects(t, await site.visit(upper.short_url), 'https://destination.example/upper');
    t.is((await site.info(upper.short_url)).url_id, upper.url_id);
  });

  test('a taken custom_url answers 409 and keeps the first link', async (t) => {
    const site = await startSite(t, {world});
    const first = await site.create({custom_url: 'spring'});
    const message = refused(t, await site.api('create', {custom_url: 'spring', url: `${url}/2`}), 'custom_url_taken');
    t.true(message.length > 0);
    redirects(t, await site.visit(first.short_url), url);
    t.deepEqual(await site.list(), [first.short_url]);
  });

  test('of 20 concurrent creates of one custom_url exactly one succeeds', async (t) => {
    const site = await startSite(t, {world});
    const replies = await Promise.all(
      Array.from({length: 20}, (_, index) => site.api('create', {custom_url: 'wanted', url: `${url}/${index}`})),
    );
    const winners = replies.filter((reply) => reply.status === 200);
    t.is(winners.length, 1);
    for (const reply of replies) if (reply.status !== 200) refused(t, reply, 'custom_url_taken');
    const winner = winners[0]?.json().data;
    redirects(t, await site.visit(`${site.baseUrl}/wanted`), winner?.original_url ?? '');
    t.deepEqual(await site.list(), [`${site.baseUrl}/wanted`]);
  });

  test('the same short part on two domains is two links', async (t) => {
    const site = await startSite(t, {world});
    const here = await site.create({custom_url: 'spring', url: 'https://destination.example/here'});
    const there = await site.create({
      custom_url: 'spring',
      url: 'https://destination.example/there',
      base_domain: 'sho.rt',
    });
    t.not(here.url_id, there.url_id);
    redirects(t, await site.visit(here.short_url), 'https://destination.example/here');
    redirects(t, await site.visit(there.short_url), 'https://destination.example/there');
    refused(t, await site.api('create', {custom_url: 'spring', base_domain: 'sho.rt', url}), 'custom_url_taken');
  });

  test('base_domain selects another domain, with its scheme and path', async (t) => {
    const site = await startSite(t, {world});
    const own = await site.create({base_domain: 'example.com', custom_url: 'own'});
    const bare = await site.create({base_domain: 'sho.rt', custom_url: 'bare'});
    const other = await site.create({base_domain: 'go.example.org', custom_url: 'other'});
    t.is(own.short_url, `${site.baseUrl}/own`);
    t.is(bare.short_url, `https://sho.rt${site.base}/bare`);
    t.is(other.short_url, `${site.otherBaseUrl}/other`);
    for (const link of [own, bare, other]) redirects(t, await site.visit(link.short_url), url);
  });

  test('base_domain is case-insensitive', async (t) => {
    const site = await startSite(t, {world});
    const link = await site.create({base_domain: 'SHO.rt', custom_url: 'spring'});
    t.is(link.short_url, `https://sho.rt${site.base}/spring`);
  });

  for (const domain of ['https://sho.rt', 'http://example.com', 'sho.rt/', 'go.example.org/x', '/sho.rt', '//sho.rt']) {
    test(`base_domain ${domain} is an invalid_base_domain`, async (t) => {
      const site = await refusing();
      refused(t, await site.api('create', {base_domain: domain, url}), 'invalid_base_domain');
      t.deepEqual(await site.list(), []);
    });
  }

  for (const domain of ['unknown.example', 'rt', 'www.sho.rt', 'constructor']) {
    test(`base_domain ${domain} is an unknown_base_domain`, async (t) => {
      const site = await refusing();
      refused(t, await site.api('create', {base_domain: domain, url}), 'unknown_base_domain');
      t.deepEqual(await site.list(), []);
    });
  }

  for (const day of ['2031-05-06', '2031-05-07', '2032-02-29', '9999-12-31']) {
    test(`expiry_date ${day} ends at the last second of that day`, async (t) => {
      const site = await making();
      const link = accepted(t, await site.api('create', {expiry_date: day, url}));
      t.is((await site.info(link.short_url)).expiry_date, `${day} 23:59:59`);
    });
  }

  const badDays = [
    ...['2031-05-05', '2000-01-01', '0000-01-01', '2031-02-29', '2032-02-30', '2031-13-01', '2031-00-10', '2031-06-00'],
    ...['2031-06-31', '2031-6-07', '31-06-07', '20310607', '2031/06/07', '07-06-2031', '2031-06-07T24:00:00Z'],
    ...['2031-06-07 00', ' 2031-06-07', '2031-06-07\n', '+002031-06-07', '2031-06-7x', '２０３１-06-07', 'tomorrow'],
  ];
  for (const day of badDays) {
    test(`expiry_date ${JSON.stringify(day)} is an invalid_expiry_date`, async (t) => {
      const site = await refusing();
      refused(t, await site.api('create', {expiry_date: day, url}), 'invalid_expiry_date');
      t.deepEqual(await site.list(), []);
    });
  }
}
