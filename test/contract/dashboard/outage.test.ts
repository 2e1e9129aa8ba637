import '../../support/quick-scrypt.ts';
import test from 'ava';
import {type ShortUrl, ShortUrlError} from '../../../src/index.ts';
import {fieldsIn, open, type StageOptions} from '../../support/dashboard.ts';
import {FailingAdapter} from '../../support/failing-adapter.ts';

const typed = {
  url: 'https://example.org/typed?a=1&b=2',
  custom_url: 'typed',
  title: '"Spring" & <b>summer</b>',
  password: ' open sesame',
};

function onStore(store: FailingAdapter): StageOptions {
  return {shortUrl: {store: store as never, secret: 'a secret for tests, and for nothing else'}};
}

/** A shortener whose links cannot be reached at times, while the accounts can. */
function withLinksAway(shortener: ShortUrl, isAway: () => boolean): ShortUrl {
  const refuse = async (): Promise<never> =>
    Promise.reject(new ShortUrlError('store_unavailable', 'The store is away.'));
  const links = new Proxy(shortener.links, {get: () => refuse});
  return new Proxy(shortener, {
    get: (target, name): unknown => (name === 'links' && isAway() ? links : Reflect.get(target, name)),
  });
}

test('while the store is away the pages say so, and a form is not lost: it can be sent again', async (t) => {
  const store = new FailingAdapter();
  const {visitor, shortener, origin} = await open(t, onStore(store));
  const ann = visitor('ann');
  const fields = {_token: await ann.token(), ...typed};
  store.isDown = true;
  for (const page of ['', 'api']) {
    const {status, headers, text} = await ann.get(page);
    t.is(status, 503);
    t.truthy(headers.get('retry-after'));
    t.true(text.includes('Your links cannot be reached right now'));
  }
  let away = await ann.post('create', fields);
  t.is(away.status, 503);
  t.truthy(away.headers.get('retry-after'));
  for (const text of ['Your change may or may not have been saved.', 'Send again']) t.true(away.text.includes(text));
  t.deepEqual(fieldsIn(away.text, './create'), fields);
  away = await ann.post('create', fieldsIn(away.text, './create'));
  t.deepEqual(fieldsIn(away.text, './create'), fields);
  store.isDown = false;
  t.is((await ann.post('create', fieldsIn(away.text, './create'))).status, 303);
  t.like(await shortener.links.info('ann', `${origin}/typed`), {title: typed.title, hasPassword: true});
});

test('a button that failed is sent again with the query of its list', async (t) => {
  const store = new FailingAdapter();
  const {visitor} = await open(t, onStore(store));
  const ann = visitor('ann');
  const fields = {_token: await ann.token(), short_url: 'https://example.com/a'};
  store.isDown = true;
  const {text} = await ann.post('disable?search=%22x%22&tag=', fields);
  t.deepEqual(fieldsIn(text, './disable?search=%22x%22&tag='), fields);
});

test('a form without the right token, or from another site, is never shown again', async (t) => {
  let isAway = false;
  const {visitor} = await open(t, {disguise: (shortener) => withLinksAway(shortener, () => isAway)});
  const ann = visitor('ann');
  const token = await ann.token();
  isAway = true;
  const right = await ann.post('create', {_token: token, ...typed});
  t.is(right.status, 503);
  t.is(fieldsIn(right.text, './create')['url'], typed.url);
  const wrong = await ann.post('create', {_token: `${token}x`, ...typed});
  t.is(wrong.status, 503);
  t.false(wrong.text.includes('typed'));
  t.true(wrong.text.includes('Nothing is lost. Please try again in a moment.'));
  const foreign = await ann.post('create', {_token: token, ...typed}, {'Sec-Fetch-Site': 'cross-site'});
  t.is(foreign.status, 403);
  t.false(foreign.text.includes('typed'));
});
