import test from 'ava';
import '../../support/quick-scrypt.ts';
import {accepted, redirects, refused} from '../../support/answers.ts';
import {sharedSite, startSite} from '../../support/site.ts';
import type {World} from '../../support/worlds.ts';

const url = 'https://destination.example/page';
const other = (name: string): string => `https://${name}.example/`;

const iphone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile Safari/604.1';
const android = 'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/130.0 Mobile Safari/537.36';
const windows = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/130.0 Safari/537.36';
const bot = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

/** Start dates, URLs after expiry, forwarded queries and rules. */
export function deciding(world: World): void {
  const shared = sharedSite({world});

  test('full records end with the fields that decide, in JSON and XML', async (t) => {
    const site = await shared();
    const rules = [
      {url: other('phone'), device: 'ios', language: 'de'},
      {until: '2032-01-31', from: '2032-01-01', url: other('january')},
    ];
    const given = {
      start_date: '2031-05-01',
      expired_url: other('over'),
      forward_query: 'true',
      rules: JSON.stringify(rules),
    };
    const {short_url} = await site.create(given);
    const page = accepted(t, await site.api('stats', {short_url}));
    const names = Object.keys(page);
    t.deepEqual(names.slice(names.indexOf('max_visits') + 1, -4), [
      'start_date',
      'expired_url',
      'forward_query',
      'rules',
      'preview_title',
      'preview_description',
      'preview_image',
      'reference',
    ]);
    t.is(page.start_date, '2031-05-01 00:00:00');
    t.is(page.expired_url, other('over'));
    t.true(page.forward_query);
    t.deepEqual(page.rules, rules as typeof page.rules);
    const xml = await site.api('stats', {short_url}, {suffix: '.xml'});
    t.true(
      xml.text.includes(
        '<start_date>2031-05-01 00:00:00</start_date><expired_url>https://over.example/</expired_url>' +
          '<forward_query>true</forward_query><rules><rule><device>ios</device><language>de</language>' +
          '<url>https://phone.example/</url></rule><rule><from>2032-01-01</from><until>2032-01-31</until>' +
          '<url>https://january.example/</url></rule></rules>',
      ),
      xml.text,
    );
    const clear = 'start_date,expired_url,forward_query,rules';
    const cleared = accepted(t, await site.api('update', {short_url, clear}));
    const {start_date, expired_url, forward_query} = cleared;
    t.deepEqual([start_date, expired_url, forward_query, cleared.rules], [null, null, false, []]);
    redirects(t, await site.visit(short_url), url);
  });

  test('POST takes the fields as plain JSON, and null or `clear` clears them', async (t) => {
    const site = await shared();
    const fields = {
      start_date: '2031-05-01',
      expired_url: other('over'),
      forward_query: true,
      rules: [{device: 'ios', url: other('phone')}],
    };
    const {short_url} = accepted(t, await site.post('create', {url, ...fields}));
    t.like(accepted(t, await site.post('stats', {short_url})), {
      ...fields,
      start_date: '2031-05-01 00:00:00',
    });
    const changes = {expired_url: null, forward_query: false, clear: ['rules']};
    t.like(accepted(t, await site.post('update', {short_url, ...changes})), {
      expired_url: null,
      forward_query: false,
      rules: [],
    });
    for (const [name, value] of Object.entries({start_date: 5, expired_url: ['x'], forward_query: 'true', rules: {}})) {
      refused(t, await site.post('create', {url, [name]: value}), 'malformed_parameter');
    }
  });

  test('a wrong value is refused with its code, and nothing changes', async (t) => {
    const site = await shared();
    const {short_url} = await site.create();
    const rules = (...list: object[]): {rules: string} => ({rules: JSON.stringify(list)});
    const wrong: Array<[Record<string, string>, Parameters<typeof refused>[2]]> = [
      [{start_date: '2031-02-30'}, 'malformed_parameter'],
      [{start_date: 'tomorrow'}, 'malformed_parameter'],
      [{expired_url: 'ftp://destination.example/'}, 'invalid_url'],
      [{expired_url: `${url}${'a'.repeat(8192)}`}, 'invalid_url'],
      [{forward_query: 'yes'}, 'malformed_parameter'],
      [{rules: 'no JSON'}, 'malformed_parameter'],
      [{rules: '{"device":"ios"}'}, 'malformed_parameter'],
      [{rules: 'null'}, 'malformed_parameter'],
      [rules({url}), 'malformed_parameter'],
      [rules({device: 'ios'}), 'malformed_parameter'],
      [rules({device: 'phone', url}), 'malformed_parameter'],
      [rules({browser: 'firefox', url}), 'malformed_parameter'],
      [rules({language: 'german', url}), 'malformed_parameter'],
      [rules({country: 'DEU', url}), 'malformed_parameter'],
      [rules({from: '2031-02-29', url}), 'malformed_parameter'],
      [rules({from: '2031-02-02', until: '2031-02-01', url}), 'malformed_parameter'],
      [rules({device: 'ios', url: 'destination'}), 'invalid_url'],
      [rules(...Array.from({length: 11}, () => ({device: 'ios', url}))), 'malformed_parameter'],
    ];
    for (const [fields, code] of wrong) {
      refused(t, await site.api('create', {url, ...fields}), code);
      refused(t, await site.api('update', {short_url, ...fields}), code);
    }
    refused(t, await site.call(`create/rules/!/url/aHR0cHM6Ly9hLmV4YW1wbGU`), 'malformed_base64');
    const long = Array.from({length: 9}, () => ({device: 'ios', url: `${url}?${'a'.repeat(8000)}`}));
    refused(t, await site.post('create', {url, rules: long}), 'malformed_parameter');
    t.like(accepted(t, await site.api('stats', {short_url})), {
      start_date: null,
      expired_url: null,
      rules: [],
    });
  });

  test('no URL of a link may be a short URL of the site or lead into its API', async (t) => {
    const site = await shared();
    const {short_url: taken} = await site.create();
    const {short_url} = await site.create();
    const api = `${site.baseUrl}/api/v1/key/shorturl/create`;
    for (const forbidden of [taken, api]) {
      for (const fields of [{expired_url: forbidden}, {rules: JSON.stringify([{device: 'ios', url: forbidden}])}]) {
        refused(t, await site.api('create', {url, ...fields}), 'forbidden_url');
        refused(t, await site.api('update', {short_url, ...fields}), 'forbidden_url');
      }
    }
    const itself = `${site.baseUrl}/decides-for-itself`;
    for (const fields of [{expired_url: itself}, {rules: JSON.stringify([{device: 'ios', url: itself}])}]) {
      refused(t, await site.api('create', {url, custom_url: 'decides-for-itself', ...fields}), 'forbidden_url');
    }
  });

  test('before its start date a short URL is unknown to visitors and scheduled for its owner', async (t) => {
    const site = await startSite(t, {world});
    const {short_url} = await site.create({start_date: '2031-05-08', password: 'secret'});
    const {short_url: open} = await site.create({start_date: '2031-05-08'});
    for (const link of [short_url, open]) {
      t.is((await site.visit(link)).status, 404);
      t.is((await site.visit(link, {method: 'HEAD'})).status, 404);
      t.is((await site.submit(link, 'secret')).status, 404);
      t.is((await site.info(link)).status, 'scheduled');
      t.is(accepted(t, await site.api('enable', {short_url: link})).status, 'scheduled');
    }
    t.deepEqual(await site.list(), []);
    t.is(accepted(t, await site.api('list_urls', {status: 'scheduled'})).urls.length, 2);
    t.is(accepted(t, await site.api('list_urls', {status: 'active'})).urls.length, 0);
    t.is(accepted(t, await site.api('disable', {short_url})).status, 'disabled');
    t.is((await site.visit(short_url)).status, 410);
    site.clock.set('2031-05-08T00:00:00Z');
    redirects(t, await site.visit(open), url);
    t.is((await site.info(open)).status, 'active');
    t.deepEqual(await site.list(), [open]);
  });

  test('visitors of an expired link go to its other URL, uncounted, but not those of a disabled one', async (t) => {
    const site = await startSite(t, {world});
    const parameters = {expiry_date: '2031-05-07', expired_url: other('over'), password: 'secret'};
    const {short_url} = await site.create(parameters);
    const limited = (await site.create({max_visits: '1', expired_url: other('over')})).short_url;
    redirects(t, await site.visit(limited), url);
    redirects(t, await site.visit(limited), other('over'));
    t.is((await site.info(limited)).total_visits, 1);
    t.is((await site.visit(short_url)).status, 200);
    site.clock.set('2031-05-08T00:00:00Z');
    for (const method of ['GET', 'HEAD']) {
      const reply = await site.visit(short_url, {method});
      t.is(reply.status, 302);
      t.is(reply.headers.location, other('over'));
      t.is(reply.headers['cache-control'], 'private, no-store');
    }
    t.is((await site.info(short_url)).total_visits, 0);
    accepted(t, await site.api('disable', {short_url}));
    t.is((await site.visit(short_url)).status, 410);
    await site.shortener.admin.block(limited);
    t.is((await site.visit(limited)).status, 410);
    await site.shortener.admin.unblock(limited);
    accepted(t, await site.api('remove', {short_url: limited}));
    t.is((await site.visit(limited)).status, 410);
  });

  test('the query of a visit is added, and a parameter that the long URL has keeps its value', async (t) => {
    const site = await shared();
    const long = `${url}?a=1&b=%20#part`;
    const link = (await site.create({url: long, forward_query: 'true'})).short_url;
    const plain = (await site.create({url: long})).short_url;
    const to = async (query: string) => (await site.visit(`${link}?${query}`)).headers.location;
    t.is(await to('utm_source=mail&a=2&c=%26&c=4&&d'), `${url}?a=1&b=%20&utm_source=mail&c=%26&c=4&d#part`);
    t.is(await to('a=2&%61=3'), `${url}?a=1&b=%20#part`);
    t.is(await to('?a=2'), `${url}?a=1&b=%20&?a=2#part`);
    t.is(await to(''), `${url}?a=1&b=%20#part`);
    t.is(await to(`x=${'y'.repeat(9000)}`), `${url}?a=1&b=%20#part`);
    redirects(t, await site.visit(`${plain}?utm_source=mail`), `${url}?a=1&b=%20#part`);
  });

  test('the first rule that fits chooses the destination', async (t) => {
    const site = await startSite(t, {world, shortUrl: {visitDetails: (ctx) => ({country: ctx.get('X-Country')})}});
    const rules = [
      {device: 'ios', language: 'de', url: other('ios-de')},
      {device: 'ios', url: other('ios')},
      {device: 'android', url: other('android')},
      {language: 'pt-BR', url: other('brazil')},
      {language: 'fr', url: other('french')},
      {country: 'at', url: other('austria')},
      {device: 'desktop', from: '2031-05-07', until: '2031-05-08', url: other('days')},
    ];
    const {short_url} = await site.create({rules: JSON.stringify(rules)});
    const visit = async (headers: Record<string, string>, destination: string): Promise<void> => {
      for (const method of ['HEAD', 'GET']) {
        const reply = await site.visit(short_url, {method, headers});
        t.is(reply.headers.location, destination, `${method} ${JSON.stringify(headers)}`);
        t.is(reply.headers['cache-control'], 'private, no-store');
        t.regex(String(reply.headers.vary), /User-Agent, Accept-Language$/);
      }
    };
    await visit({'User-Agent': iphone, 'Accept-Language': 'de-AT,de;q=0.9,en;q=0.8'}, other('ios-de'));
    await visit({'User-Agent': iphone, 'Accept-Language': 'en,de;q=0.8'}, other('ios'));
    await visit({'User-Agent': android, 'Accept-Language': 'fr'}, other('android'));
    await visit({'User-Agent': windows, 'Accept-Language': 'en;q=0.5,fr;q=0.8'}, other('french'));
    await visit({'User-Agent': windows, 'Accept-Language': 'pt-br'}, other('brazil'));
    await visit({'User-Agent': windows, 'Accept-Language': 'pt'}, url);
    await visit({'User-Agent': windows, 'X-Country': 'AT'}, other('austria'));
    await visit({'User-Agent': windows, 'Accept-Language': `fr,${'x'.repeat(1000)}`}, url);
    await visit({'User-Agent': bot}, url);
    await visit({}, url);
    site.clock.set('2031-05-08T23:59:59Z');
    await visit({'User-Agent': windows}, other('days'));
    site.clock.set('2031-05-09T00:00:00Z');
    await visit({'User-Agent': windows}, url);
    // The bot does not count.
    t.is((await site.info(short_url)).total_visits, 11);
  });

  test('a changed rule is in effect with its acknowledgement, and the password and the limit still hold', async (t) => {
    const site = await startSite(t, {world});
    const rules = (name: string): string => JSON.stringify([{device: 'ios', url: other(name)}]);
    const headers = {'User-Agent': iphone};
    const {short_url} = await site.create({rules: rules('one'), max_visits: '3'});
    redirects(t, await site.visit(short_url, {headers}), other('one'));
    accepted(t, await site.api('update', {short_url, rules: rules('two')}));
    redirects(t, await site.visit(short_url, {headers}), other('two'));
    const preview = await site.visit(short_url, {headers: {'User-Agent': `${iphone} Googlebot/2.1`}});
    t.is(preview.status, 200);
    t.false(preview.text.includes('two.example'));
    redirects(t, await site.visit(short_url, {headers}), other('two'));
    t.is((await site.visit(short_url, {headers})).status, 410);
    const locked = (await site.create({rules: rules('one'), password: 'secret', forward_query: 'true'})).short_url;
    const opened = await site.submit(`${locked}?a=b`, 'secret', {headers});
    t.is(opened.status, 303);
    t.is(opened.headers.location, `${other('one')}?a=b`);
  });
}
