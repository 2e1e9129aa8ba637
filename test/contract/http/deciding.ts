import test from 'ava';
import '../../support/quick-scrypt.ts';
import {accepted, redirects, refused} from '../../support/answers.ts';
import {sharedSite, startSite} from '../../support/site.ts';
import type {World} from '../../support/worlds.ts';
import {asXmlReads} from '../../support/xml.ts';

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

  test('full records have the fields that decide, in JSON and XML, until they are cleared', async (t) => {
    const site = await shared();
    const rules = [
      {url: other('phone'), device: 'ios', language: 'de'},
      {until: '2032-01-31', from: '2032-01-01', url: other('january')},
    ];
    const given = {start_date: '2031-05-01', expired_url: other('over'), forward_query: 'true'};
    const {short_url} = await site.create({...given, rules: JSON.stringify(rules)});
    const json = await site.api('stats', {short_url});
    const full = {...given, start_date: '2031-05-01 00:00:00', forward_query: true, rules};
    t.like(accepted(t, json), full);
    t.deepEqual((await site.api('stats', {short_url}, {suffix: '.xml'})).xml(), asXmlReads(json.json()));
    const clear = 'start_date,expired_url,forward_query,rules';
    const cleared = accepted(t, await site.api('update', {short_url, clear}));
    t.like(cleared, {start_date: null, expired_url: null, forward_query: false, rules: []});
    redirects(t, await site.visit(short_url), url);
  });

  test('POST takes the fields as plain JSON, and null or `clear` clears them', async (t) => {
    const site = await shared();
    const rules = [{device: 'ios', url: other('phone')}];
    const fields = {start_date: '2031-05-01', expired_url: other('over'), forward_query: true, rules};
    const {short_url} = accepted(t, await site.post('create', {url, ...fields}));
    const full = {...fields, start_date: '2031-05-01 00:00:00'};
    t.like(accepted(t, await site.post('stats', {short_url})), full);
    const changes = {expired_url: null, forward_query: false, clear: ['rules']};
    const changed = accepted(t, await site.post('update', {short_url, ...changes}));
    t.like(changed, {expired_url: null, forward_query: false, rules: []});
    for (const [name, value] of Object.entries({start_date: 5, expired_url: ['x'], forward_query: 'true', rules: {}})) {
      refused(t, await site.post('create', {url, [name]: value}), 'malformed_parameter');
    }
  });

  test('a wrong value is refused with its code, and nothing changes', async (t) => {
    const site = await shared();
    const {short_url} = await site.create();
    const wrong: Array<[Record<string, string>, Parameters<typeof refused>[2]]> = [
      [{start_date: '2031-02-30'}, 'malformed_parameter'],
      [{expired_url: 'ftp://destination.example/'}, 'invalid_url'],
      [{expired_url: `${url}${'a'.repeat(8192)}`}, 'invalid_url'],
      [{forward_query: 'yes'}, 'malformed_parameter'],
      [{rules: 'no JSON'}, 'malformed_parameter'],
      [{rules: '{"device":"ios"}'}, 'malformed_parameter'],
      [{rules: JSON.stringify([{device: 'ios', url: 'destination'}])}, 'invalid_url'],
      ...[
        [{url}],
        [{device: 'ios'}],
        [{device: 'phone', url}],
        [{browser: 'firefox', url}],
        [{language: 'german', url}],
        [{country: 'DEU', url}],
        [{country: 'XX', url}],
        [{from: '2031-02-29', url}],
        [{from: '2031-02-02', until: '2031-02-01', url}],
        Array.from({length: 11}, () => ({device: 'ios', url})),
      ].map((rules): (typeof wrong)[number] => [{rules: JSON.stringify(rules)}, 'malformed_parameter']),
    ];
    for (const [fields, code] of wrong) {
      refused(t, await site.api('create', {url, ...fields}), code);
      refused(t, await site.api('update', {short_url, ...fields}), code);
    }
    refused(t, await site.call(`create/rules/!/url/aHR0cHM6Ly9hLmV4YW1wbGU`), 'malformed_base64');
    const long = Array.from({length: 9}, () => ({device: 'ios', url: `${url}?${'a'.repeat(8000)}`}));
    refused(t, await site.post('create', {url, rules: long}), 'malformed_parameter');
    t.like(accepted(t, await site.api('stats', {short_url})), {start_date: null, expired_url: null, rules: []});
  });

  test('no URL of a link may be a short URL of the site or lead into its API', async (t) => {
    const site = await shared();
    const {short_url} = await site.create();
    const taken = (await site.create()).short_url;
    const itself = `${site.baseUrl}/decides-for-itself`;
    for (const forbidden of [taken, `${site.baseUrl}/api/v1/key/shorturl/create`, itself]) {
      for (const fields of [{expired_url: forbidden}, {rules: JSON.stringify([{device: 'ios', url: forbidden}])}]) {
        refused(t, await site.api('create', {url, custom_url: 'decides-for-itself', ...fields}), 'forbidden_url');
        if (forbidden !== itself) refused(t, await site.api('update', {short_url, ...fields}), 'forbidden_url');
      }
    }
  });

  test('before its start date a short URL is unknown to visitors and scheduled for its owner', async (t) => {
    const site = await startSite(t, {world});
    const {short_url} = await site.create({start_date: '2031-05-08', password: 'secret'});
    const {short_url: open} = await site.create({start_date: '2031-05-08'});
    for (const link of [short_url, open]) {
      for (const method of ['GET', 'HEAD']) t.is((await site.visit(link, {method})).status, 404);
      t.is((await site.submit(link, 'secret')).status, 404);
      t.is((await site.info(link)).status, 'scheduled');
      t.is(accepted(t, await site.api('enable', {short_url: link})).status, 'scheduled');
    }
    t.deepEqual(await site.list(), []);
    for (const [status, count] of [
      ['scheduled', 2],
      ['active', 0],
    ] as const) {
      t.is(accepted(t, await site.api('list_urls', {status})).urls.length, count);
    }
    t.is(accepted(t, await site.api('disable', {short_url})).status, 'disabled');
    t.is((await site.visit(short_url)).status, 410);
    site.clock.set('2031-05-08T00:00:00Z');
    redirects(t, await site.visit(open), url);
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
    for (const method of ['GET', 'HEAD']) redirects(t, await site.visit(short_url, {method}), other('over'));
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
      {country: 'uk', url: other('britain')},
      {device: 'desktop', from: '2031-05-07', until: '2031-05-08', url: other('days')},
    ];
    const {short_url} = await site.create({rules: JSON.stringify(rules)});
    const cases: Array<[headers: Record<string, string>, destination: string, date?: string]> = [
      [{'User-Agent': iphone, 'Accept-Language': 'de-AT,de;q=0.9,en;q=0.8'}, other('ios-de')],
      [{'User-Agent': iphone, 'Accept-Language': 'en,de;q=0.8'}, other('ios')],
      [{'User-Agent': android, 'Accept-Language': 'fr'}, other('android')],
      [{'User-Agent': windows, 'Accept-Language': 'en;q=0.5,fr;q=0.8'}, other('french')],
      [{'User-Agent': windows, 'Accept-Language': 'pt-br'}, other('brazil')],
      [{'User-Agent': windows, 'Accept-Language': 'pt'}, url],
      [{'User-Agent': windows, 'X-Country': 'AT'}, other('austria')],
      [{'User-Agent': windows, 'X-Country': 'GB'}, other('britain')],
      [{'User-Agent': windows, 'Accept-Language': `fr,${'x'.repeat(1000)}`}, url],
      [{'User-Agent': bot}, url],
      [{}, url],
      [{'User-Agent': windows}, other('days'), '2031-05-08T23:59:59Z'],
      [{'User-Agent': windows}, url, '2031-05-09T00:00:00Z'],
    ];
    for (const [headers, destination, date = '2031-05-06T12:00:00Z'] of cases) {
      site.clock.set(date);
      for (const ask of world.asks === true ? [{}] : [{method: 'HEAD'}, {}]) {
        const reply = await site.visit(short_url, {...ask, headers});
        redirects(t, reply, destination);
        t.regex(String(reply.headers.vary), /User-Agent, Accept-Language$/);
      }
    }
    // The bot does not count.
    t.is((await site.info(short_url)).total_visits, cases.length - 1);
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
