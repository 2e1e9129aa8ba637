import test from 'ava';
import '../../support/quick-scrypt.ts';
import {errorOf, fieldsIn, open, rowOf, type StageOptions, textOf} from '../../support/dashboard.ts';
import {linkPath} from '../../support/dashboard-pages.ts';

const url = 'https://example.org/a/long/one';

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

const newYork: StageOptions = {shortUrl: {timeZone: 'America/New_York'}};
/** What a form shows, and what it was loaded with. */
const dates = ['start_date', 'start_time', 'expiry_date', 'expiry_time'] as const;

test('the form shows and takes days of the site, and saving other fields does not move them', async (t) => {
  const {visitor, shortener} = await open(t, newYork);
  const ann = visitor('ann');
  const page = await ann.submit('create', {url, start_date: '2031-11-01', expiry_date: '2031-12-31'});
  const shortUrl = (await shortener.links.page('ann')).links[0]?.shortUrl ?? '';
  const moments = {startDate: '2031-11-01 04:00:00', expiryDate: '2032-01-01 04:59:59'};
  t.like(await shortener.links.info('ann', shortUrl), moments);
  t.true(textOf(rowOf(page.text, shortUrl)).includes('Until Dec 31, 2031'));
  const {text} = await ann.get(linkPath(shortUrl));
  const form = fieldsIn(text, './update');
  t.deepEqual(
    dates.map((name) => form[name]),
    ['2031-11-01', '', '2031-12-31', ''],
  );
  t.true(textOf(text).includes('America/New_York'));
  await ann.submit('update', {...form, title: 'New'});
  t.like(await shortener.links.info('ann', shortUrl), {title: 'New', ...moments});
});

test('a link starts and ends at a time of the site, to the minute', async (t) => {
  const {visitor, shortener} = await open(t, newYork);
  const ann = visitor('ann');
  const entered = {start_date: '2031-07-01', start_time: '09:30', expiry_date: '2031-12-31', expiry_time: '18:00'};
  const page = await ann.submit('create', {url, ...entered});
  const shortUrl = (await shortener.links.page('ann')).links[0]?.shortUrl ?? '';
  t.like(await shortener.links.info('ann', shortUrl), {
    startDate: '2031-07-01 13:30:00',
    expiryDate: '2031-12-31 23:00:00',
  });
  t.regex(textOf(rowOf(page.text, shortUrl)), /From Jul 1, 2031, 9:30.AM Until Dec 31, 2031, 6:00.PM/);
  const form = fieldsIn((await ann.get(linkPath(shortUrl))).text, './update');
  t.like(form, entered);
  await ann.submit('update', {...form, expiry_time: ''});
  t.is((await shortener.links.info('ann', shortUrl)).expiryDate, '2032-01-01 04:59:59');
  await shortener.links.update('ann', shortUrl, {expiryDate: '2031-12-31 18:00:30'});
  const exact = fieldsIn((await ann.get(linkPath(shortUrl))).text, './update');
  t.is(exact['expiry_time'], '18:00:30');
  await ann.submit('update', {...exact, start_date: '', start_time: ''});
  t.like(await shortener.links.info('ann', shortUrl), {startDate: null, expiryDate: '2031-12-31 23:00:30'});
});
