import '../../support/quick-scrypt.ts';
import test from 'ava';
import {startSite} from '../../support/site.ts';

const asks = [
  {method: 'HEAD'},
  {method: 'OPTIONS'},
  {headers: {'Sec-Purpose': 'prefetch'}},
  {headers: {'Sec-Purpose': 'prefetch;prerender'}},
  {headers: {Purpose: 'prefetch'}},
];
for (const ask of asks) {
  test(`${JSON.stringify(ask)} changes nothing in the store`, async (t) => {
    const store = new Map<string, unknown>();
    const site = await startSite(t, {
      shortUrl: {store, secret: 'a secret for this test, and for nothing else', createQuota: 10},
    });
    const open = await site.create({custom_url: 'open'});
    const locked = await site.create({custom_url: 'locked', password: 's3cret'});
    const disabled = await site.create({custom_url: 'disabled'});
    await site.api('disable', {short_url: disabled.short_url});
    const before = JSON.stringify(Array.from(store));

    const calls: ReadonlyArray<[operation: string, parameters: Record<string, string>]> = [
      ['create', {url: 'https://destination.example/'}],
      ['disable', {short_url: open.short_url}],
      ['enable', {short_url: disabled.short_url}],
      ['info', {short_url: open.short_url}],
      ['list_active_urls', {}],
      ['update', {short_url: open.short_url, title: 'Spring', clear: 'password'}],
      ['remove', {short_url: disabled.short_url}],
      ['stats', {short_url: open.short_url}],
      ['list_urls', {}],
    ];
    for (const [operation, parameters] of calls) await site.api(operation, parameters, ask);
    for (const link of [open, locked, disabled]) await site.visit(link.short_url, ask);
    await site.visit(`${site.baseUrl}/nothing`, ask);

    t.is(JSON.stringify(Array.from(store)), before);
    t.is((await site.visit(open.short_url)).status, 302);
    t.not(JSON.stringify(Array.from(store)), before, 'as a visit does');
  });
}
