import '../../support/quick-scrypt.ts';
import test from 'ava';
import {routes} from '../../../src/dashboard/routes.ts';
import {limits} from '../../../src/dashboard/generated/limits.ts';
import {fieldsIn, open} from '../../support/dashboard.ts';
import {linkPath} from '../../support/dashboard-pages.ts';

const secret = 'a secret of good length, for tests';

test('no action of the dashboard changes anything without the token of its form', async (t) => {
  const store = new Map<string, unknown>();
  const {visitor, shortener} = await open(t, {shortUrl: {store, secret}});
  const operator = visitor('operator');
  await operator.get();
  const {shortUrl} = await shortener.links.create('operator', {url: 'https://example.org/', customUrl: 'spring'});
  await shortener.links.create('operator', {url: 'https://example.org/', customUrl: 'autumn'});
  await shortener.links.disable('operator', shortUrl.replace('spring', 'autumn'));
  const {id} = await shortener.keys.create('operator', {label: 'A key', scope: 'read'});
  // Fields with which each action would do something.
  const fields = {
    ...{id, label: 'Another key', scope: 'full', account: 'ann', reason: 'Spam', confirmed: 'yes', do: 'remove'},
    ...{
      short_url: shortUrl,
      short_urls: shortUrl,
      selected_0: shortUrl,
      url: 'https://example.org/',
      lines: 'https://a.example/',
    },
    ...{format: 'svg', size: '300', once: 'a'},
  };
  const stored = (): string => JSON.stringify(Array.from(store));
  const before = stored();
  const actions = Array.from(routes).filter(([, {isAction}]) => isAction === true);
  t.true(actions.length >= 17);
  for (const [path] of actions) {
    for (const _token of ['', 'x'.repeat(43), await visitor('ann').token()]) {
      const {status} = await operator.post(path, {...fields, _token});
      t.is(status, 403, path);
    }
  }
  t.is(stored(), before);
});

test('a form has room for as many rules with URLs as long as a link may have, and for what it was loaded with', async (t) => {
  const {visitor, shortener} = await open(t);
  const ann = visitor('ann');
  // The URLs of a link have 60,000 bytes at most, and each of these characters takes three in a form.
  const long = (name: string, length: number = limits.url): string =>
    `https://example.org/${name}/`.padEnd(length, '!');
  const rules = Array.from({length: limits.rules}, (_, n) => [
    [`rule_${n}_device`, 'ios'],
    [`rule_${n}_url`, long(`${n}`, 3500)],
  ]).flat();
  const urls = {url: long('url'), expired_url: long('over'), preview_image: long('image')};
  const fields = {...urls, custom_url: 'rules', ...(Object.fromEntries(rules) as object)};
  const made = await ann.post('create', fields);
  t.is(made.status, 303, /class="links-error[^>]*>[^<]*/.exec(made.text)?.[0]);
  const {links} = await shortener.links.page('ann', {limit: 1});
  t.is(links[0]?.rules.length, limits.rules);
  const loaded = fieldsIn((await ann.get(linkPath(links[0]?.shortUrl ?? ''))).text, './update');
  t.is(loaded['loaded_url'], urls.url);
  t.is((await ann.post('update', {...loaded, ...fields, title: 'New'})).status, 303);
  t.is((await shortener.links.page('ann', {limit: 1})).links[0]?.title, 'New');
});
