import '../../support/quick-scrypt.ts';
import test from 'ava';
import type {ShortUrl} from '../../../src/index.ts';
import {open, rowOf, textOf} from '../../support/dashboard.ts';

async function fill(shortener: ShortUrl, origin: string): Promise<string[]> {
  const names = ['a', 'b', 'c'];
  for (const customUrl of names)
    await shortener.links.create('ann', {url: 'https://example.org/', customUrl, tags: ['old']});
  return names.map((name) => `${origin}/${name}`);
}

/** The fields that a browser sends for checked boxes. */
function selected(shortUrls: readonly string[]): Record<string, string> {
  return Object.fromEntries(shortUrls.map((shortUrl, index) => [`selected_${index * 2}`, shortUrl]));
}

async function statusesOf(shortener: ShortUrl): Promise<string[]> {
  return (await shortener.links.page('ann', {order: 'oldest'})).links.map(({status}) => status);
}

test('many links are disabled, enabled and tagged at once, and the browser returns to the same page of the list', async (t) => {
  const {visitor, shortener, origin, home} = await open(t);
  const [a = '', b = '', c = ''] = await fill(shortener, origin);
  const ann = visitor('ann');
  const {location} = await ann.post('selection?search=example&newer=x.y', {...selected([a, c]), do: 'disable'});
  t.regex(location, /\?search=example&newer=x\.y&done=selection-disable&count=2&proof=[\w-]+#links-list$/);
  t.true(location.startsWith(home));
  t.true(textOf((await ann.get(location)).text).includes('2 links were disabled.'));
  t.deepEqual(await statusesOf(shortener), ['disabled', 'active', 'disabled']);
  const enabled = await ann.submit('selection', {...selected([a]), do: 'enable'});
  t.true(textOf(enabled.text).includes('1 link was enabled.'));
  t.deepEqual(await statusesOf(shortener), ['active', 'active', 'disabled']);
  const tagged = await ann.submit('selection', {...selected([a, b]), do: 'tag', tag: ' new '});
  t.true(textOf(tagged.text).includes('2 links were tagged.'));
  await ann.submit('selection', {...selected([a]), do: 'tag', tag: 'new'});
  t.deepEqual(
    (await shortener.links.page('ann', {order: 'oldest'})).links.map(({tags}) => tags.join()),
    ['old,new', 'old,new', 'old'],
  );
});

test('selected links begin and stop to ask before they open, and the dashboard says which do and what their visits are', async (t) => {
  const {visitor, shortener, origin} = await open(t);
  const [a = '', b = '', c = ''] = await fill(shortener, origin);
  const ann = visitor('ann');
  const asking = await ann.submit('selection', {...selected([a, b]), do: 'ask'});
  t.true(textOf(asking.text).includes('2 links ask before they open.'));
  const asksIn = (text: string) => [a, b, c].map((each) => rowOf(text, each)?.includes('Asks before opening'));
  t.deepEqual(asksIn(asking.text), [true, true, false]);
  const page = async (each: string) => textOf((await ann.get(`link?short_url=${encodeURIComponent(each)}`)).text);
  t.true((await page(a)).includes('Visits are people who pressed the button.'));
  t.false((await page(c)).includes('pressed the button.'));
  const opening = await ann.submit('selection', {...selected([a]), do: 'unask'});
  t.true(textOf(opening.text).includes('1 link opens without asking.'));
  t.deepEqual(asksIn(opening.text), [false, true, false]);
});

test('a campaign that is missing is asked for by its name, because the bar has a field for a tag, too', async (t) => {
  const {visitor, shortener, origin} = await open(t);
  const [a = ''] = await fill(shortener, origin);
  const {status, text} = await visitor('ann').post('selection', {...selected([a]), do: 'campaign', campaign: ' '});
  t.is(status, 400);
  t.true(textOf(text).includes('Campaign name: Enter 1 to 100 characters.'));
});

test('Enter in the field of the campaign sets it, although browsers press the first button, which is that of a tag', async (t) => {
  const {visitor, shortener, origin} = await open(t);
  const [a = ''] = await fill(shortener, origin);
  const ann = visitor('ann');
  const campaignOf = async () => (await shortener.links.info('ann', a)).utm?.campaign;
  await ann.submit('selection', {...selected([a]), do: 'tag', tag: ' ', campaign: 'spring'});
  t.is(await campaignOf(), 'spring');
  await ann.submit('selection', {...selected([a]), do: 'tag', tag: 'new', campaign: 'summer'});
  t.is(await campaignOf(), 'spring');
  t.is((await ann.post('selection', {...selected([a]), do: 'untag', tag: '', campaign: 'summer'})).status, 400);
});

test('a removal of many links names them and asks first', async (t) => {
  const {visitor, shortener, origin} = await open(t);
  const [a = '', b = '', c = ''] = await fill(shortener, origin);
  const ann = visitor('ann');
  const asked = await ann.post('selection?tag=old', {...selected([a, b]), do: 'remove'});
  t.is(asked.status, 200);
  t.regex(asked.text, /<h1>Remove 2 links for good\?<\/h1>/);
  for (const shortUrl of [a, b]) t.true(asked.text.includes(`value="${shortUrl}"`));
  t.false(asked.text.includes(`value="${c}"`));
  t.true(asked.text.includes('href="./?tag=old#links-list"'));
  t.is((await statusesOf(shortener)).length, 3);
  const removed = await ann.submit('selection?tag=old', {selected_0: a, selected_1: b, do: 'remove', confirmed: 'yes'});
  t.true(textOf(removed.text).includes('2 links were removed.'));
  t.is((await statusesOf(shortener)).length, 1);
});

test('links that could not be changed are named with the reason and stay selected, and the rest is changed', async (t) => {
  const {visitor, shortener, origin} = await open(t);
  const [a = '', b = '', c = ''] = await fill(shortener, origin);
  await shortener.links.disable('ann', a);
  await shortener.admin.block(b);
  const ann = visitor('ann');
  const {status, text} = await ann.post('selection', {...selected([a, b, `${origin}/nothing`]), do: 'enable'});
  t.is(status, 200);
  t.true(textOf(text).includes('Not changed: 2 of 3 selected links.'));
  t.regex(textOf(text), /\/b : The operator of this site has blocked this link\./);
  t.regex(textOf(text), /\/nothing : There is no such short URL in your account\./);
  t.deepEqual(await statusesOf(shortener), ['active', 'disabled', 'active']);
  const isChecked = (shortUrl: string) => /type="checkbox"[^>]* checked/.test(rowOf(text, shortUrl) ?? '');
  t.deepEqual([a, b, c].map(isChecked), [false, true, false]);
  const none = await ann.post('selection', {...selected([b]), do: 'enable'});
  t.is(none.status, 403);
});

test('new destinations of the selected links are shown before they are saved', async (t) => {
  const {visitor, shortener, origin} = await open(t);
  for (const name of ['a', 'b', 'c'])
    await shortener.links.create('ann', {
      url: `https://${name === 'c' ? 'other' : 'old'}.example/${name}`,
      customUrl: name,
    });
  const ann = visitor('ann');
  const all = selected(['a', 'b', 'c'].map((name) => `${origin}/${name}`));
  const urls = async (): Promise<string[]> =>
    (await shortener.links.page('ann', {order: 'oldest'})).links.map(({originalUrl}) => originalUrl);
  const first = await ann.post('selection', {...all, do: 'change'});
  t.regex(textOf(first.text), /Change 3 links What you leave empty/);
  const given = {find: 'old.example', replace: 'new.example', start_date: '', expiry_date: ''};
  const preview = await ann.post('selection', {...all, ...given, do: 'change', step: 'preview'});
  t.regex(textOf(preview.text), /a https:\/\/old.example\/a https:\/\/new.example\/a .*Change 2 links/);
  t.deepEqual(await urls(), ['https://old.example/a', 'https://old.example/b', 'https://other.example/c']);
  const done = await ann.submit('selection', {...all, ...given, do: 'change', confirmed: 'yes'});
  t.true(textOf(done.text).includes('2 links were changed.'));
  t.deepEqual(await urls(), ['https://new.example/a', 'https://new.example/b', 'https://other.example/c']);
  const none = await ann.post('selection', {...all, ...given, do: 'change', step: 'preview'});
  t.true(textOf(none.text).includes('Nothing would change.'));
  t.notRegex(none.text, /class="[^"]*links-error/, 'it is no error');
  const dated = {
    ...all,
    find: '',
    replace: '',
    start_date: '',
    expiry_date: '2031-12-31',
    do: 'change',
    confirmed: 'yes',
  };
  t.true(textOf((await ann.submit('selection', dated)).text).includes('3 links were changed.'));
  t.is((await shortener.links.info('ann', `${origin}/c`)).expiryDate, '2031-12-31 23:59:59');
  const wrong = await ann.post('selection', {...dated, find: 'https', replace: 'nonsense', expiry_date: ''});
  t.is(wrong.status, 400);
  t.true(textOf(wrong.text).includes('Not changed: 3 of 3 selected links.'));

  await shortener.links.remove('ann', `${origin}/c`);
  const again = {...all, ...given, find: 'new.example', replace: 'old.example'};
  const others = await ann.post('selection', {...again, do: 'change', step: 'preview'});
  t.regex(
    textOf(others.text),
    /Change 2 links/,
    'one that was removed since the list was shown keeps no other from it',
  );
});

