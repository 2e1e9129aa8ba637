import test from 'ava';
import type {DeniedEvent} from '../../../src/index.ts';
import {accepted, refused} from '../../support/answers.ts';
import {startSite} from '../../support/site.ts';
import type {World} from '../../support/worlds.ts';

const url = 'https://destination.example/page';

/** Labelled keys, and a blocked account. */
export function keys(world: World): void {
  test('a key is created, listed and revoked by POST', async (t) => {
    const site = await startSite(t, {world});
    const made = accepted(
      t,
      await site.post('create_key', {label: 'Newsletter <1>', scope: 'create'}),
    ) as unknown as Record<'id' | 'api_key' | 'label' | 'scope' | 'created', string>;
    t.deepEqual(Object.keys(made), ['id', 'api_key', 'label', 'scope', 'created', 'date_time']);
    t.like(made, {label: 'Newsletter <1>', scope: 'create', created: '2031-05-06 12:00:00'});
    const {id, label, scope, created} = made;
    const listed = await site.post('keys', {});
    t.deepEqual(accepted(t, listed)['keys' as never], [{id, label, scope, created}] as never);
    const xml = (await site.post('keys', {}, {suffix: '.xml'})).text;
    t.true(xml.includes(`<keys><key><id>${id}</id><label>Newsletter &lt;1&gt;</label><scope>create</scope>`), xml);
    t.deepEqual(await site.shortener.keys.list('user-42'), [{id, label, scope: 'create', created}]);

    accepted(t, await site.post('create', {url}, {key: made.api_key}));
    t.like(accepted(t, await site.post('revoke_key', {id})), {id, status: 'revoked'} as never);
    refused(t, await site.post('create', {url}, {key: made.api_key}), 'invalid_api_key');
    refused(t, await site.post('revoke_key', {id}), 'unknown_key');
  });

  test('the operations on keys are POST only, and refuse a wrong label, scope or id', async (t) => {
    const site = await startSite(t, {world});
    for (const operation of ['keys', 'create_key', 'revoke_key']) {
      const reply = await site.api(operation, {}, {keyIn: 'header'});
      refused(t, reply, 'method_not_allowed');
      t.is(reply.headers.allow, 'POST');
    }
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
    for (let number = 1; number <= 20; number += 1) {
      await site.shortener.keys.create('user-42', {label: `Key ${number}`, scope: 'read'});
    }
    refused(t, await site.post('create_key', {label: 'One more', scope: 'read'}), 'too_many_keys');
  });

  test('a key runs only the operations of its scope', async (t) => {
    const site = await startSite(t, {world});
    const {shortUrl: short_url} = await site.shortener.links.create('user-42', {url, customUrl: 'spring'});
    const read = await site.shortener.keys.create('user-42', {label: 'Reader', scope: 'read'});
    const create = await site.shortener.keys.create('user-42', {label: 'Creator', scope: 'create'});
    const denied: DeniedEvent[] = [];
    site.shortener.events.on('denied', (event) => denied.push(event));
    const calls: ReadonlyArray<readonly [operation: string, body: object, least: 'read' | 'create' | 'full']> = [
      ['info', {short_url}, 'read'],
      ['stats', {short_url}, 'read'],
      ['list_active_urls', {}, 'read'],
      ['list_urls', {}, 'read'],
      ['create', {url}, 'create'],
      ['create_many', {links: [{url}]}, 'create'],
      ['update', {short_url, title: 'x'}, 'full'],
      ['update_many', {changes: [{short_url, title: 'x'}]}, 'full'],
      ['disable', {short_url}, 'full'],
      ['enable', {short_url}, 'full'],
      ['remove', {short_url}, 'full'],
      ['keys', {}, 'full'],
      ['create_key', {label: 'x', scope: 'full'}, 'full'],
      ['revoke_key', {id: read.id}, 'full'],
    ];
    for (const [operation, body, least] of calls) {
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
    for (const [operation, body] of [
      ['info', {short_url}],
      ['stats', {short_url}],
      ['list_active_urls', {}],
      ['list_urls', {}],
      ['create', {url}],
      ['create_many', {links: [{url}]}],
      ['update', {short_url, title: 'x'}],
      ['update_many', {changes: [{short_url, title: 'x'}]}],
      ['disable', {short_url}],
      ['enable', {short_url}],
      ['remove', {short_url}],
      ['keys', {}],
      ['create_key', {label: 'x', scope: 'full'}],
      ['revoke_key', {id: 'x'}],
    ] as const) {
      t.true(refused(t, await site.post(operation, body), 'account_blocked').includes('Spam'));
    }
    refused(t, await site.api('info', {short_url}, {key: apiKey}), 'account_blocked');
    refused(t, await site.api('create', {url}), 'account_blocked');
    t.is((await site.visit(short_url)).status, 410);
    await site.shortener.admin.unblockAccount('user-42');
    accepted(t, await site.api('info', {short_url}, {key: apiKey}));
    t.is((await site.visit(short_url)).status, 302);
  });
}
