import test from 'ava';
import {accepted, isTheHosts, redirects} from '../../support/answers.ts';
import {sharedSite, startSite} from '../../support/site.ts';
import {arriving, type World} from '../../support/worlds.ts';

const destination = 'https://destination.example/page';

/** What people and programs leave behind a short URL, as a path has it. */
const clinging = [
  ...['/', '//', '.', '...', ',', ';', ':', '!', "'", '%27', ')', '%29', '*', '|', '%3F', '%22', '%5D', '%7D', '%3E'],
  ...['%E2%80%A6', '%E2%80%9D', '%e2%80%99', '%C2%BB', '%20', '%C2%A0', '%0A', '%E2%80%8B', '%EF%BB%BF', '%E3%80%82'],
  ...[').', '%E2%80%9D%20', '/%20', '`', '%60', '%C2%B4', '%EF%BF%BC', '%EF%BF%BD', '%60.', '%EF%BF%BC%0A'],
];

/** Paths that lead to a link although they are not exactly its short URL. */
export function loosePaths(world: World): void {
  const shared = sharedSite({world});

  test('what clings to a short URL does not keep the link from answering, and the visit counts', async (t) => {
    const site = await shared();
    const {short_url} = await site.create({custom_url: 'clung-to'});
    for (const end of clinging) {
      redirects(t, await site.visit(short_url + end), destination);
      if (world.asks !== true) redirects(t, await site.visit(short_url + end, {method: 'HEAD'}), destination);
    }
    t.is((await site.info(short_url)).total_visits, clinging.length);
  });

  test('what clings to a short part of any script does not either', async (t) => {
    const site = await startSite(t, {world, shortUrl: {shortParts: {unicode: true, segments: 2}}});
    for (const custom_url of ['frühling', '🌷/春']) {
      const {short_url} = (await site.post('create', {url: destination, custom_url})).json().data;
      for (const end of clinging) redirects(t, await site.visit(short_url + end), destination);
    }
  });

  test('a path that could itself be a link, and one with anything else behind it, is no other link', async (t) => {
    const site = await shared();
    const {short_url} = await site.create({custom_url: 'alone'});
    const ends = ['-', '_', '.x', '~x', '.html', '/x', '%2Fx', '%', '%FF', '%E2%80', '#', '=', '&', '(', '/+'];
    for (const end of arriving(world, ends)) {
      isTheHosts(t, await site.visit(short_url + end), 404, world.mount.notFound);
    }
    for (const path of arriving(world, [
      '/%61lone.',
      '/nothing/',
      '/nothing.',
      '/nothing+',
      '/+',
      '/.',
      '/about.txt/',
    ])) {
      isTheHosts(t, await site.visit(site.baseUrl + path), 404, world.mount.notFound);
    }
  });

  test('what is no short URL for a file server or a proxy leads to no link', async (t) => {
    const site = await shared();
    const {short_url} = await site.create({custom_url: 'dots'});
    for (const end of arriving(world, ['/..', '/../', '/%2e%2e', '%2f..%2f', '/.', '/.%2E/'])) {
      isTheHosts(t, await site.visit(short_url + end), 404, world.mount.notFound);
    }
  });

  test('the password form works behind a short URL with a full stop', async (t) => {
    const site = await shared();
    const {short_url} = await site.create({password: 's3cret'});
    t.regex((await site.visit(`${short_url}.`)).text, /<form/);
    t.is((await site.submit(`${short_url}.`, 'wrong')).status, 401);
    redirects(t, await site.submit(`${short_url}.`, 's3cret'), destination, 303);
    t.is((await site.info(short_url)).total_visits, 1);
  });

  test('a plus behind a short URL shows where it leads and when it was created, and counts nothing', async (t) => {
    const site = await shared();
    const {short_url} = await site.create({
      url: 'https://user:p@a.example/<b>?"q"&r',
      title: 'For the board',
      tags: 'x',
      confirm: 'false',
    });
    for (const end of ['+', '%2B', '+.']) {
      const {status, headers, text} = await site.visit(short_url + end);
      t.is(status, 200);
      t.is(headers['x-robots-tag'], 'noindex');
      t.is(headers['cache-control'], 'no-store');
      t.is(headers.location, undefined);
      t.true(text.includes('https://user:p@<strong>a.example</strong>/%3Cb%3E?%22q%22&amp;r'), text);
      t.regex(text, /Created on May 6, 2031/);
      t.true(text.includes(`<a href="${short_url}"`));
      t.notRegex(text, /board/);
      t.deepEqual(await site.visit(short_url + end, {method: 'HEAD'}).then((head) => [head.status, head.text]), [
        200,
        '',
      ]);
    }
    t.is((await site.visit(`${short_url}+`, {method: 'POST'})).status, 404);
    t.is((await site.info(short_url)).total_visits, 0);
  });

  test('a plus behind the short URL of a link with rules shows where this visitor would be redirected', async (t) => {
    const site = await shared();
    const rules = JSON.stringify([{language: 'de', url: 'https://de.example/'}]);
    const {short_url} = await site.create({rules, confirm: 'false'});
    const german = await site.visit(`${short_url}+`, {headers: {'Accept-Language': 'de'}});
    t.regex(german.text, /de\.example/);
    t.regex(String(german.headers.vary), /Accept-Language/);
    t.regex((await site.visit(`${short_url}+`)).text, /destination\.example/);
  });

  test('a plus behind the short URL of a link that is not open to everybody shows no destination', async (t) => {
    const site = await startSite(t, {world});
    const restricted = [await site.create({password: 's3cret'}), await site.create({max_visits: '5'})];
    const ended = [
      await site.create(),
      await site.create(),
      await site.create({expiry_date: '2031-05-06', expired_url: 'https://after.example/'}),
    ];
    for (const [index, operation] of ['disable', 'remove'].entries()) {
      accepted(t, await site.api(operation, {short_url: ended[index]?.short_url ?? ''}));
    }
    site.clock.set('2031-05-07T12:00:00Z');
    for (const [links, sentence] of [
      [restricted, /A short link/],
      [ended, /no longer works/],
    ] as const) {
      for (const {short_url} of links) {
        const {status, headers, text} = await site.visit(`${short_url}+`);
        t.is(status, 200);
        t.notRegex(JSON.stringify(headers) + text, /(?:destination|after)\.example/);
        t.regex(text, sentence);
      }
    }
  });
}
