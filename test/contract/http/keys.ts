import test from 'ava';
import type {DeniedEvent} from '../../../src/index.ts';
import {accepted, redirects, refused} from '../../support/answers.ts';
import {sharedSite, startSite} from '../../support/site.ts';
import type {World} from '../../support/worlds.ts';
import {asXmlReads} from '../../support/xml.ts';

const url = 'https://destination.example/page';

/** A call of each operation, and the least scope that it needs. */
function callsOf(short_url: string, id: string) {
  const calls: ReadonlyArray<readonly [operation: string, body: object, least: 'read' | 'create' | 'full']> = [
    ['info', {short_url}, 'read'],
    ['stats', {short_url}, 'read'],
    ['list_active_urls', {}, 'read'],
    ['list_urls', {}, 'read'],
    ['account_stats', {}, 'read'],
    ['tags', {}, 'read'],
    ['compare', {order: 'value'}, 'read'],
    ['compare_tags', {}, 'read'],
    ['create', {url}, 'create'],
    ['create_many', {links: [{url}]}, 'create'],
    ['update', {short_url, title: 'x'}, 'full'],
    ['update_many', {changes: [{short_url, title: 'x'}]}, 'full'],
    ['disable', {short_url}, 'full'],
    ['enable', {short_url}, 'full'],
    ['remove', {short_url}, 'full'],
    ['keys', {}, 'full'],
    ['create_key', {label: 'x', scope: 'full'}, 'full'],
    ['revoke_key', {id}, 'full'],
  ];
  return calls;
}

