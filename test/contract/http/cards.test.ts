import test, {type ExecutionContext} from 'ava';
import {accepted, redirects, refused} from '../../support/answers.ts';
import type {Reply} from '../../support/request.ts';
import {type Site, startSite} from '../../support/site.ts';

const destination = 'https://destination.example/secret-page';
const card = {
  preview_title: 'Spring "concert" <2031>',
  preview_description: "All concerts & the season's",
  preview_image: 'https://pictures.example/ä.png',
};
const owned = {title: 'Only for me', tags: 'internal'};

const askAs = (site: Site, shortUrl: string, agent: string): Promise<Reply> =>
  site.visit(shortUrl, {headers: {'User-Agent': agent}});

/** The content of the tags of a page. */
function tagsOf({text}: Reply): Record<string, string> {
  const found = text.matchAll(/<meta (?:property|name)="((?:og|twitter):[^"]+)" content="([^"]*)">/g);
  return Object.fromEntries(Array.from(found, ([, name = '', content = '']) => [name, content]));
}

function isCard(t: ExecutionContext, reply: Reply, shortUrl: string): void {
  t.is(reply.status, 200);
  t.is(reply.headers['x-robots-tag'], 'noindex');
  t.deepEqual(tagsOf(reply), {
    'og:type': 'website',
    'og:url': shortUrl,
    'og:title': 'Spring &quot;concert&quot; &lt;2031&gt;',
    'og:description': "All concerts &amp; the season's",
    'og:image': 'https://pictures.example/%C3%A4.png',
    'twitter:card': 'summary_large_image',
    'twitter:title': 'Spring &quot;concert&quot; &lt;2031&gt;',
    'twitter:description': "All concerts &amp; the season's",
    'twitter:image': 'https://pictures.example/%C3%A4.png',
  });
  t.notRegex(reply.text, /Only for me|internal/);
}

const previewers = [
  'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
  'Twitterbot/1.0',
  'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
  'TelegramBot (like TwitterBot)',
  'LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)',
];

test('chat and social programs get the card of a link, uncounted', async (t) => {
  const site = await startSite(t);
  const {short_url: shortUrl} = await site.create({...card, ...owned, url: destination});
  for (const agent of previewers) isCard(t, await askAs(site, shortUrl, agent), shortUrl);
  t.is((await site.info(shortUrl)).total_visits, 0);
});

test('people and search engines are redirected, and previews too if there is no card', async (t) => {
  const site = await startSite(t);
  const {short_url: shortUrl} = await site.create({...card, url: destination});
  for (const agent of [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0',
    'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Instagram 300.0',
  ]) {
    redirects(t, await askAs(site, shortUrl, agent), destination);
  }
  t.is((await site.info(shortUrl)).total_visits, 2);
  const plain = await site.create({...owned, url: destination});
  redirects(t, await askAs(site, plain.short_url, 'Twitterbot/1.0'), destination);
});

for (const limit of [{password: 's3cret'}, {max_visits: '5'}] as const) {
  test(`the card of a link with ${Object.keys(limit).join()} has no long URL`, async (t) => {
    const site = await startSite(t);
    const {short_url: shortUrl} = await site.create({...card, ...owned, ...limit, url: destination});
    for (const reply of [await askAs(site, shortUrl, 'Twitterbot/1.0'), await site.visit(`${shortUrl}+`)]) {
      isCard(t, reply, shortUrl);
      t.notRegex(reply.text, /secret-page/);
    }
  });
}

test('`/part+` shows the card, and its picture may be loaded', async (t) => {
  const site = await startSite(t);
  const {short_url: shortUrl} = await site.create({...card, ...owned, url: destination});
  const reply = await site.visit(`${shortUrl}+`);
  isCard(t, reply, shortUrl);
  t.regex(reply.text, /<img class="card" src="https:\/\/pictures\.example\/%C3%A4\.png"/);
  t.regex(String(reply.headers['content-security-policy']), /img-src 'self' https:\/\/pictures\.example;/);
});

