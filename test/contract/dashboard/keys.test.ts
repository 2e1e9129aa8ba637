import test from 'ava';
import {shortUrl} from '../../../src/index.ts';
import {errorOf, open, textOf} from '../../support/dashboard.ts';
import {keeping} from '../../support/dashboard-pages.ts';

const lost = 'a secret that nobody of the site has any more';
const secret = 'the secret that the site has from now on, too';

test('a key that no secret opens is explained, and everything else works', async (t) => {
  const store = new Map<string, unknown>();
  const before = shortUrl({baseUrl: 'https://example.com', store, secret: lost});
  const {apiKey} = await before.accounts.create('bob');
  await before.close();
  const errors: Array<{code?: string}> = [];
  const {visitor, shortener} = await open(t, {shortUrl: {store, secret}, ...keeping(errors)});
  const bob = visitor('bob');
  t.is((await bob.get('')).status, 200);
  t.deepEqual(
    errors.map(({code}) => code),
    ['internal_error'],
  );
  const api = await bob.get('api');
  t.true(api.text.includes('This site cannot show your key, because its secret was changed.'));
  t.true(api.text.includes('Yes, replace the key'));
  t.true(api.text.includes('Authorization: Bearer API_KEY'));
  t.false(api.text.includes(apiKey));

  const created = await bob.post('create', {url: 'https://destination.example/'});
  t.is(created.status, 303);
  t.is((await shortener.links.page('bob')).links.length, 1);
  t.is((await bob.post('key', {_token: 'A'.repeat(32)})).status, 403);
  t.is((await bob.post('key', {})).status, 303);
  const key = await shortener.accounts.apiKey('bob');
  t.not(key, undefined);
  t.true((await bob.get('api')).text.includes(`>${key}</span>`));
});

test('a user creates a labelled key, sees it once, and revokes it', async (t) => {
  const {visitor, shortener} = await open(t);
  const ann = visitor('ann');
  const {status, text} = await ann.post('create-key', {label: ' News <1> ', scope: 'create'});
  t.is(status, 200);
  const [, apiKey = ''] = /<code>([\w-]{32}-\w+)<\/code>/.exec(text) ?? [];
  t.not(apiKey, '');
  const [key] = await shortener.keys.list('ann');
  t.like(key, {label: 'News <1>', scope: 'create'});
  const page = (await ann.get('api')).text;
  t.true(textOf(page).includes('News &lt;1&gt; View and create links'));
  t.false(page.includes(apiKey));
  // Revoking is for good, so the page asks before.
  t.regex(page, /<details[^>]*>\s*<summary[^>]*>Revoke…<\/summary>.*Revoke<\/button>.*?<\/details>/s);
  const revoked = await ann.submit('revoke-key', {id: key?.id ?? ''});
  t.is(revoked.status, 200);
  t.deepEqual(await shortener.keys.list('ann'), []);
});

test('a wrong label, a 21st key and an old form are refused', async (t) => {
  const {visitor, shortener} = await open(t);
  const ann = visitor('ann');
  t.is((await ann.post('create-key', {label: ' ', scope: 'read'})).status, 400);
  const wrong = await ann.post('create-key', {label: 'x'.repeat(101), scope: 'create'});
  t.is(wrong.status, 400);
  t.is(errorOf(wrong.text, 'label'), 'Enter 1 to 100 characters.');
  t.true(wrong.text.includes(`value="${'x'.repeat(101)}"`));
  t.true(wrong.text.includes('<option value="create" selected>'));
  t.is((await ann.post('create-key', {label: 'x', scope: 'read', _token: 'old'})).status, 403);
  for (let number = 0; number < 20; number += 1) {
    await shortener.keys.create('ann', {label: `Key ${number}`, scope: 'read'});
  }
  const {status, text} = await ann.post('create-key', {label: 'x', scope: 'read'});
  t.is(status, 409);
  t.true(textOf(text).includes('You have 20 keys already.'));
});
