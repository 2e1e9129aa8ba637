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

test('a tag is removed from many links at once, whatever its case, and their other tags stay', async (t) => {
  const {visitor, shortener, origin} = await open(t);
  const [a = '', b = '', c = ''] = await fill(shortener, origin);
  await shortener.links.update('ann', a, {tags: ['Old', 'new', 'OLD']});
  await shortener.links.update('ann', c, {tags: ['new']});
  const ann = visitor('ann');
  const {text} = await ann.submit('selection', {...selected([a, b, c]), do: 'untag', tag: ' old '});
  t.true(textOf(text).includes('3 links no longer have the tag.'));
  t.deepEqual(
    (await shortener.links.page('ann', {order: 'oldest'})).links.map(({tags}) => tags.join()),
    ['new', '', 'new'],
  );
  const without = await ann.post('selection', {...selected([a]), do: 'untag', tag: ''});
  t.is(without.status, 400);
  t.true(textOf(without.text).includes('Enter one tag'));
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

test('a selection without links, without a tag, or without the right token changes nothing and says what to do', async (t) => {
  const {visitor, shortener, origin} = await open(t);
  const [a = ''] = await fill(shortener, origin);
  const ann = visitor('ann');
  for (const [fields, code, message] of [
    [{do: 'disable'}, 400, 'Select one or more links first.'],
    [{...selected([a]), do: 'tag', tag: ''}, 400, 'Enter one tag of at most 50 characters'],
    [{...selected([a]), do: 'tag', tag: 'a,b'}, 400, 'Enter one tag of at most 50 characters'],
    [{...selected([a]), do: 'tag', tag: 'x'.repeat(51)}, 400, 'Enter one tag of at most 50 characters'],
    [{...selected([a])}, 400, 'Enter one tag of at most 50 characters'],
    [{...selected([a]), do: 'disable', _token: 'wrong'}, 403, 'This page was out of date'],
    [{...selected([a]), do: 'remove', confirmed: 'yes', _token: 'wrong'}, 403, 'This page was out of date'],
  ] as const) {
    const {status, text} = await ann.post('selection', fields);
    t.is(status, code, message);
    t.true(textOf(text).includes(message), message);
  }
  t.deepEqual(await statusesOf(shortener), ['active', 'active', 'active']);
  t.deepEqual((await shortener.links.info('ann', a)).tags, ['old']);
  const many = Object.fromEntries(Array.from({length: 20}, (_, index) => [`t${index}`, index]));
  await shortener.links.update('ann', a, {tags: Object.keys(many)});
  const full = await ann.post('selection', {...selected([a]), do: 'tag', tag: 'one more'});
  t.true(textOf(full.text).includes('at most 20 tags'));
});

test('links of another account cannot be selected', async (t) => {
  const {visitor, shortener, origin} = await open(t);
  const [a = ''] = await fill(shortener, origin);
  const {status, text} = await visitor('bob').post('selection', {...selected([a]), do: 'remove', confirmed: 'yes'});
  t.is(status, 404);
  t.true(textOf(text).includes('There is no such short URL in your account.'));
  t.is((await statusesOf(shortener)).length, 3);
});

test('the boxes and the buttons belong to one form, also without a script', async (t) => {
  const {visitor, shortener, origin} = await open(t);
  await fill(shortener, origin);
  const {text} = await visitor('ann').get('?search=example');
  t.is(text.match(/<input\s+type="checkbox" name="selected_\d" value="[^"]+" form="links-selection"/g)?.length, 3);
  t.regex(text, /<form method="post" action="\.\/selection\?search=example" id="links-selection"/);
});