test('the host of a picture adds nothing to the policy but its name', async (t) => {
  const site = await startSite(t);
  for (const host of ['a;sandbox', 'a,b', '*', "a'b", '[::1]']) {
    const {short_url: shortUrl} = await site.create({url: destination, preview_image: `https://${host}/x.png`});
    const reply = await site.visit(`${shortUrl}+`);
    t.regex(String(reply.headers['content-security-policy']), /img-src 'self'; /, host);
  }
});

test('a link that does not work has no card', async (t) => {
  const site = await startSite(t);
  const {short_url: shortUrl} = await site.create({...card, url: destination});
  await site.api('disable', {short_url: shortUrl});
  const reply = await askAs(site, shortUrl, 'Twitterbot/1.0');
  t.is(reply.status, 410);
  t.deepEqual(tagsOf(reply), {});
  t.deepEqual(tagsOf(await site.visit(`${shortUrl}+`)), {});
});

test('a card is changed and cleared, and its values are checked', async (t) => {
  const site = await startSite(t);
  const {short_url: shortUrl} = await site.create({...card, url: destination});
  const changed = accepted(t, await site.api('update', {short_url: shortUrl, preview_title: 'Other'}));
  t.like(changed, {...card, preview_title: 'Other'});
  const clear = Object.keys(card).join();
  const cleared = accepted(t, await site.api('update', {short_url: shortUrl, clear}));
  t.like(cleared, {preview_title: null, preview_description: null, preview_image: null});
  redirects(t, await askAs(site, shortUrl, 'Twitterbot/1.0'), destination);
  for (const [name, value, failure] of [
    ['preview_title', 'x'.repeat(201), 'malformed_parameter'],
    ['preview_description', 'x'.repeat(501), 'malformed_parameter'],
    ['preview_image', 'http://pictures.example/a.png', 'invalid_url'],
    ['preview_image', shortUrl, 'forbidden_url'],
  ] as const) {
    refused(t, await site.api('create', {[name]: value, url: destination}), failure);
  }
});

test('visitors see neither the reference nor the title and tags of a link, whatever they ask for', async (t) => {
  const site = await startSite(t, {shortUrl: {attribution: {}}});
  const {links, admin} = site.shortener;
  const over = {expiry_date: '2031-05-06'};
  const cases: Record<string, [more: Readonly<Record<string, string>>, status: number]> = {
    plain: [{}, 302],
    carded: [card, 302],
    limited: [{max_visits: '5'}, 302],
    locked: [{password: 'right'}, 200],
    scheduled: [{start_date: '2031-05-20'}, 404],
    expired: [over, 410],
    elsewhere: [{...over, expired_url: 'https://destination.example/over'}, 302],
    disabled: [{}, 410],
    blocked: [{}, 410],
    removed: [{}, 410],
  };
  for (const [name, [more]] of Object.entries(cases)) {
    await site.create({...owned, reference: `order-4711-${name}`, custom_url: name, ...more});
  }
  await links.disable('user-42', `${site.baseUrl}/disabled`);
  await admin.block(`${site.baseUrl}/blocked`);
  await links.remove('user-42', `${site.baseUrl}/removed`);
  site.clock.set('2031-05-07T12:00:00Z');
  for (const [name, [, status]] of Object.entries(cases)) {
    const shortUrl = `${site.baseUrl}/${name}`;
    const replies = [
      await site.visit(shortUrl),
      await site.visit(shortUrl, {method: 'HEAD'}),
      await site.visit(shortUrl, {headers: {Accept: 'application/json'}}),
      await site.visit(`${shortUrl}+`),
      await site.visit(`${shortUrl}.`),
      await askAs(site, shortUrl, 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)'),
      await site.submit(shortUrl, 'wrong'),
      await site.submit(shortUrl, 'right'),
    ];
    t.is(replies[0]?.status, status, name);
    for (const {headers, text} of replies) {
      t.notRegex(text + JSON.stringify(headers), /order-4711|Only for me|internal/, name);
    }
  }
});
