import test from 'ava';
import {accepted, carriesApiHeaders} from '../../support/answers.ts';
import {sharedSite, startSite, type Site} from '../../support/site.ts';
import type {World} from '../../support/worlds.ts';
import {asXmlReads} from '../../support/xml.ts';

/** JSON and XML have the same content. */
export function envelope(world: World): void {
  // For tests that create links and do not look at others.
  const making = sharedSite({world});

  const calls: Record<string, (site: Site, suffix: string) => ReturnType<Site['api']>> = {
    disable: async (site, suffix) => site.api('disable', {short_url: `${site.baseUrl}/spring`}, {suffix}),
    enable: async (site, suffix) => site.api('enable', {short_url: `${site.baseUrl}/spring`}, {suffix}),
    info: async (site, suffix) => site.api('info', {short_url: `${site.baseUrl}/spring`}, {suffix}),
    'info of a link with an expiry date': async (site, suffix) =>
      site.api('info', {short_url: `${site.baseUrl}/summer`}, {suffix}),
    list_active_urls: async (site, suffix) => site.api('list_active_urls', {}, {suffix}),
    'a page of list_active_urls': async (site, suffix) => site.api('list_active_urls', {limit: '1'}, {suffix}),
    update: async (site, suffix) =>
      site.api(
        'update',
        {short_url: `${site.baseUrl}/spring`, title: 'a & b', tags: 'x,<y>', max_visits: '9'},
        {suffix},
      ),
    'update that clears': async (site, suffix) =>
      site.api('update', {short_url: `${site.baseUrl}/summer`, clear: 'title,tags,expiry_date'}, {suffix}),
    stats: async (site, suffix) => site.api('stats', {short_url: `${site.baseUrl}/spring`}, {suffix}),
    'stats of a link without visits': async (site, suffix) =>
      site.api('stats', {short_url: `${site.baseUrl}/summer`}, {suffix}),
    list_urls: async (site, suffix) => site.api('list_urls', {}, {suffix}),
    'a page of list_urls': async (site, suffix) => site.api('list_urls', {limit: '1', order: 'oldest'}, {suffix}),
    'list_urls without a match': async (site, suffix) => site.api('list_urls', {tag: 'none'}, {suffix}),
    'an unknown operation': async (site, suffix) => site.api('nonsense', {}, {suffix}),
    'an unknown short URL': async (site, suffix) => site.api('info', {short_url: `${site.baseUrl}/none`}, {suffix}),
    'an unknown key': async (site, suffix) => site.api('list_active_urls', {}, {suffix, key: 'nonsense'}),
    'a taken custom_url': async (site, suffix) =>
      site.api('create', {custom_url: 'spring', url: 'https://x.example/'}, {suffix}),
  };
  for (const [what, call] of Object.entries(calls)) {
    test(`XML and JSON have the same content in the same order: ${what}`, async (t) => {
      const site = await startSite(t, {world});
      const spring = await site.create({custom_url: 'spring'});
      await site.visit(spring.short_url);
      await site.create({custom_url: 'summer', expiry_date: '2031-06-07', title: 'Summer', tags: 'mail,posters'});

      const json = await call(site, '.json');
      const xml = await call(site, '.xml');

      t.is(json.headers['content-type'], 'application/json; charset=utf-8');
      t.is(xml.headers['content-type'], 'application/xml; charset=utf-8');
      t.is(xml.status, json.status);
      carriesApiHeaders(t, xml);
      carriesApiHeaders(t, json);
      t.deepEqual(xml.xml(), asXmlReads(json.json()));
      const elements = Object.keys((xml.xml() as {data: object}).data);
      t.deepEqual(elements, Object.keys(json.json().data));
      t.deepEqual(Object.keys(json.json()), ['code', 'data']);
      t.is(json.json().code, json.status);
    });
  }

  test('in XML a null is an empty element, and a boolean is true or false', async (t) => {
    const site = await startSite(t, {world});
    const link = await site.create();
    const {text} = await site.api('info', {short_url: link.short_url}, {suffix: '.xml'});
    t.regex(text, /<last_accessed(\/>|><\/last_accessed>)/);
    t.regex(text, /<expiry_date(\/>|><\/expiry_date>)/);
    t.regex(text, /<has_password>false<\/has_password>/);
    t.regex(text, /<total_visits>0<\/total_visits>/);
  });

  test('an empty list in XML is an empty urls element', async (t) => {
    const site = await startSite(t, {world});
    const {text} = await site.api('list_active_urls', {}, {suffix: '.xml'});
    t.regex(
      text,
      /^<\?xml version="1\.0" encoding="UTF-8"\?><response><code>200<\/code><data><urls(\/>|><\/urls>)<date_time>2031-05-06 12:00:00<\/date_time><\/data><\/response>$/,
    );
  });

  test('a list in XML has a url element with a short_url for each link', async (t) => {
    const site = await startSite(t, {world});
    await site.create({custom_url: 'one'});
    await site.create({custom_url: 'two'});
    const {text} = await site.api('list_active_urls', {}, {suffix: '.xml'});
    const url = (part: string) => `<url><short_url>${site.baseUrl}/${part}</short_url></url>`;
    t.true(text.includes(`<data><urls>${url('one')}${url('two')}</urls><date_time>`), text);
  });

  const texts = {
    'the characters of markup': 'https://destination.example/?a=1&b=<c>"d"\'e\'',
    'what looks like an entity': 'https://destination.example/?a=&amp;&#60;&lt;',
    'the end of a CDATA section': 'https://destination.example/?]]>',
    'characters outside ASCII and outside the basic plane': 'https://destination.example/?ä=日本&😀=𝒳',
    'a name without a meaning': 'https://destination.example/?__proto__=constructor',
    'spaces in the middle': 'https://destination.example/a  b   c',
    'characters that end a line elsewhere': 'https://destination.example/?a=\u{2028}\u{2029}b',
  };
  for (const [what, url] of Object.entries(texts)) {
    test(`a long URL with ${what} is the same in JSON and XML`, async (t) => {
      const site = await making();
      const link = accepted(t, await site.api('create', {url}));
      t.is(link.original_url, url);
      for (const suffix of ['.json', '.xml']) {
        const reply = await site.api('info', {short_url: link.short_url}, {suffix});
        t.is(reply.envelope.data['original_url'], url);
      }
    });
  }
}
