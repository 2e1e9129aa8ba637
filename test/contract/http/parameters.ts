import test from 'ava';
import {accepted, refused, type Failure} from '../../support/answers.ts';
import {standard, urlSafe} from '../../support/base64.ts';
import {sharedSite, startSite} from '../../support/site.ts';
import type {World} from '../../support/worlds.ts';

const url = 'https://destination.example/page';
const encoded = urlSafe(url);

/** How the path of a call is read. */
export function parameters(world: World): void {
  // For tests that create links and do not look at others.
  const making = sharedSite({world});
  // For tests that create nothing.
  const refusing = sharedSite({world});

  const wrong: Record<string, [rest: string, failure: Failure]> = {
    'create without anything': ['create.json', 'missing_parameter'],
    'create without url': ['create/custom_url/spring.json', 'missing_parameter'],
    'disable without short_url': ['disable.json', 'missing_parameter'],
    'enable without short_url': ['enable.json', 'missing_parameter'],
    'info without short_url': ['info.json', 'missing_parameter'],
    'update without short_url': ['update/title/x.json', 'missing_parameter'],
    'remove without short_url': ['remove.json', 'missing_parameter'],
    'stats without short_url': ['stats.json', 'missing_parameter'],
    'a title given to info': [`info/title/x/short_url/${encoded}.json`, 'unknown_parameter'],
    'tags given to remove': [`remove/short_url/${encoded}/tags/x.json`, 'unknown_parameter'],
    'clear given to create': [`create/clear/title/url/${encoded}.json`, 'unknown_parameter'],
    'a limit given to stats': [`stats/short_url/${encoded}/limit/5.json`, 'unknown_parameter'],
    'a tag given to list_active_urls': ['list_active_urls/tag/x.json', 'unknown_parameter'],
    'tags given to list_urls': ['list_urls/tags/x.json', 'unknown_parameter'],
    'search given twice': ['list_urls/search/a/search/a.json', 'duplicate_parameter'],
    'a title given twice': [`create/title/a/title/b/url/${encoded}.json`, 'duplicate_parameter'],
    'a search that cannot be decoded': ['list_urls/search/100%.json', 'malformed_parameter'],
    'an unknown name': [`create/colour/red/url/${encoded}.json`, 'unknown_parameter'],
    'a name of another operation': [`create/limit/5/url/${encoded}.json`, 'unknown_parameter'],
    'url given to info': [`info/url/${encoded}.json`, 'unknown_parameter'],
    'a password given to disable': [`disable/password/x/short_url/${encoded}.json`, 'unknown_parameter'],
    'short_url given to list_active_urls': [`list_active_urls/short_url/${encoded}.json`, 'unknown_parameter'],
    'a name in another case': [`create/Custom_URL/spring/url/${encoded}.json`, 'unknown_parameter'],
    'the key as a parameter': [`create/key/x/url/${encoded}.json`, 'unknown_parameter'],
    'the name __proto__': [`create/__proto__/x/url/${encoded}.json`, 'unknown_parameter'],
    'the name constructor': [`create/constructor/x/url/${encoded}.json`, 'unknown_parameter'],
    'the name hasOwnProperty': [`info/hasOwnProperty/x/short_url/${encoded}.json`, 'unknown_parameter'],
    'the name toString': ['list_active_urls/toString/x.json', 'unknown_parameter'],
    'a name given twice': [`create/custom_url/a/custom_url/b/url/${encoded}.json`, 'duplicate_parameter'],
    'a name given twice with one value': [
      `create/custom_url/a/expiry_date/2031-06-07/custom_url/a/url/${encoded}.json`,
      'duplicate_parameter',
    ],
    'limit given twice': ['list_active_urls/limit/1/limit/1.json', 'duplicate_parameter'],
    'a name without a value': ['create/custom_url.json', 'malformed_parameter'],
    'a name without a value behind a good pair': [`create/url/${encoded}/custom_url.json`, 'malformed_parameter'],
    'an empty value': [`create/custom_url//url/${encoded}.json`, 'malformed_parameter'],
    'an empty password': [`create/password//url/${encoded}.json`, 'malformed_parameter'],
    'an empty value at the end': ['create/url/.json', 'malformed_parameter'],
    'an empty short_url': ['info/short_url/.json', 'malformed_parameter'],
    'a percent sign alone': [`create/password/100%/url/${encoded}.json`, 'malformed_parameter'],
    'an invalid percent sequence': [`create/password/%zz/url/${encoded}.json`, 'malformed_parameter'],
    'a truncated percent sequence': [`create/password/%E2%82/url/${encoded}.json`, 'malformed_parameter'],
    'percent-encoded bytes that are not UTF-8': [`create/password/%FF/url/${encoded}.json`, 'malformed_parameter'],
    'a percent-encoded lone surrogate': [`create/password/%ED%A0%80/url/${encoded}.json`, 'malformed_parameter'],
    'a percent sequence that cannot be decoded in url': ['create/url/%E0%A4%A.json', 'malformed_parameter'],
    'limit 0': ['list_active_urls/limit/0.json', 'malformed_parameter'],
    'limit 1001': ['list_active_urls/limit/1001.json', 'malformed_parameter'],
    'a negative limit': ['list_active_urls/limit/-1.json', 'malformed_parameter'],
    'a limit that is not a number': ['list_active_urls/limit/ten.json', 'malformed_parameter'],
    'a limit in another notation': ['list_active_urls/limit/1e2.json', 'malformed_parameter'],
    'a limit with a space': ['list_active_urls/limit/%205.json', 'malformed_parameter'],
    'a cursor that was never handed out': ['list_active_urls/cursor/nonsense.json', 'malformed_parameter'],
    'a cursor of odd characters': ['list_active_urls/limit/5/cursor/%00%F0%9F%98%80.json', 'malformed_parameter'],
  };
  for (const [what, [rest, failure]] of Object.entries(wrong)) {
    test(`${what} is a ${failure}, in JSON and in XML`, async (t) => {
      const site = await refusing();
      refused(t, await site.call(rest), failure);
      refused(t, await site.call(rest.replace(/\.json$/, '.xml')), failure);
      t.deepEqual(await site.list(), []);
    });
  }

  const both: Record<string, [rest: string, failure: Failure]> = {
    'unknown, then empty': [`create/colour/red/password//url/${encoded}.json`, 'unknown_parameter'],
    'empty, then unknown': [`create/password//colour/red/url/${encoded}.json`, 'malformed_parameter'],
    'twice, then undecodable': [
      `create/custom_url/a/custom_url/b/password/%zz/url/${encoded}.json`,
      'duplicate_parameter',
    ],
    'undecodable, then twice': [
      `create/password/%zz/custom_url/a/custom_url/b/url/${encoded}.json`,
      'malformed_parameter',
    ],
    'unknown, and url missing': ['create/colour/red.json', 'unknown_parameter'],
    'a bad date, then a bad custom_url': [
      `create/expiry_date/never/custom_url/a+b/url/${encoded}.json`,
      'invalid_expiry_date',
    ],
    'a bad custom_url, then a bad date': [
      `create/custom_url/a+b/expiry_date/never/url/${encoded}.json`,
      'invalid_custom_url',
    ],
    'a bad title, then a bad date': [`create/title/%20/expiry_date/never/url/${encoded}.json`, 'malformed_parameter'],
    'a bad date, then a bad title': [`create/expiry_date/never/title/%20/url/${encoded}.json`, 'invalid_expiry_date'],
    'a bad change, then another': [
      `update/short_url/${encoded}/expiry_date/never/password/${'x'.repeat(129)}.json`,
      'invalid_expiry_date',
    ],
    'a bad base_domain, then a bad url': [
      `create/base_domain/unknown.example/url/${urlSafe('ftp://x')}.json`,
      'unknown_base_domain',
    ],
  };
  for (const [what, [rest, failure]] of Object.entries(both)) {
    test(`of two wrong parameters the first from the left is reported: ${what}`, async (t) => {
      const site = await refusing();
      refused(t, await site.call(rest), failure);
    });
  }

  const pairs = ['custom_url/spring', 'expiry_date/2031-06-07', 'base_domain/sho.rt', `url/${encoded}`];
  const orders = [
    ['as in the specification', [0, 1, 2, 3]],
    ['backwards', [3, 2, 1, 0]],
    ['url second', [2, 3, 0, 1]],
    ['url third', [1, 0, 3, 2]],
  ] as const;
  for (const [what, order] of orders) {
    test(`parameters may be in any order: ${what}`, async (t) => {
      const site = await making();
      const part = `spring-${order.join('')}`;
      const path = order
        .map((index) => pairs[index])
        .join('/')
        .replace('spring', part);
      const link = accepted(t, await site.call(`create/${path}.json`));
      t.is(link.short_url, `https://sho.rt${site.base}/${part}`);
      t.is(link.original_url, url);
      t.is((await site.info(link.short_url)).expiry_date, '2031-06-07 23:59:59');
    });
  }

  test('a value is percent-decoded exactly once', async (t) => {
    const site = await startSite(t, {world});
    t.is((await site.create({}, {suffix: '/custom_url/%73pring.json'})).short_url_part, 'spring');
    refused(t, await site.call(`create/custom_url/%2573pring/url/${encoded}.json`), 'invalid_custom_url');
    refused(
      t,
      await site.call(`create/url/${encodeURIComponent(encodeURIComponent(standard(`${url}?`)))}.json`),
      'malformed_base64',
    );
  });

  const suffixes = {
    '.json': 'application/json; charset=utf-8',
    '.JSON': 'application/json; charset=utf-8',
    '.xml': 'application/xml; charset=utf-8',
    '.XML': 'application/xml; charset=utf-8',
    '': 'application/json; charset=utf-8',
  };
  for (const [suffix, type] of Object.entries(suffixes)) {
    test(`the suffix ${suffix || 'left out'} answers ${type}`, async (t) => {
      const site = await making();
      const created = await site.api('create', {url}, {suffix});
      t.is(created.status, 200);
      t.is(created.headers['content-type'], type);
      t.is(created.envelope.data['original_url'], url);
      t.is((await site.api('list_active_urls', {}, {suffix})).headers['content-type'], type);
      const failure = await site.api('info', {short_url: 'https://example.com/none'}, {suffix});
      t.is(failure.headers['content-type'], type);
      refused(t, failure, 'unknown_short_url');
    });
  }

  for (const suffix of ['.yaml', '.txt', '.html', '.jsonx', '.xml1']) {
    test(`the suffix ${suffix} is an unsupported_format, in JSON`, async (t) => {
      const site = await refusing();
      for (const reply of [
        await site.api('create', {url}, {suffix}),
        await site.api('list_active_urls', {}, {suffix}),
      ]) {
        refused(t, reply, 'unsupported_format');
        t.is(reply.headers['content-type'], 'application/json; charset=utf-8');
      }
      t.deepEqual(await site.list(), []);
    });
  }
}