test('all links that match are changed together, and asked about again if there are others meanwhile', async (t) => {
  const {visitor, shortener} = await open(t);
  for (let number = 0; number < 25; number += 1)
    await shortener.links.create('ann', {url: 'https://example.org/', customUrl: `n${number}`, tags: ['poster']});
  await shortener.links.create('ann', {url: 'https://example.org/', customUrl: 'other'});
  const ann = visitor('ann');
  t.true(textOf((await ann.get('?tag=poster')).text).includes('Select all 25 links that match'));
  const tagged = await ann.submit('selection?tag=poster', {all: 'yes', do: 'tag', tag: 'new'});
  t.true(textOf(tagged.text).includes('25 links were tagged.'));
  t.is((await shortener.accounts.stats('ann', {tag: 'new'})).links, 25);
  const asked = await ann.post('selection?tag=poster', {all: 'yes', do: 'remove'});
  t.regex(asked.text, /name="count" value="25"/);
  await shortener.links.create('ann', {url: 'https://example.org/', customUrl: 'late', tags: ['poster']});
  const again = await ann.post('selection?tag=poster', {all: 'yes', count: '25', do: 'remove', confirmed: 'yes'});
  t.regex(again.text, /name="count" value="26"/);
  await ann.submit('selection?tag=poster', {all: 'yes', count: '26', do: 'remove', confirmed: 'yes'});
  t.deepEqual(
    (await shortener.links.page('ann')).links.map(({shortUrlPart}) => shortUrlPart),
    ['other'],
  );
});