/** Accounts and their keys. */
export function keys(world: World): void {
  test('a key is created, listed and revoked by POST', async (t) => {
    const site = await startSite(t, {world});
    const reply = await site.post('create_key', {label: 'Newsletter <1>', scope: 'create'});
    const made = accepted(t, reply) as unknown as Record<'id' | 'api_key' | 'label' | 'scope' | 'created', string>;
    const {api_key: key, id} = made;
    const given = {id, label: 'Newsletter <1>', scope: 'create', created: '2031-05-06 12:00:00'};
    t.like(made, given);
    const listed = await site.post('keys', {});
    t.like(accepted(t, listed), {keys: [given]} as never);
    t.deepEqual((await site.post('keys', {}, {suffix: '.xml'})).xml(), asXmlReads(listed.json()));
    t.deepEqual<unknown, unknown>(await site.shortener.keys.list('user-42'), [given]);

    accepted(t, await site.post('create', {url}, {key}));
    t.like(accepted(t, await site.post('revoke_key', {id})), {id, status: 'revoked'} as never);
    refused(t, await site.post('create', {url}, {key}), 'invalid_api_key');
    refused(t, await site.post('revoke_key', {id}), 'unknown_key');
  });

  test('a wrong label, scope or id of a key is refused', async (t) => {
    const site = await startSite(t, {world});
    for (const [operation, body, failure] of [
      ['create_key', {}, 'missing_parameter'],
      ['create_key', {label: 'x'}, 'missing_parameter'],
      ['create_key', {label: 'x', scope: 'all'}, 'malformed_parameter'],
      ['create_key', {label: ' ', scope: 'read'}, 'malformed_parameter'],
      ['create_key', {label: 5, scope: 'read'}, 'malformed_parameter'],
      ['create_key', {label: 'x', scope: 'read', id: 'y'}, 'unknown_parameter'],
      ['revoke_key', {}, 'missing_parameter'],
      ['keys', {id: 'x'}, 'unknown_parameter'],
    ] as const) {
      refused(t, await site.post(operation, body), failure);
    }
    t.deepEqual(await site.shortener.keys.list('user-42'), []);
  });

  test('a key runs only the operations of its scope', async (t) => {
    const site = await startSite(t, {world});
    const {shortUrl: short_url} = await site.shortener.links.create('user-42', {url, customUrl: 'spring'});
    const read = await site.shortener.keys.create('user-42', {label: 'Reader', scope: 'read'});
    const create = await site.shortener.keys.create('user-42', {label: 'Creator', scope: 'create'});
    const denied: DeniedEvent[] = [];
    site.shortener.events.on('denied', (event) => denied.push(event));
    for (const [operation, body, least] of callsOf(short_url, read.id)) {
      for (const {apiKey, scope} of [read, create]) {
        const reply = await site.post(operation, body, {key: apiKey});
        const isAllowed = least === 'read' || (least === 'create' && scope === 'create');
        if (isAllowed) accepted(t, reply);
        else refused(t, reply, 'insufficient_scope');
      }
    }
    t.is((await site.shortener.links.info('user-42', short_url)).status, 'active');
    t.is((await site.shortener.keys.list('user-42')).length, 2);
    const [first] = denied;
    t.like(first, {reason: 'insufficient_scope', account: 'user-42', key: {id: read.id, label: 'Reader'}});
    t.false(JSON.stringify(denied).includes(read.apiKey));
    refused(t, await site.api('disable', {short_url}, {key: read.apiKey}), 'insufficient_scope');
  });

  test('every operation with a key of a blocked account is refused with account_blocked', async (t) => {
    const site = await startSite(t, {world});
    const {shortUrl: short_url} = await site.shortener.links.create('user-42', {url, customUrl: 'spring'});
    const {apiKey} = await site.shortener.keys.create('user-42', {label: 'Reader', scope: 'read'});
    await site.shortener.admin.blockAccount('user-42', {reason: 'Spam'});
    for (const [operation, body] of callsOf(short_url, 'x')) {
      t.true(refused(t, await site.post(operation, body), 'account_blocked').includes('Spam'));
    }
    refused(t, await site.api('info', {short_url}, {key: apiKey}), 'account_blocked');
    refused(t, await site.api('create', {url}), 'account_blocked');
    t.is((await site.visit(short_url)).status, 410);
    await site.shortener.admin.unblockAccount('user-42');
    accepted(t, await site.api('info', {short_url}, {key: apiKey}));
    t.is((await site.visit(short_url)).status, 302);
  });

  const making = sharedSite({world});

  test('creating an account again gives the same key', async (t) => {
    const {accounts} = (await making()).shortener;
    const {apiKey} = await accounts.create('user-42');
    t.deepEqual(await accounts.create('user-42'), {apiKey});
    t.is(await accounts.apiKey('user-42'), apiKey);
    for (const account of ['user-4', 'User-42', 'user-42 ', 'constructor']) {
      t.is(await accounts.apiKey(account), undefined);
    }
  });

  test('an account may have any text as its id', async (t) => {
    const site = await making();
    for (const account of ['__proto__', 'somebody@example.com', 'a:b/c%2F d', 'ü😀', '42']) {
      const {apiKey: key} = await site.shortener.accounts.create(account);
      const link = await site.create({}, {key});
      t.is(await site.shortener.accounts.apiKey(account), key);
      t.deepEqual(await site.list({key}), [link.short_url]);
    }
    t.deepEqual(await site.list(), []);
  });

  test('rotate gives a new key, stops the old one at once and keeps the links', async (t) => {
    const site = await startSite(t, {world});
    const link = await site.create();
    const {apiKey} = await site.shortener.accounts.rotate('user-42');
    t.not(apiKey, site.key);
    t.is(await site.shortener.accounts.apiKey('user-42'), apiKey);
    t.deepEqual(await site.shortener.accounts.create('user-42'), {apiKey});
    refused(t, await site.api('list_active_urls'), 'invalid_api_key');
    refused(t, await site.api('create', {url: url}), 'invalid_api_key');
    t.deepEqual(await site.list({key: apiKey}), [link.short_url]);
    accepted(t, await site.api('info', {short_url: link.short_url}, {key: apiKey}));
    redirects(t, await site.visit(link.short_url), url);
  });

  test('remove stops the key, and the links answer 410', async (t) => {
    const site = await startSite(t, {world});
    const link = await site.create({custom_url: 'spring'});
    redirects(t, await site.visit(link.short_url), url);

    await site.shortener.accounts.remove('user-42');

    refused(t, await site.api('list_active_urls'), 'invalid_api_key');
    refused(t, await site.api('info', {short_url: link.short_url}), 'invalid_api_key');
    t.is(await site.shortener.accounts.apiKey('user-42'), undefined);
    t.is((await site.visit(link.short_url)).status, 410);
  });

  test('removing an account affects no other account, and its short parts stay taken', async (t) => {
    const site = await startSite(t, {world});
    const {apiKey: key} = await site.shortener.accounts.create('user-43');
    const mine = await site.create({custom_url: 'mine'});
    const theirs = await site.create({custom_url: 'theirs'}, {key});
    await site.shortener.accounts.remove('user-42');
    redirects(t, await site.visit(theirs.short_url), url);
    t.deepEqual(await site.list({key}), [theirs.short_url]);
    refused(t, await site.api('create', {custom_url: 'mine', url: url}, {key}), 'custom_url_taken');
    refused(t, await site.api('create', {url: mine.short_url}, {key}), 'forbidden_url');
    refused(t, await site.api('info', {short_url: mine.short_url}, {key}), 'unknown_short_url');
  });

  test('an account that is created again after its removal has a new key and no links', async (t) => {
    const site = await startSite(t, {world});
    await site.shortener.accounts.remove('user-42');
    const {apiKey: key} = await site.shortener.accounts.create('user-42');
    t.not(key, site.key);
    refused(t, await site.api('list_active_urls'), 'invalid_api_key');
    const link = await site.create({}, {key});
    redirects(t, await site.visit(link.short_url), url);
  });
}
