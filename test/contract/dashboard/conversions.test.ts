import '../../support/quick-scrypt.ts';
import test from 'ava';
import Keyv from 'keyv';
import {open, rowOf, type Stage, textOf} from '../../support/dashboard.ts';
import {linkPath} from '../../support/dashboard-pages.ts';
import {openAsPerson, viaOf} from '../../support/visitor.ts';

/** The orders that a page offers for its list. */
function ordersIn(text: string): string[] {
  const [, choices = ''] = /<select[^>]* name="order"[^>]*>([^]*?)<\/select>/.exec(text) ?? [];
  return Array.from(choices.matchAll(/<option value="([^"]*)"/g), ([, value = '']) => value);
}

/** The short parts in the list of a page. */
const shownIn = (text: string): string[] =>
  Array.from(text.matchAll(/class="links-short" href="[^"]*(spring|autumn)"/g), ([, part = '']) => part);

/** Four visits of a link, and on a site with `attribution` two orders and a registration. */
async function fill({shortener, origin, clock}: Stage): Promise<string> {
  const {shortUrl} = await shortener.links.create('ann', {url: 'https://example.org/', customUrl: 'spring'});
  await shortener.links.create('ann', {url: 'https://example.org/', customUrl: 'autumn'});
  clock.now -= 24 * 60 * 60 * 1000;
  for (let visits = 1; visits < 4; visits++) await openAsPerson(shortUrl);
  clock.now += 24 * 60 * 60 * 1000;
  const {headers} = await openAsPerson(`${origin}/spring`);
  if (headers.getSetCookie().length === 0) return shortUrl;
  const via = viaOf(headers.getSetCookie());
  // Without the option `attribution` nobody is marked.
  if (via === undefined) return shortUrl;
  await shortener.conversions.record({via}, {name: 'order', id: 1, value: 4900});
  await shortener.conversions.record({via}, {name: 'order', id: 2, value: 100});
  await shortener.conversions.record({via}, {name: 'registration', id: 'bea'});
  return shortUrl;
}

test('conversions are shown with number, rate, value and day, and are in the list and the CSV', async (t) => {
  const stage = await open(t, {shortUrl: {attribution: {}}});
  const shortUrl = await fill(stage);
  const ann = stage.visitor('ann');
  const operator = stage.visitor('operator');
  const home = await ann.get();
  const pages = [home, await ann.get(linkPath(shortUrl)), await operator.get('operator')];
  for (const {text, url} of pages) {
    const shown = textOf(text);
    t.regex(shown, /Conversions Number Rate Value order 2 50% 5,000 registration 1 25%/, url);
    t.true(text.includes('data-text="May 6, 2031: 1 visit, 3 conversions"'), url);
    t.regex(shown, /Day \(UTC\) Visits Conversions May 6, 2031 1 3 May 5, 2031 3 0/, url);
  }
  t.regex(textOf(rowOf(home.text, shortUrl)), /2 order \(50%\) 1 registration \(25%\)/);
  t.regex(textOf((await operator.get('account?account=ann')).text), /order 2 50% 5,000 registration 1 25%/);
  for (const parameters of [`?days=7&short_url=${encodeURIComponent(shortUrl)}`, '?days=7', '?days=7&search=spring']) {
    const read = async (file: string): Promise<string[]> =>
      (await ann.get(file + parameters)).text.replace('\uFEFF', '').trimEnd().split('\r\n');
    t.deepEqual(
      (await read('visits.csv')).filter((row) => !row.endsWith(',0,0,0,0')),
      ['Day (UTC),Visits,Conversions,Value,Value before refunds', '2031-05-05,3,0,0,0', '2031-05-06,1,3,5000,5000'],
    );
    t.deepEqual(await read('conversions.csv'), [
      'Conversions,Number,Currency,Value,Value before refunds,Refunds',
      'order,2,,5000,5000,0',
      'registration,1,,0,0,0',
    ]);
  }
});

test('conversions have the names and the money of the reader, net of refunds', async (t) => {
  const names = {order: 'Tickets sold', registration: {en: 'Registrations', de: 'Anmeldungen'}};
  const stage = await open(t, {shortUrl: {attribution: {names}}});
  const {shortener, origin} = stage;
  const shortUrl = await fill(stage);
  const via = viaOf((await openAsPerson(`${origin}/spring`)).headers.getSetCookie());
  for (const [id, currency] of ['EUR', 'JPY', 'KWD'].entries()) {
    await shortener.conversions.record({via}, {name: 'order', id: `paid ${id}`, value: 124_400, currency});
  }
  await shortener.conversions.refund({name: 'order', id: 'paid 0', refund: 1, value: 24_400});
  const ann = stage.visitor('ann');
  const read = async (language: string): Promise<string> => {
    const {text} = await ann.send(linkPath(shortUrl), {headers: {'Accept-Language': language}});
    return textOf(text).replaceAll(/[\u00a0\u202f]/g, ' ');
  };
  const english = await read('en');
  for (const part of [
    'Tickets sold 5 100% ',
    'Refunds Tickets sold: €1,000.00 (€1,244.00 before refunds)',
    ' ¥124,400 ',
    ' KWD 124.400 ',
    'Registrations 1 20% ',
  ]) {
    t.true(english.includes(part), part);
  }
  const german = await read('de');
  for (const part of ['Tickets sold: 1.000,00 € (1.244,00 € vor Erstattungen)', 'Anmeldungen'])
    t.true(german.includes(part), part);
  t.regex(textOf(rowOf((await ann.get()).text, shortUrl)), /5 Tickets sold/);
  for (const wrong of ['order', {order: ''}, {order: {it: 'Biglietti'}}, {order: {}}]) {
    await t.throwsAsync(open(t, {shortUrl: {attribution: {names: wrong as never}}}), {instanceOf: TypeError});
  }
});

test('one conversion and several have their own words, and a wrong form is refused', async (t) => {
  const names = {order: {en: {one: 'Ticket', other: 'Tickets'}, de: 'Karten'}, gift: {one: 'Gift', other: 'Gifts'}};
  const {shortener, origin, visitor} = await open(t, {shortUrl: {attribution: {names}}});
  const {shortUrl} = await shortener.links.create('ann', {url: 'https://example.org/', customUrl: 'spring'});
  const via = viaOf((await openAsPerson(`${origin}/spring`)).headers.getSetCookie());
  for (const id of [1, 2]) await shortener.conversions.record({via}, {name: 'gift', id});
  await shortener.conversions.record({via}, {name: 'order', id: 1});
  const row = textOf(rowOf((await visitor('ann').get()).text, shortUrl));
  t.regex(row, /2 Gifts \(.*1 Ticket \(/);
  t.deepEqual(
    [
      shortener.conversionName('order', 'en'),
      shortener.conversionName('order', 'en', 1),
      shortener.conversionName('order', 'de', 1),
    ],
    ['Tickets', 'Ticket', 'Karten'],
  );
  for (const wrong of [{one: 'Ticket'}, {en: {one: 'Ticket'}}, {one: 'Ticket', other: ''}]) {
    await t.throwsAsync(open(t, {shortUrl: {attribution: {names: {order: wrong as never}}}}), {instanceOf: TypeError});
  }
});

test('what API calls have recorded is told apart from what the site has, and is not on pages of the operator', async (t) => {
  const names = {order: 'Tickets sold'};
  const stage = await open(t, {shortUrl: {attribution: {names}}});
  const {shortener, origin, visitor} = stage;
  const shortUrl = await fill(stage);
  const via = viaOf((await openAsPerson(`${origin}/spring`)).headers.getSetCookie());
  const apiKey = await shortener.accounts.apiKey('ann');
  for (const id of ['1', '2', '3']) {
    const {status} = await fetch(`${origin}/api/v1/shorturl/record_conversion`, {
      method: 'POST',
      headers: {Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json'},
      body: JSON.stringify({via, name: 'order', id, value: 99_900, currency: 'EUR'}),
    });
    t.is(status, 200);
  }
  const [ann, operator] = [visitor('ann'), visitor('operator')];
  for (const path of ['?days=7', `${linkPath(shortUrl)}&days=7`]) {
    const shown = textOf((await ann.get(path)).text);
    t.true(shown.includes('Tickets sold 2 40% 5,000 registration 1 20%'), shown);
    t.true(shown.includes('order (API) 3 60% €2,997.00'), path);
    t.true(shown.includes('Value (API) €2,997.00'), path);
  }
  t.true(textOf((await ann.get('compare?days=7')).text).includes('order (API) 3 60% €2,997.00'));
  for (const path of ['operator?days=7', 'account?account=ann', 'today']) {
    t.notRegex((await operator.get(path)).text, /2,997|\(API\)/, path);
  }
  const days = (await ann.get('visits.csv?days=7')).text.trim().split('\r\n');
  t.true(days[0]?.endsWith(',Value,Value before refunds,Value EUR (API),Value EUR (API) before refunds'));
  t.is(days.at(-1), '2031-05-06,2,3,5000,5000,2997.00,2997.00');
  t.true((await ann.get('conversions.csv?days=7')).text.includes('order (API),3,EUR,2997.00,2997.00,0'));
});

test('a site without attribution shows no conversions, also if it had the option once', async (t) => {
  const shared = {store: new Keyv(), secret: 's'.repeat(32)};
  const before = await open(t, {shortUrl: {...shared, attribution: {}}});
  const shortUrl = await fill(before);
  const {visitor} = await open(t, {shortUrl: {...shared, baseUrl: before.origin}});
  const pages = ['', linkPath(shortUrl), 'visits.csv'].map((path) => visitor('ann').get(path));
  const ofOperator = ['operator', 'account?account=ann'].map((path) => visitor('operator').get(path));
  for (const {text, status, url} of await Promise.all([...pages, ...ofOperator])) {
    t.is(status, 200, url);
    t.notRegex(text, /conversion|registration/i, url);
  }
});

test('lists can be sorted by the conversions that they show, and without any the newest links come first', async (t) => {
  for (const [shortUrl, order, shown] of [
    [{attribution: {}}, 'value="conversions" selected>Most conversions', ['spring', 'autumn']],
    [{}, 'value="newest" selected>Newest', ['autumn', 'spring']],
  ] as const) {
    const stage = await open(t, {shortUrl});
    await fill(stage);
    const orders = [
      'newest',
      'oldest',
      'visits',
      'last_visit',
      ...(shown[0] === 'spring' ? ['conversions'] : []),
      'expiry_date',
    ];
    for (const [account, page] of [
      ['ann', '?'],
      ['operator', 'operator?'],
      ['operator', 'account?account=ann&'],
    ] as const) {
      const {text, url} = await stage.visitor(account).get(`${page}order=conversions`);
      t.deepEqual(ordersIn(text), orders, url);
      t.true(text.includes(`<option ${order}</option>`), url);
      t.deepEqual(shownIn(text), [...shown], url);
    }
  }
});
