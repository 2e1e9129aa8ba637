import '../../support/quick-scrypt.ts';
import test from 'ava';
import {errorOf, fieldsIn, open, rowOf, textOf} from '../../support/dashboard.ts';
import {linkPath} from '../../support/dashboard-pages.ts';

const url = 'https://example.org/';

test('the forms set a start date, a URL after expiry, the query and rules, and change them', async (t) => {
  const {visitor, shortener, origin} = await open(t);
  const ann = visitor('ann');
  const page = await ann.submit('create', {
    url,
    custom_url: 'spring',
    start_date: '2031-06-01',
    expiry_date: '2031-06-30',
    expired_url: 'example.org/late',
    forward_query: 'yes',
    rule_0_device: 'ios',
    rule_0_url: 'apps.example/ios',
    rule_1_language: 'German (de)',
    rule_1_country: 'austria',
    rule_1_from: '2031-06-02',
    rule_1_until: '2031-06-03',
    rule_1_url: 'https://example.org/de',
    rule_2_device: '',
    rule_2_url: '',
  });
  const shortUrl = `${origin}/spring`;
  t.like(await shortener.links.info('ann', shortUrl), {
    status: 'scheduled',
    startDate: '2031-06-01 00:00:00',
    expiredUrl: 'https://example.org/late',
    forwardQuery: true,
    rules: [
      {device: 'ios', url: 'https://apps.example/ios'},
      {language: 'de', country: 'AT', from: '2031-06-02', until: '2031-06-03', url: 'https://example.org/de'},
    ],
  });
  t.regex(textOf(rowOf(page.text, shortUrl)), /Scheduled From Jun 1, 2031/);
  t.is(rowOf((await ann.get('?status=active')).text, shortUrl), undefined);
  t.truthy(rowOf((await ann.get('?status=scheduled')).text, shortUrl));

  const {text} = await ann.get(linkPath(shortUrl));
  const loaded = fieldsIn(text, './update');
  t.like(loaded, {rule_1_language: 'German (de)', rule_1_country: 'Austria (AT)', start_date: '2031-06-01'});
  await shortener.links.update('ann', shortUrl, {expiredUrl: 'https://example.org/elsewhere'});
  await ann.submit('update', {...loaded, forward_query: 'no', rule_0_url: '', rule_0_device: '', title: 'Spring'});
  t.like(await shortener.links.info('ann', shortUrl), {
    title: 'Spring',
    forwardQuery: false,
    expiredUrl: 'https://example.org/elsewhere',
    rules: [{language: 'de', country: 'AT', from: '2031-06-02', until: '2031-06-03', url: 'https://example.org/de'}],
  });
  const again = fieldsIn((await ann.get(linkPath(shortUrl))).text, './update');
  const empty = Object.fromEntries(
    Object.keys(again)
      .filter((name) => name.startsWith('rule_'))
      .map((name) => [name, '']),
  );
  await ann.submit('update', {...again, ...empty, start_date: '', expired_url: ''});
  t.like(await shortener.links.info('ann', shortUrl), {startDate: null, expiredUrl: null, rules: [], status: 'active'});
});

test('a mistake in a rule is shown in its row, and the form keeps every rule', async (t) => {
  const {visitor, shortener, origin} = await open(t);
  await shortener.links.create('ann', {url, customUrl: 'taken'});
  const right = {rule_0_device: 'ios', rule_0_url: 'https://example.org/ios'};
  for (const [fields, message] of [
    [{rule_1_device: 'android'}, 'Enter the URL of this rule'],
    [{rule_1_url: 'https://example.org/'}, 'Choose at least one condition'],
    [{rule_1_language: 'Klingonish', rule_1_url: url}, 'Choose a language from the list'],
    [{rule_1_country: 'Atlantis', rule_1_url: url}, 'Choose a country from the list'],
    [{rule_1_country: 'XX', rule_1_url: url}, 'Choose a country from the list'],
    [{rule_1_from: '2031-02-30', rule_1_url: url}, 'Enter valid dates'],
    [{rule_1_from: '2031-03-02', rule_1_until: '2031-03-01', rule_1_url: url}, 'Enter valid dates'],
  ] as const) {
    const {status, text} = await visitor('ann').post('create', {url, ...right, ...fields});
    t.is(status, 400, message);
    t.regex(errorOf(text, 'rule_1') ?? '', new RegExp(message));
    t.is(errorOf(text, 'rule_0'), undefined);
    t.like(fieldsIn(text, './create'), {rule_0_url: 'https://example.org/ios'});
    for (const value of Object.values(fields)) t.true(text.includes(`"${value}"`), value);
  }
  const chain = await visitor('ann').post('create', {url, rule_0_device: 'ios', rule_0_url: `${origin}/taken`});
  t.is(chain.status, 400);
  t.true(textOf(chain.text).includes('One of the URLs is not allowed here'));
  const late = await visitor('ann').post('create', {url, start_date: '2031-07-01', expiry_date: '2031-06-01'});
  t.truthy(errorOf(late.text, 'start_date'));
  t.is((await shortener.accounts.stats('ann')).links, 1);
});

test('the campaign fields set the campaign, and the long URL stays as it was entered', async (t) => {
  const {visitor, shortener} = await open(t);
  const ann = visitor('ann');
  const long = 'https://example.org/?a=1%20b&utm_source=old&c#part';
  await ann.submit('create', {url: long, utm_source: 'news letter', utm_medium: ' mail ', utm_term: ''});
  const read = async () => (await shortener.links.page('ann')).links[0];
  const link = await read();
  t.like(link, {originalUrl: long, utm: {source: 'news letter', medium: 'mail'}});
  const path = linkPath(link?.shortUrl ?? '');
  const loaded = fieldsIn((await ann.get(path)).text, './update');
  t.like(loaded, {utm_source: 'news letter', utm_medium: 'mail', utm_campaign: ''});
  await ann.submit('update', {...loaded, utm_source: '', utm_campaign: 'spring'});
  t.like(await read(), {originalUrl: long, utm: {medium: 'mail', campaign: 'spring'}});
  await ann.submit('update', {...fieldsIn((await ann.get(path)).text, './update'), utm_medium: '', utm_campaign: ''});
  t.is((await read())?.utm, null);
  await shortener.links.create('ann', {url, utm: {source: 'poster <1>'}});
  t.regex((await ann.get()).text, /<datalist id="links-known-utm_source">\s*<option value="poster &lt;1&gt;">/);
});
