import '../../support/quick-scrypt.ts';
import test from 'ava';
import {accepted, redirects} from '../../support/answers.ts';
import {startSite} from '../../support/site.ts';
import {dashboard} from '../../../src/dashboard.ts';

/** Adds properties to a stored link. */
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
