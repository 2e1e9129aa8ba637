import test from 'ava';
import {shortUrl} from '../../../src/index.ts';
import {open} from '../../support/dashboard.ts';

const lost = 'a secret that nobody of the site has any more';
const secret = 'the secret that the site has from now on, too';

test('a key that no secret opens is explained, and everything else works', async (t) => {
  const store = new Map<string, unknown>();
  const before = shortUrl({baseUrl: 'https://example.com', store, secret: lost});
  const {apiKey} = await before.accounts.create('bob');
  await before.close();
  const errors: string[] = [];
  const {visitor, shortener} = await open(t, {
    shortUrl: {store, secret},
    assemble(app, {shortener: middleware, pages}) {
      app.on('error', (error: {code?: string}) => errors.push(String(error.code)));
      app.use(middleware).use(pages);
    },
  });
  const bob = visitor('bob');
  t.is((await bob.get('')).status, 200);
  t.deepEqual(errors, ['internal_error']);
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
