import test from 'ava';
import {accepted, carriesApiHeaders, type Failure, refused} from '../../support/answers.ts';
import {standard, urlSafe} from '../../support/base64.ts';
import {sharedSite, startSite} from '../../support/site.ts';
import type {World} from '../../support/worlds.ts';
import {asXmlReads} from '../../support/xml.ts';

const url = 'https://destination.example/page';
const encoded = urlSafe(url);

/** How the path of a call is read, and the format of its answer. The unit test has more malformed paths. */
export function parameters(world: World): void {
  const making = sharedSite({world});
  const refusing = sharedSite({world});

  const wrong: Record<string, Failure> = {
    create: 'missing_parameter',
    'create/custom_url/spring': 'missing_parameter',
    disable: 'missing_parameter',
    enable: 'missing_parameter',
    info: 'missing_parameter',
    'update/title/x': 'missing_parameter',
    remove: 'missing_parameter',
    stats: 'missing_parameter',
    [`info/reference/x/short_url/${encoded}`]: 'malformed_parameter',
    [`info/title/x/short_url/${encoded}`]: 'unknown_parameter',
    [`disable/password/x/short_url/${encoded}`]: 'unknown_parameter',
    [`remove/short_url/${encoded}/tags/x`]: 'unknown_parameter',
    [`create/clear/title/url/${encoded}`]: 'unknown_parameter',
    [`create/limit/5/url/${encoded}`]: 'unknown_parameter',
    [`create/key/x/url/${encoded}`]: 'unknown_parameter',
    [`create/Custom_URL/spring/url/${encoded}`]: 'unknown_parameter',
    [`create/__proto__/x/url/${encoded}`]: 'unknown_parameter',
    [`stats/short_url/${encoded}/limit/5`]: 'unknown_parameter',
    'list_active_urls/tag/x': 'unknown_parameter',
    'list_active_urls/toString/x': 'unknown_parameter',
    'list_urls/tags/x': 'unknown_parameter',
    'list_urls/search/a/search/a': 'duplicate_parameter',
    'list_urls/status/Active': 'malformed_parameter',
    'list_urls/order/random': 'malformed_parameter',
    'list_urls/base_domain/https%3A%2F%2Fsho.rt': 'malformed_parameter',
    'list_urls/tag//order/oldest': 'malformed_parameter',
    [`list_urls/order/oldest/cursor/${urlSafe('before 2')}`]: 'malformed_parameter',
    [`create/custom_url/a/expiry_date/2031-06-07/custom_url/a/url/${encoded}`]: 'duplicate_parameter',
    'create/custom_url': 'malformed_parameter',
    'create/url/': 'malformed_parameter',
    [`create/password//url/${encoded}`]: 'malformed_parameter',
    [`create/password/100%/url/${encoded}`]: 'malformed_parameter',
    [`create/password/%ED%A0%80/url/${encoded}`]: 'malformed_parameter',
    'create/url/%E0%A4%A': 'malformed_parameter',
    'list_active_urls/limit/0': 'malformed_parameter',
    'list_active_urls/limit/1001': 'malformed_parameter',
    'list_active_urls/limit/ten': 'malformed_parameter',
    'list_active_urls/limit/1e2': 'malformed_parameter',
    'list_active_urls/limit/%205': 'malformed_parameter',
    'list_active_urls/limit/%2B5': 'malformed_parameter',
    'list_active_urls/limit/%EF%BC%95': 'malformed_parameter',
    'list_active_urls/cursor/nonsense': 'malformed_parameter',
    // Of two wrong parameters the first from the left is reported.
    [`create/expiry_date/never/custom_url/a+b/url/${encoded}`]: 'invalid_expiry_date',
    [`create/custom_url/a+b/expiry_date/never/url/${encoded}`]: 'invalid_custom_url',
    [`create/title/%20/expiry_date/never/url/${encoded}`]: 'malformed_parameter',
    [`create/expiry_date/never/title/%20/url/${encoded}`]: 'invalid_expiry_date',
    [`update/short_url/${encoded}/expiry_date/never/password/${'x'.repeat(129)}`]: 'invalid_expiry_date',
    [`create/base_domain/unknown.example/url/${urlSafe('ftp://x')}`]: 'unknown_base_domain',
  };
  test('the first wrong parameter is reported, in JSON and in XML, and nothing is created', async (t) => {
    const site = await refusing();
    for (const [rest, failure] of Object.entries(wrong)) {
      for (const suffix of ['.json', '.xml']) refused(t, await site.call(rest + suffix), failure);
    }
    t.deepEqual(await site.list(), []);
  });

  test('parameters may be in any order', async (t) => {
    const site = await making();
    const pairs = ['custom_url/spring', 'expiry_date/2031-06-07', 'base_domain/sho.rt', `url/${encoded}`];
    for (const order of [
      [0, 1, 2, 3],
      [3, 2, 1, 0],
      [2, 3, 0, 1],
    ]) {
      const part = `spring-${order.join('')}`;
      const path = order.map((index) => pairs[index]).join('/');
      const link = accepted(t, await site.call(`create/${path.replace('spring', part)}.json`));
      t.like(link, {short_url: `https://sho.rt${site.base}/${part}`, original_url: url});
      t.is((await site.info(link.short_url)).expiry_date, '2031-06-07 23:59:59');
    }
  });

  test('a value is percent-decoded exactly once', async (t) => {
    const site = await startSite(t, {world});
    t.is((await site.create({}, {suffix: '/custom_url/%73pring.json'})).short_url_part, 'spring');
    refused(t, await site.call(`create/custom_url/%2573pring/url/${encoded}.json`), 'invalid_custom_url');
    const twice = encodeURIComponent(encodeURIComponent(standard(`${url}?`)));
    refused(t, await site.call(`create/url/${twice}.json`), 'malformed_base64');
  });

  test('the suffix chooses the format, which is JSON if there is none or an unsupported one', async (t) => {
    const site = await making();
    for (const [suffix, type] of [
      ['.json', 'json'],
      ['.JSON', 'json'],
      ['.xml', 'xml'],
      ['.XML', 'xml'],
      ['', 'json'],
    ] as const) {
      for (const [operation, parameters, status] of [
        ['create', {url}, 200],
        ['list_active_urls', {}, 200],
        ['info', {short_url: 'https://example.com/none'}, 404],
      ] as ReadonlyArray<[string, Record<string, string>, number]>) {
        const reply = await site.api(operation, parameters, {suffix});
        t.is(reply.status, status);
        t.is(reply.headers['content-type'], `application/${type}; charset=utf-8`, suffix);
      }
    }
    for (const suffix of ['.yaml', '.txt', '.html', '.jsonx', '.xml1']) {
      const reply = await site.api('create', {url}, {suffix});
      refused(t, reply, 'unsupported_format');
      t.is(reply.headers['content-type'], 'application/json; charset=utf-8');
    }
  });

  const spring = {short_url: `https://example.com${world.mount.base}/spring`};
  const summer = {short_url: `https://example.com${world.mount.base}/summer`};
  const none = {short_url: `https://example.com${world.mount.base}/none`};
  const calls: ReadonlyArray<[operation: string, parameters?: Record<string, string>, call?: {key: string}]> = [
    ['disable', spring],
    ['enable', spring],
    ['info', spring],
    ['info', summer],
    ['list_active_urls'],
    ['list_active_urls', {limit: '1'}],
    ['update', {...spring, title: 'a & b', tags: 'x,<y>', max_visits: '9'}],
    ['stats', spring],
    ['stats', summer],
    ['list_urls'],
    ['list_urls', {limit: '1', order: 'oldest'}],
    ['list_urls', {tag: 'none'}],
    ['update', {...summer, clear: 'title,tags,expiry_date'}],
    ['nonsense'],
    ['info', none],
    ['list_active_urls', {}, {key: 'nonsense'}],
    ['create', {custom_url: 'spring', url: 'https://x.example/'}],
  ];

  test('XML and JSON have the same content in the same order', async (t) => {
    const site = await startSite(t, {world});
    await site.visit((await site.create({custom_url: 'spring'})).short_url);
    await site.create({custom_url: 'summer', expiry_date: '2031-06-07', title: 'Summer', tags: 'mail,posters'});
    for (const [operation, parameters = {}, call = {}] of calls) {
      const json = await site.api(operation, parameters, call);
      const xml = await site.api(operation, parameters, {...call, suffix: '.xml'});
      t.is(xml.status, json.status);
      t.is(json.json().code, json.status);
      for (const reply of [json, xml]) carriesApiHeaders(t, reply);
      t.deepEqual(xml.xml(), asXmlReads(json.json()), operation);
      t.deepEqual(Object.keys(xml.envelope.data), Object.keys(json.envelope.data), operation);
    }
  });

  test('a list in XML has a url element for each link', async (t) => {
    const site = await startSite(t, {world});
    let urls = '';
    for (const custom_url of ['one', 'two']) {
      const {text} = await site.api('list_active_urls', {}, {suffix: '.xml'});
      t.is(
        text.replace('<urls/>', '<urls></urls>'),
        `<?xml version="1.0" encoding="UTF-8"?><response><code>200</code><data><urls>${urls}</urls>` +
          '<date_time>2031-05-06 12:00:00</date_time></data></response>',
      );
      const {short_url} = await site.create({custom_url});
      urls += `<url><short_url>${short_url}</short_url></url>`;
    }
  });
}
