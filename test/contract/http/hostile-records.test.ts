import '../../support/quick-scrypt.ts';
import test from 'ava';
import {accepted, redirects} from '../../support/answers.ts';
import {startSite} from '../../support/site.ts';
import {dashboard} from '../../../src/dashboard.ts';

/** Adds properties to a stored link, or changes them. */
function having(more: object): (text: string) => string {
  return (text) => JSON.stringify({value: [(JSON.parse(text) as {value: string}).value, more]});
}

const records: Record<string, (text: string) => string> = {
  'a script as its long URL': (text) => text.replace('https://destination.example/page', 'javascript:alert(1)'),
  'a script as its target': having({target: 'JavaScript:alert(1)'}),
  'a script as its URL after expiry': having({expiredUrl: 'javascript:alert(1)'}),
  'a script as the URL of a rule': having({rules: [{device: 'desktop', url: 'javascript:alert(1)'}]}),
  'a file as its long URL': (text) => text.replace('https://destination.example/page', 'file:///etc/passwd'),
};
for (const [what, change] of Object.entries(records)) {
  test(`a stored link with ${what} redirects nobody and shows it nowhere, until its owner changes it`, async (t) => {
    const map = new Map<string, unknown>();
    const pages: {answer?: ReturnType<typeof dashboard>} = {};
    const site = await startSite(t, {
      shortUrl: {store: map},
      downstream: async (ctx, next) => {
        await pages.answer?.(ctx, next);
      },
    });
    pages.answer = dashboard(site.shortener, {account: () => 'user-42'});
    const {short_url} = await site.create({custom_url: 'spring'});
    const key = [...map.keys()].find((name) => name.includes('spring')) ?? '';
    map.set(key, change(String(map.get(key))));
    t.regex(String(map.get(key)), /script:|file:/i);

    const visit = await site.visit(short_url);
    t.is(visit.status, 410);
    t.is(visit.headers.location, undefined);
    const answers = [
      visit.text,
      (await site.api('info', {short_url})).text,
      (await site.api('list_urls')).text,
      (await site.api('list_urls', {}, {suffix: '.xml'})).text,
      JSON.stringify(await site.shortener.links.page('user-42')),
      (await site.request({path: '/links/'})).text,
      (await site.request({path: `/links/link?short_url=${encodeURIComponent(short_url)}`})).text,
    ];
    for (const answer of answers) t.notRegex(answer, /javascript:|file:\/\//i);
    t.is((await site.info(short_url)).status, 'disabled');

    accepted(t, await site.api('update', {short_url, url: 'https://destination.example/other'}));
    accepted(t, await site.api('enable', {short_url}));
    redirects(t, await site.visit(short_url), 'https://destination.example/other');
  });
}

/** Values that no site writes, which a changed export or a write by hand may have brought into a store. */
const strange: readonly object[] = [
  {title: {}},
  {title: 5},
  {tags: 5},
  {tags: [{}]},
  {end: 'soon'},
  {end: 1e300},
  {start: []},
  {created: 1e300},
  {created: 'now'},
  {rules: 5},
  {utm: 'mail'},
  {utm: {source: 5}},
  {utm: {}},
  {rules: [null]},
  {rules: [{url: 5}]},
  {expiredUrl: 5},
  {previewImage: {}},
  {previewTitle: []},
  {maxVisits: 'many'},
  {used: null},
  {reference: 5},
  {password: 5},
  {state: 'lost'},
  {id: 'x'},
  {account: 5},
  {generation: {}},
  {counters: 5},
];

for (const more of strange) {
  test(`a stored link with ${JSON.stringify(more)} costs its lists a row at most, and no page`, async (t) => {
    const map = new Map<string, unknown>();
    const pages: {answer?: ReturnType<typeof dashboard>} = {};
    const site = await startSite(t, {
      shortUrl: {store: map, attribution: {}},
      downstream: async (ctx, next) => {
        await pages.answer?.(ctx, next);
      },
    });
    pages.answer = dashboard(site.shortener, {account: () => 'user-42', admin: () => true});
    const {short_url} = await site.create({custom_url: 'spring'});
    const other = (await site.create({custom_url: 'other'})).short_url;
    const key = [...map.keys()].find((name) => name.includes('spring')) ?? '';
    map.set(key, having(more)(String(map.get(key))));

    const {links, admin} = site.shortener;
    for (const order of ['newest', 'oldest', 'visits', 'conversions'] as const) {
      const found = (await links.page('user-42', {order, days: 7})).links.map(({shortUrl}) => shortUrl);
      t.true(found.includes(other), order);
      t.true(
        (await admin.pageLinks({order})).links.some(({link}) => link.shortUrl === other),
        order,
      );
    }
    for (const path of ['/links/', '/links/operator', '/links/compare', '/links/accounts', '/links/tags']) {
      t.is((await site.request({path})).status, 200, path);
    }
    accepted(t, await site.api('list_urls'));
    accepted(t, await site.api('list_active_urls'));
    t.truthy(await links.compare('user-42'));
    t.like(await site.shortener.accounts.stats('user-42'), {totalVisits: 0});
    t.true((await site.visit(short_url)).status < 600);
  });
}
