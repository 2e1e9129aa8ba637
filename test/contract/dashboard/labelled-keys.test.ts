import test from 'ava';
import {open, textOf} from '../../support/dashboard.ts';

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
  t.regex(page, /<details[^>]*>\s*<summary[^>]*>Revoke…<\/summary>.*Yes, revoke the key<\/button>.*?<\/details>/s);
  const revoked = await ann.submit('revoke-key', {id: key?.id ?? ''});
  t.is(revoked.status, 200);
  t.deepEqual(await shortener.keys.list('ann'), []);
});

test('a wrong label, a 21st key and an old form are refused', async (t) => {
  const {visitor, shortener} = await open(t);
  const ann = visitor('ann');
  t.is((await ann.post('create-key', {label: ' ', scope: 'read'})).status, 400);
  t.is((await ann.post('create-key', {label: 'x', scope: 'read', _token: 'old'})).status, 403);
  for (let number = 0; number < 20; number += 1) {
    await shortener.keys.create('ann', {label: `Key ${number}`, scope: 'read'});
  }
  const {status, text} = await ann.post('create-key', {label: 'x', scope: 'read'});
  t.is(status, 409);
  t.true(textOf(text).includes('You have 20 keys already.'));
});
