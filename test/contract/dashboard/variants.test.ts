import '../../support/quick-scrypt.ts';
import test from 'ava';
import {wilson, winner} from '../../../src/dashboard/visits/variants.ts';
import {open, fieldsIn, textOf} from '../../support/dashboard.ts';
import {linkPath} from '../../support/dashboard-pages.ts';
import {collect} from '../../support/collect.ts';
import {range} from '../../support/engines/crowd.ts';
import {viaOf} from '../../support/visitor.ts';

const url = 'https://example.org/';

test('the interval of a rate is that of Wilson', (t) => {
  const rounded = (successes: number, trials: number) => wilson(successes, trials).map((bound) => bound.toFixed(4));
  t.deepEqual(rounded(10, 100), ['0.0552', '0.1744']);
  t.deepEqual(rounded(0, 10), ['0.0000', '0.2775']);
  t.deepEqual(rounded(10, 10), ['0.7225', '1.0000']);
  t.deepEqual(rounded(12, 10), rounded(10, 10));
  t.deepEqual(rounded(0, 0), ['0.0000', '1.0000']);
});

test('a page wins once its interval is above that of the next, and not before', (t) => {
  const variant = (name: string, conversions: number, visits: number) => {
    return {name, visits, conversions, interval: wilson(conversions, visits), values: []};
  };
  t.is(winner([variant('A', 10, 100), variant('B', 15, 100)]), undefined);
  t.is(winner([variant('A', 100, 1000), variant('B', 150, 1000)]), 'B');
  t.is(winner([variant('A', 100, 1000), variant('B', 150, 1000), variant('other', 999, 1000)]), 'B');
  t.is(winner([variant('A', 100, 1000), variant('B', 0, 0)]), undefined);
  t.is(winner([]), undefined);
});

test('the page of a link shows its variants side by side, and its file has them', async (t) => {
  const {visitor, shortener} = await open(t, {shortUrl: {attribution: {currency: 'EUR'}}});
  const {links, conversions} = shortener;
  const rules = [{share: 50, name: 'blue', url: 'https://blue.example/'}];
  const {shortUrl} = await links.create('ann', {url, rules});
  const ann = visitor('ann');
  const seen = {A: 0, blue: 0};
  for (const index of range(40)) {
    const headers = {'User-Agent': `Mozilla/5.0 (Windows NT 10.0) Chrome/130.0 Safari/537.${index}`};
    const reply = await fetch(shortUrl, {redirect: 'manual', headers});
    const isBlue = reply.headers.get('location') === rules[0]?.url;
    seen[isBlue ? 'blue' : 'A'] += 1;
    if (!isBlue) continue;
    const via = viaOf(reply.headers.getSetCookie());
    await conversions.record({via}, {name: 'order', id: index, value: 1000});
    if (seen.blue === 1) t.true(textOf((await ann.get(linkPath(shortUrl))).text).includes('Too early to tell'));
  }
  const text = textOf((await ann.get(linkPath(shortUrl))).text);
  t.true(text.includes('blue wins'));
  t.true(text.includes('blue https://blue.example/'), text);
  t.true(text.includes('€10.00'));
  const csv = (await ann.get(`variants.csv?short_url=${encodeURIComponent(shortUrl)}`)).text;
  const [low, high] = wilson(0, seen.A);
  t.is(
    csv.replace('\uFEFF', ''),
    [
      'Page,Visits,Conversions,Value EUR,Value EUR before refunds,95 % range ≥,95 % range ≤',
      `A,${seen.A},0,0.00,0.00,${low.toFixed(4)},${high.toFixed(4)}`,
      `blue,${seen.blue},${seen.blue},${seen.blue * 10}.00,${seen.blue * 10}.00,${wilson(seen.blue, seen.blue)[0].toFixed(4)},1.0000`,
      '',
    ].join('\r\n'),
  );
});

test('a duplicate begins with all values of its link but the short part, the reference and the password', async (t) => {
  const {visitor, shortener} = await open(t, {shortUrl: {baseDomains: ['sho.rt']}});
  const given = {
    title: 'Spring',
    baseDomain: 'sho.rt',
    tags: ['a'],
    maxVisits: 5,
    utm: {source: 'mail'},
    reference: 'order 1',
  };
  const rules = [{share: 50, name: 'blue', url: 'https://blue.example/'}];
  const {shortUrl} = await shortener.links.create('ann', {
    url,
    ...given,
    rules,
    customUrl: 'spring',
    password: 'secret',
  });
  const ann = visitor('ann');
  const [, path = ''] = /href="\.\/(\?like=[^"#]*)#links-create"/.exec((await ann.get(linkPath(shortUrl))).text) ?? [];
  const page = (await ann.get(path)).text;
  t.regex(page, /<option value="sho\.rt" selected/);
  const form = fieldsIn(page, './create');
  t.like(form, {url, title: 'Spring', tags: 'a', max_visits: '5', utm_source: 'mail', custom_url: '', reference: ''});
  t.like(form, {password: '', rule_0_share: '50', rule_0_name: 'blue', rule_0_url: 'https://blue.example/'});
  await ann.submit('create', form);
  const [copy] = (await shortener.links.page('ann')).links;
  t.like(copy, {
    title: 'Spring',
    tags: ['a'],
    maxVisits: 5,
    utm: {source: 'mail'},
    reference: null,
    rules,
    hasPassword: false,
  });
  t.is((await visitor('bob').get(path)).status, 404);
});

test('thirty selected links get a campaign at once, and keep the other parts of theirs', async (t) => {
  const {visitor, shortener} = await open(t);
  const made = await collect(
    shortener.links.createMany(
      'ann',
      range(30).map((number) => ({url, ...(number % 2 === 0 && {utm: {source: 'poster', campaign: 'old'}})})),
    ),
  );
  const ann = visitor('ann');
  const selected = made.map(({link}, index) => [`selected_${index}`, link?.shortUrl ?? ''] as const);
  const fields = {...Object.fromEntries(selected), do: 'campaign'};
  const {text} = await ann.submit('selection', {...fields, campaign: ' spring '});
  t.true(textOf(text).includes('30 links got the campaign.'));
  for (const [index, {utm}] of (await collect(shortener.links.list('ann', {order: 'oldest'}))).entries())
    t.deepEqual(utm, {...(index % 2 === 0 && {source: 'poster'}), campaign: 'spring'});
  for (const campaign of ['', 'x'.repeat(101)]) {
    t.is((await ann.post('selection', {...fields, campaign})).status, 400);
  }
});
