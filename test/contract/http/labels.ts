import test from 'ava';
import {accepted, redirects, refused} from '../../support/answers.ts';
import {urlSafe} from '../../support/base64.ts';
import {sharedSite, startSite} from '../../support/site.ts';
import type {World} from '../../support/worlds.ts';

const url = 'https://destination.example/page';

/** Titles, tags and limits of visits. */
export function labels(world: World): void {
  const making = sharedSite({world});
  const refusing = sharedSite({world});

  test('a long URL, a title and a tag with any characters are the same in JSON and XML', async (t) => {
    const site = await making();
    for (const text of [
      `<b>"Spring" & 'summer'</b>`,
      '&amp; &#60; ]]>',
      '😀 𝒳 日本 a  b',
      '50% / v1.2 %2F',
      '__proto__',
      'a\u2028b',
    ]) {
      const original_url = `https://destination.example/?${text}.`;
      const {short_url} = await site.create({url: original_url, title: text, tags: `${text},x`});
      for (const suffix of ['.json', '.xml']) {
        const reply = await site.api('stats', {short_url}, {suffix});
        t.like(reply.envelope.data, {original_url, title: text, tags: [text, 'x']});
        const found = await site.api('list_urls', {tag: text, search: text, limit: '1'}, {suffix});
        const [first] = found.envelope.data['urls'] as unknown[];
        t.like(first, {short_url, title: text, tags: [text, 'x']});
      }
    }
  });

  test('a wrong title, tag or limit is a malformed_parameter and creates nothing', async (t) => {
    const site = await refusing();
    for (const rest of [
      `title/${'x'.repeat(201)}`,
      'title/a%0Ab',
      'title/a%20',
      'title/%FF',
      `tags/${'x'.repeat(51)}`,
      `tags/${Array.from({length: 21}, (_, index) => index).join()}`,
      'tags/a,',
      'tags/%2C',
      'tags/a,%20b',
      'max_visits/0',
      'max_visits/1000000001',
      'max_visits/-1',
      'max_visits/1%2E5',
      `max_visits/${'9'.repeat(400)}`,
    ]) {
      refused(t, await site.call(`create/url/${urlSafe(url)}/${rest}.json`), 'malformed_parameter');
    }
    t.deepEqual(await site.list(), []);
  });

  test('of concurrent visits exactly as many are redirected as the limit allows, and the rest get 410', async (t) => {
    const site = await making();
    const {short_url} = await site.create({max_visits: '5'});
    t.is((await site.visit(short_url, {method: 'HEAD'})).status, 200, 'a look is no visit');
    const replies = await Promise.all(Array.from({length: 20}, () => site.visit(short_url)));
    t.deepEqual(replies.map(({status}) => status).toSorted(), [
      ...Array<number>(5).fill(302),
      ...Array<number>(15).fill(410),
    ]);
    t.like(await site.info(short_url), {status: 'expired', total_visits: 5});
    refused(t, await site.api('enable', {short_url}), 'link_expired');
    t.false((await site.list()).includes(short_url));
  });

  test('raising or clearing the limit reactivates a link whose visits are used up', async (t) => {
    const site = await making();
    const {short_url} = await site.create({max_visits: '1'});
    redirects(t, await site.visit(short_url), url);
    t.is((await site.visit(short_url)).status, 410);
    t.like(accepted(t, await site.api('update', {short_url, max_visits: '2'})), {status: 'active', max_visits: 2});
    redirects(t, await site.visit(short_url), url);
    t.is((await site.visit(short_url)).status, 410);
    t.is(accepted(t, await site.api('update', {short_url, clear: 'max_visits'})).status, 'active');
    for (let visit = 0; visit < 3; visit++) redirects(t, await site.visit(short_url), url);
    t.is(accepted(t, await site.api('update', {short_url, max_visits: '5'})).status, 'expired');
    t.is((await site.visit(short_url)).status, 410);
    t.is((await site.info(short_url)).total_visits, 5);
  });

  test('a tag and a title are found in either form of their accents', async (t) => {
    const site = await startSite(t, {world});
    const [composed, decomposed] = ['caf\u00e9', 'cafe\u0301'];
    const {short_url} = accepted(t, await site.post('create', {url, title: decomposed, tags: [decomposed, composed]}));
    accepted(t, await site.post('create', {url, title: composed, tags: [composed]}));
    const {links} = site.shortener;
    t.deepEqual((await links.info('user-42', short_url)).tags, [composed]);
    t.deepEqual(await links.tags('user-42'), [{tag: composed, links: 2}]);
    for (const form of [composed, decomposed]) {
      t.is((await links.page('user-42', {tag: form})).links.length, 2);
      t.is((await links.page('user-42', {search: form})).links.length, 2);
    }
  });

  test('tags are added and removed without reading them, in any case of their letters', async (t) => {
    const site = await making();
    const {short_url} = await site.create({tags: 'mail,Spring'});
    const added = accepted(t, await site.api('update', {short_url, add_tags: 'posters,MAIL'}));
    t.deepEqual(added.tags as unknown, ['mail', 'Spring', 'posters']);
    const both = {short_url, add_tags: ['new'], remove_tags: ['SPRING', 'none']};
    t.deepEqual(accepted(t, await site.post('update', both)).tags as unknown, ['mail', 'posters', 'new']);
    const {results} = accepted(t, await site.post('update_many', {changes: [{short_url, remove_tags: ['mail']}]}));
    t.deepEqual(results[0]?.link?.tags as unknown, ['posters', 'new']);
    refused(t, await site.api('update', {short_url, tags: 'a', add_tags: 'b'}), 'malformed_parameter');
    const many = Array.from({length: 19}, (_, index) => `tag${index}`);
    refused(t, await site.post('update', {short_url, add_tags: many}), 'malformed_parameter');
    refused(t, await site.post('create', {url, add_tags: ['a']}), 'unknown_parameter');
  });

  test('of concurrent additions of tags all are kept', async (t) => {
    const site = await making();
    const {short_url} = await site.create();
    const names = Array.from({length: 15}, (_, index) => `tag${index}`);
    await Promise.all(names.map((tag) => site.api('update', {short_url, add_tags: tag})));
    const {tags} = await site.shortener.links.info('user-42', short_url);
    t.deepEqual(tags.toSorted(), names.toSorted());
  });
}
