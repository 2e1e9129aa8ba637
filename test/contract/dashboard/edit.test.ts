import test from 'ava';
import '../../support/quick-scrypt.ts';
import {errorOf, fieldsIn, open, textOf} from '../../support/dashboard.ts';
import {openAsPerson} from '../../support/visitor.ts';

const url = 'https://example.org/a/long/one';
const linkPath = (shortUrl: string): string => `link?short_url=${encodeURIComponent(shortUrl)}`;

test('an update keeps what another tab or the API has changed since the form was loaded', async (t) => {
  const {visitor, shortener} = await open(t);
  const ann = visitor('ann');
  const {shortUrl} = await shortener.links.create('ann', {url, title: 'Old', tags: ['a', 'b'], maxVisits: 5});
  const {text} = await ann.get(linkPath(shortUrl));
  const loaded = fieldsIn(text, './update');
  await ann.submit('update', {...loaded, url: 'https://example.org/fixed', max_visits: '6'});
  await shortener.links.update('ann', shortUrl, {tags: ['c']});
  await ann.submit('update', {...loaded, title: 'New'});
  t.like(await shortener.links.info('ann', shortUrl), {
    originalUrl: 'https://example.org/fixed',
    title: 'New',
    tags: ['c'],
    maxVisits: 6,
  });
});

test('an update after an error in the form still keeps what was changed elsewhere', async (t) => {
  const {visitor, shortener} = await open(t);
  const ann = visitor('ann');
  const {shortUrl} = await shortener.links.create('ann', {url, title: 'Old'});
  const loaded = fieldsIn((await ann.get(linkPath(shortUrl))).text, './update');
  await shortener.links.update('ann', shortUrl, {url: 'https://example.org/fixed'});
  const refused = await ann.post('update', {...loaded, title: 'New', max_visits: '0'});
  t.truthy(errorOf(refused.text, 'max_visits'));
  const again = fieldsIn(refused.text, './update');
  t.is(again['title'], 'New');
  await ann.submit('update', {...again, max_visits: ''});
  t.like(await shortener.links.info('ann', shortUrl), {originalUrl: 'https://example.org/fixed', title: 'New'});
});

test('a form that has a long URL of the maximum length twice is accepted', async (t) => {
  const {visitor, shortener} = await open(t);
  const ann = visitor('ann');
  // Each of these characters takes three bytes in a form.
  const long = (character: string): string => `https://example.org/?${character.repeat(8192 - 21)}`;
  const {shortUrl} = await shortener.links.create('ann', {url: long('&')});
  const loaded = fieldsIn((await ann.get(linkPath(shortUrl))).text, './update');
  await ann.submit('update', {...loaded, url: long('=')});
  t.is((await shortener.links.info('ann', shortUrl)).originalUrl, long('='));
  const tooLong = await ann.post('update', {...loaded, url: long('语')});
  t.is(tooLong.status, 400);
  t.truthy(errorOf(tooLong.text, 'url'));
  t.is(fieldsIn(tooLong.text, './update')['url'], long('语'));
});

test('a password is either changed or removed, and an error keeps the choice', async (t) => {
  const {visitor, shortener} = await open(t);
  const ann = visitor('ann');
  const {shortUrl} = await shortener.links.create('ann', {url, password: 'old'});
  const loaded = fieldsIn((await ann.get(linkPath(shortUrl))).text, './update');
  t.false('clear_password' in loaded);
  const both = await ann.post('update', {...loaded, clear_password: 'yes', password: 'new'});
  t.is(both.status, 400);
  t.is(errorOf(both.text, 'password'), 'Enter a new password or remove the password, not both.');
  t.like(fieldsIn(both.text, './update'), {clear_password: 'yes', password: 'new'});
  t.true((await shortener.links.info('ann', shortUrl)).hasPassword);
  const other = await ann.post('update', {...loaded, clear_password: 'yes', max_visits: '0'});
  const again = fieldsIn(other.text, './update');
  t.is(again['clear_password'], 'yes');
  await ann.submit('update', {...again, max_visits: ''});
  t.false((await shortener.links.info('ann', shortUrl)).hasPassword);
});

