import test from 'ava';
import {accepted, refused} from '../../support/answers.ts';
import {sharedSite, startSite} from '../../support/site.ts';
import type {World} from '../../support/worlds.ts';

const url = 'https://destination.example/page';

/** Many links in one call. */
export function many(world: World): void {
  // For tests that create nothing.
  const refusing = sharedSite({world});

  test('create_many creates each link as create does, and answers in order with full records and errors', async (t) => {
    const site = await startSite(t, {world});
    const links = [
      {url, custom_url: 'spring', tags: ['mail'], title: 'A & <b>'},
      {url, custom_url: 'spring'},
      {url: 'ftp://destination.example/'},
      {url, max_visits: 3},
      {url, colour: 'red'},
      {},
      'no object',
      [url],
      null,
      {url: 7},
    ];
    const reply = await site.post('create_many', {links});
    const {results, ...rest} = accepted(t, reply);
    t.deepEqual(Object.keys(rest), ['date_time']);
    t.deepEqual(
      results.map(({link, error}) => link?.status ?? error),
      [
        'active',
        'custom_url_taken',
        'invalid_url',
        'active',
        'unknown_parameter',
        'missing_parameter',
        'malformed_parameter',
        'malformed_parameter',
        'malformed_parameter',
        'malformed_parameter',
      ],
    );
    for (const result of results) t.deepEqual(Object.keys(result), result.link ? ['link'] : ['error', 'message']);
    const {date_time, ...info} = (await site.post('stats', {short_url: `${site.baseUrl}/spring`})).json().data;
    const {days, details, conversions, ...record} = info;
    t.deepEqual(results[0]?.link, record as never);
    t.deepEqual([days, details, conversions], [[], {}, []]);
    t.truthy(date_time);
    t.deepEqual((await site.list()).length, 2);
    const xml = (await site.post('create_many', {links: links.slice(0, 3)}, {suffix: '.xml'})).envelope;
    const [taken] = xml.data['results'] as unknown[];
    t.is((taken as {error: string}).error, 'custom_url_taken');
  });

  test('update_many changes fields and statuses, in order for the same link', async (t) => {
    const site = await startSite(t, {world});
    const {results: made} = accepted(
      t,
      await site.post('create_many', {links: [{url}, {url, password: 's3cret'}, {url}]}),
    );
    const [one = '', two = '', three = ''] = made.map(({link}) => link?.short_url ?? '');
    const changes = [
      {short_url: one, title: 'First'},
      {short_url: one, title: 'Second', tags: ['a', 'b']},
      {short_url: two, password: null, max_visits: 9},
      {short_url: two, clear: ['max_visits']},
      {short_url: three, status: 'disabled'},
      {short_url: three, status: 'active'},
      {short_url: three, status: 'removed'},
      {short_url: three, status: 'active'},
      {short_url: one, status: 'disabled', title: 'Third'},
      {short_url: one, status: 'expired'},
      {short_url: one},
      {title: 'Fourth'},
      {short_url: `${site.baseUrl}/none`, title: 'Fifth'},
    ];
    const {results} = accepted(t, await site.post('update_many', {changes}));
    t.deepEqual(
      results.map(({link, error}) => error ?? [link?.title, link?.max_visits, link?.has_password, link?.status]),
      [
        ['First', null, false, 'active'],
        ['Second', null, false, 'active'],
        [null, 9, false, 'active'],
        [null, null, false, 'active'],
        [null, null, false, 'disabled'],
        [null, null, false, 'active'],
        [undefined, undefined, undefined, 'removed'],
        'unknown_short_url',
        'malformed_parameter',
        'malformed_parameter',
        'missing_parameter',
        'missing_parameter',
        'unknown_short_url',
      ],
    );
    t.deepEqual(Object.keys(results[6]?.link ?? {}), ['url_id', 'short_url', 'status']);
    t.is((await site.info(one)).status, 'active');
    const xml = await site.post('update_many', {changes: [{short_url: two, status: 'removed'}]}, {suffix: '.xml'});
    t.is(xml.status, 200);
  });

  test('a list of many that is no list, empty or too long is a malformed_parameter', async (t) => {
    const site = await refusing();
    for (const [operation, name] of [
      ['create_many', 'links'],
      ['update_many', 'changes'],
    ] as const) {
      for (const value of [{}, '', null, 7, [], Array.from({length: 1001}, () => ({}))]) {
        refused(t, await site.post(operation, {[name]: value}), 'malformed_parameter');
      }
      refused(t, await site.post(operation, {}), 'missing_parameter');
      refused(t, await site.post(operation, {[name]: [{}], url}), 'unknown_parameter');
      const {results} = accepted(t, await site.post(operation, {[name]: Array.from({length: 1000}, () => ({}))}));
      t.is(results.length, 1000);
    }
    t.deepEqual(await site.list(), []);
  });

  test('GET of a call of many answers 405 with Allow: POST, and a POST with the key in the path 405 too', async (t) => {
    const site = await refusing();
    for (const operation of ['create_many', 'update_many']) {
      for (const keyIn of ['header', 'path'] as const) {
        for (const method of ['GET', 'HEAD', 'PUT']) {
          const reply = await site.call(`${operation}.json`, {method, keyIn});
          t.is(reply.status, 405);
          t.is(reply.headers.allow, 'POST');
        }
      }
      const headers = {'Content-Type': 'application/json'};
      const reply = await site.call(operation, {method: 'POST', keyIn: 'path', headers, body: '{}'});
      refused(t, reply, 'method_not_allowed');
    }
  });
}
