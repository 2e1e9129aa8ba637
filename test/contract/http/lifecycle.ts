import test from 'ava';
import {accepted, redirects, refused} from '../../support/answers.ts';
import {startSite} from '../../support/site.ts';
import type {World} from '../../support/worlds.ts';

const url = 'https://destination.example/page';

/** disable, enable and remove, and the ways to name a link. */
export function lifecycle(world: World): void {
  test('disable and enable answer the id, the status, the short URL and the time, also if nothing changes', async (t) => {
    const site = await startSite(t, {world});
    const {url_id, short_url} = await site.create({custom_url: 'spring'});
    site.clock.set('2031-05-07T08:09:10Z');
    for (const [operation, status] of [
      ['enable', 'active'],
      ['disable', 'disabled'],
      ['disable', 'disabled'],
      ['enable', 'active'],
    ] as const) {
      const data: unknown = accepted(t, await site.api(operation, {short_url}));
      t.deepEqual(data, {url_id, status, short_url, date_time: '2031-05-07 08:09:10'});
      const info: unknown = await site.info(short_url);
      t.deepEqual(info, {
        url_id,
        short_url,
        short_url_part: 'spring',
        original_url: url,
        date_created: '2031-05-06 12:00:00',
        last_accessed: null,
        total_visits: 0,
        has_password: false,
        expiry_date: null,
        status,
        date_time: '2031-05-07 08:09:10',
      });
    }
  });

  test('a disabled link stops at once, and works again at once when it is enabled', async (t) => {
    const site = await startSite(t, {world});
    const link = await site.create();
    redirects(t, await site.visit(link.short_url), url);

    accepted(t, await site.api('disable', {short_url: link.short_url}));
    t.is((await site.visit(link.short_url)).status, 410);
    t.is((await site.info(link.short_url)).status, 'disabled');
    t.deepEqual(await site.list(), []);

    accepted(t, await site.api('enable', {short_url: link.short_url}));
    redirects(t, await site.visit(link.short_url), url);
    t.is((await site.info(link.short_url)).status, 'active');
    t.deepEqual(await site.list(), [link.short_url]);
  });

  test('a link is named by its short URL on any domain, with http or https, in any case and with a port', async (t) => {
    const site = await startSite(t, {world});
    for (const base_domain of ['example.com', 'sho.rt', 'go.example.org']) {
      const {url_id, short_url} = await site.create({base_domain, custom_url: 'spring'});
      for (const spelling of [
        short_url,
        short_url.replace('https:', 'http:'),
        short_url.replace('https:', 'HTTPS:').replace(base_domain, base_domain.toUpperCase()),
        short_url.replace(`https://${base_domain}`, `http://${base_domain}:8080`),
      ]) {
        for (const operation of ['disable', 'enable', 'info', 'stats']) {
          t.like(accepted(t, await site.api(operation, {short_url: spelling})), {url_id, short_url});
        }
      }
    }
  });

  test('anything but a short URL of the account is unknown, and that of another account gets the same answer', async (t) => {
    const site = await startSite(t, {world});
    const {apiKey: key} = await site.shortener.accounts.create('user-43');
    const theirs = await site.create({custom_url: 'theirs'}, {key});
    await site.create({custom_url: 'Spring'});
    const unknown = [
      `${site.baseUrl}/spring`,
      `${site.baseUrl}/Spring/more`,
      `${site.baseUrl}/__proto__`,
      `https://sho.rt${site.base}/Spring`,
      'https://foreign.example/Spring',
      `https://sub.example.com${site.base}/Spring`,
      ...['spring', '/spring', ' ', 'https://', '\0', 'javascript:alert(1)', 'x'.repeat(5000)],
    ];
    for (const operation of ['disable', 'enable', 'info', 'stats', 'update', 'remove']) {
      const ask = (short_url: string, suffix = '.json') =>
        site.api(operation, {short_url, ...(operation === 'update' && {title: 'x'})}, {suffix});
      for (const short_url of unknown) refused(t, await ask(short_url), 'unknown_short_url');
      for (const suffix of ['.json', '.xml']) {
        const reply = await ask(theirs.short_url, suffix);
        refused(t, reply, 'unknown_short_url');
        t.is(reply.text.replaceAll('theirs', 'nobody'), (await ask(`${site.baseUrl}/nobody`, suffix)).text);
      }
    }
    t.is((await site.info(theirs.short_url, {key})).status, 'active');
    redirects(t, await site.visit(theirs.short_url), url);
  });

  test('remove answers the id, the short URL, `removed` and the time, in JSON and in XML', async (t) => {
    const site = await startSite(t, {world});
    const [{url_id, short_url}, second] = [await site.create(), await site.create()];
    site.clock.set('2031-05-07T08:09:10Z');
    const data: unknown = accepted(t, await site.api('remove', {short_url}));
    t.deepEqual(data, {url_id, short_url, status: 'removed', date_time: '2031-05-07 08:09:10'});
    const xml = await site.api('remove', {short_url: second.short_url}, {suffix: '.xml'});
    t.is(xml.envelope.data['status'], 'removed');
  });

  test('a removed link is unknown to every operation, is in no list and answers 410 for good', async (t) => {
    const site = await startSite(t, {world});
    const {short_url} = await site.create({custom_url: 'spring', title: 'Spring', expiry_date: '2031-05-06'});
    const stays = await site.create();
    redirects(t, await site.visit(short_url), url);
    accepted(t, await site.api('remove', {short_url}));
    for (const operation of ['disable', 'enable', 'info', 'stats', 'remove']) {
      refused(t, await site.api(operation, {short_url}), 'unknown_short_url');
    }
    refused(t, await site.api('update', {short_url, title: 'x'}), 'unknown_short_url');
    t.deepEqual(await site.list(), [stays.short_url]);
    const {urls} = accepted(t, await site.api('list_urls'));
    t.deepEqual(
      urls.map((each) => each.short_url),
      [stays.short_url],
    );
    for (const day of ['2031-05-06T12:00:00Z', '2039-01-01T00:00:00Z']) {
      site.clock.set(day);
      t.is((await site.visit(short_url)).status, 410);
      t.is((await site.visit(short_url, {method: 'HEAD'})).status, 410);
    }
  });

  test('only its account can create a removed link again, with no visits', async (t) => {
    const site = await startSite(t, {world});
    const {apiKey: key} = await site.shortener.accounts.create('user-43');
    const link = await site.create({custom_url: 'spring', password: 's3cret', title: 'Spring', max_visits: '5'});
    await site.submit(link.short_url, 's3cret');
    accepted(t, await site.api('remove', {short_url: link.short_url}));
    refused(t, await site.api('create', {custom_url: 'spring', url}, {key}), 'custom_url_taken');
    const again = await site.create({custom_url: 'spring', url: 'https://destination.example/new'});
    t.is(again.short_url, link.short_url);
    t.true(again.url_id > link.url_id);
    t.like(await site.info(again.short_url), {total_visits: 0, last_accessed: null, has_password: false});
    redirects(t, await site.visit(again.short_url), 'https://destination.example/new');
    t.is((await site.info(again.short_url)).total_visits, 1);
    t.deepEqual(await site.list(), [again.short_url]);
  });
}