test('the card of a link is shown on its page, changed and removed', async (t) => {
  const {visitor, shortener} = await open(t);
  const ann = visitor('ann');
  const {shortUrl} = await shortener.links.create('ann', {url});
  const card = async () =>
    /<div class="links-preview">([^]*?)<\/div>/.exec((await ann.get(linkPath(shortUrl))).text)?.[1];
  t.is(await card(), undefined);
  const image = 'https://example.org/poster.jpg';
  await ann.submit('update', {short_url: shortUrl, preview_title: '<Spring>', preview_image: image});
  t.regex(textOf(await card()), /^&lt;Spring&gt; localhost:\d+ See the card with its picture$/);
  t.true((await (await fetch(`${shortUrl}+`)).text()).includes(`src="${image}"`));
  await ann.submit('update', {short_url: shortUrl, preview_title: '', preview_image: ''});
  t.is(await card(), undefined);
});

test('a limit below the visits so far is saved only after a warning', async (t) => {
  const {visitor, shortener} = await open(t);
  const ann = visitor('ann');
  const {shortUrl} = await shortener.links.create('ann', {url, title: 'Old'});
  for (let visits = 0; visits < 3; visits++) await openAsPerson(shortUrl);
  const loaded = fieldsIn((await ann.get(linkPath(shortUrl))).text, './update');
  const warned = await ann.post('update', {...loaded, title: 'New', max_visits: '3'});
  t.is(warned.status, 200);
  t.is(
    errorOf(warned.text, 'max_visits'),
    'The link already has 3 visits, so it would expire at once. Raise the limit, or save again to keep it.',
  );
  t.like(await shortener.links.info('ann', shortUrl), {title: 'Old', maxVisits: null});
  const again = fieldsIn(warned.text, './update');
  t.like(again, {title: 'New', max_visits: '3'});
  // Another limit is asked about again.
  t.truthy(errorOf((await ann.post('update', {...again, max_visits: '2'})).text, 'max_visits'));
  await ann.submit('update', again);
  t.like(await shortener.links.info('ann', shortUrl), {title: 'New', maxVisits: 3, status: 'expired'});
  const kept = fieldsIn((await ann.get(linkPath(shortUrl))).text, './update');
  await ann.submit('update', {...kept, title: 'Newer'});
  await ann.submit('update', {...kept, max_visits: '4'});
  t.like(await shortener.links.info('ann', shortUrl), {maxVisits: 4, status: 'active'});
});

test('a long URL without a scheme gets https', async (t) => {
  const {visitor, shortener, origin} = await open(t);
  const ann = visitor('ann');
  for (const [entered, saved] of [
    ['example.org/page?a=b#c', 'https://example.org/page?a=b#c'],
    [' example.org:8080/page ', 'https://example.org:8080/page'],
    ['münchen.example', 'https://münchen.example'],
    ['http://example.org/', 'http://example.org/'],
  ] as const) {
    await ann.submit('create', {url: entered});
    t.is((await shortener.links.page('ann', {limit: 1})).links[0]?.originalUrl, saved);
  }
  for (const entered of [
    'page',
    'mailto:ann@example.org',
    'ann@example.org',
    'javascript:alert(1.5)',
    'ftp://example.org/',
  ]) {
    const {status, text} = await ann.post('create', {url: entered});
    t.is(status, 400, entered);
    t.truthy(errorOf(text, 'url'), entered);
    t.true(text.includes(`value="${entered}"`), entered);
  }
  const {shortUrl} = await shortener.links.create('ann', {url, customUrl: 'spring'});
  await ann.submit('update', {short_url: shortUrl, url: 'example.org/2'});
  t.is((await shortener.links.info('ann', `${origin}/spring`)).originalUrl, 'https://example.org/2');
});

test('tabs, line breaks and other control characters in titles and tags become spaces', async (t) => {
  const {visitor, shortener, origin} = await open(t);
  const ann = visitor('ann');
  const pasted = {title: '\tSpring\r\nsale\u0085 \u{fffe}', tags: 'mail\tin,\n\uffff, poster\n'};
  await ann.submit('create', {url, custom_url: 'spring', ...pasted});
  const shortUrl = `${origin}/spring`;
  t.like(await shortener.links.info('ann', shortUrl), {title: 'Spring sale', tags: ['mail in', 'poster']});
  await ann.submit('update', {short_url: shortUrl, title: 'Last\tcall', tags: 'mail\u0000'});
  t.like(await shortener.links.info('ann', shortUrl), {title: 'Last call', tags: ['mail']});
});
