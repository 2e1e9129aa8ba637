import test from 'ava';
import '../../support/quick-scrypt.ts';
import {errorOf, fieldsIn, open, textOf} from '../../support/dashboard.ts';

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
