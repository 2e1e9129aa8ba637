import test from 'ava';
import '../../support/quick-scrypt.ts';
import {elementsOf} from '../../support/documents.ts';
import {errorOf, fieldsIn, open, rowOf, textOf} from '../../support/dashboard.ts';
import {linkPath} from '../../support/dashboard-pages.ts';
const url = 'https://example.org/a/long/one';

test('the form creates a link with every option', async (t) => {
  const {visitor, shortener, origin} = await open(t, {shortUrl: {baseDomains: ['http://sho.rt/x']}});
  const page = await visitor('ann').submit('create', {
    url,
    base_domain: 'sho.rt',
    custom_url: 'spring',
    title: 'Spring sale',
    tags: ' mail, poster ,, mail',
    reference: ' order 17 ',
    password: ' open sesame',
    expiry_date: '2031-12-31',
    max_visits: '100',
    preview_title: 'Spring\tconcert',
    preview_description: 'Tickets from 12 euros',
    preview_image: 'example.org/poster.jpg',
  });
  t.true(textOf(page.text).includes('Your new short link: sho.rt/x/spring'));
  const shortUrl = 'http://sho.rt/x/spring';
  t.true(page.text.includes(`alt="QR code of ${shortUrl}"`));
  t.like(await shortener.links.info('ann', shortUrl), {
    originalUrl: url,
    title: 'Spring sale',
    tags: ['mail', 'poster'],
    reference: 'order 17',
    hasPassword: true,
    expiryDate: '2031-12-31 23:59:59',
    maxVisits: 100,
    previewTitle: 'Spring concert',
    previewDescription: 'Tickets from 12 euros',
    previewImage: 'https://example.org/poster.jpg',
  });
  const row = textOf(rowOf(page.text, shortUrl));
  for (const text of ['Spring sale', 'mail', 'Active', 'Password', 'Until Dec 31, 2031', '0 of 100 visits']) {
    t.true(row.includes(text), text);
  }
  t.regex(page.text, /<option value="localhost">/);
  t.is((await shortener.links.page('ann')).links.length, 1);
  t.false((await visitor('ann').get()).text.includes(`${origin}/spring`));
});

test('the form offers an account its own domains, and goes on without them while the site fails to list them', async (t) => {
  let list = (account: string): string[] => (account === 'ann' ? ['Go.Ann.example'] : []);
  const {visitor, shortener} = await open(t, {
    shortUrl: {domains: (domain) => domain === 'go.ann.example', domainsOf: (account) => list(account)},
  });
  const errors: string[] = [];
  shortener.events.on('error', ({code}) => errors.push(code));
  const option = /<option value="go\.ann\.example">/;
  t.regex((await visitor('ann').get()).text, option);
  t.notRegex((await visitor('bob').get()).text, option);
  const page = await visitor('ann').submit('create', {url, base_domain: 'go.ann.example', custom_url: 'spring'});
  t.true(textOf(page.text).includes('Your new short link: go.ann.example/spring'));
  for (const wrong of ['go.ann.example', ['10.0.0.1'], [5], Array.from({length: 101}, (_, n) => `d${n}.example`)]) {
    list = () => wrong as string[];
    const {status, text} = await visitor('ann').get();
    t.is(status, 200);
    t.notRegex(text, option);
    t.is(errors.pop(), 'internal_error');
  }
});

const mistakes: Array<[field: string, value: string, status: number]> = [
  ['url', '', 400],
  ['url', 'ORIGIN/taken', 400],
  ['custom_url', 'not a slug', 400],
  ['custom_url', 'taken', 409],
  ['title', 'x'.repeat(201), 400],
  ['tags', 'x'.repeat(51), 400],
  ['reference', 'x'.repeat(129), 400],
  ['reference', 'taken', 409],
  ['password', '"><b>'.repeat(30), 400],
  ['expiry_date', '2001-01-01', 400],
  ['max_visits', '0', 400],
  ['base_domain', 'elsewhere.example', 400],
  ['preview_title', 'x'.repeat(201), 400],
  ['preview_description', 'x'.repeat(501), 400],
  ['preview_image', 'http://example.org/poster.jpg', 400],
];

test('an error is shown at its field, and the form keeps its values', async (t) => {
  const {visitor, shortener, origin} = await open(t);
  await shortener.links.create('ann', {url, customUrl: 'taken', reference: 'taken'});
  for (const [field, given, status] of mistakes) {
    const value = given.replace('ORIGIN', origin);
    const fields = {url: 'https://example.org/kept', password: 'open sesame', title: 'Kept', [field]: value};
    const answer = await visitor('ann').post('create', fields);
    t.is(answer.status, status, field);
    t.truthy(errorOf(answer.text, field), `${field} ${value}`);
    for (const [name, text] of Object.entries(fields)) {
      const shown = text.replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
      if (name !== 'base_domain') t.true(answer.text.includes(`value="${shown}"`), `${field}: ${name}`);
    }
  }
  t.is((await shortener.accounts.stats('ann')).links, 1);
});

test('a reserved short part and one with a wrong character have different messages', async (t) => {
  const {visitor} = await open(t);
  for (const [shortPart, message] of [
    ['api', 'This ending is reserved for the site. Choose another one.'],
    ['ads.txt', 'This ending is reserved for the site. Choose another one.'],
    ['a b', 'Use 1 to 64 letters, digits, - and _, and . and ~ inside.'],
  ] as const) {
    const {text} = await visitor('ann').post('create', {url, custom_url: shortPart});
    t.is(errorOf(text, 'custom_url'), message, shortPart);
  }
});

test('with the choice to reuse a link, the same form leads to the link that it has made before', async (t) => {
  const {visitor, shortener, clock} = await open(t);
  const form = {url, title: 'Spring', reuse: 'yes'};
  const first = await visitor('ann').submit('create', form);
  t.true(textOf(first.text).includes('Your new short link:'));
  clock.now += 1000;
  const again = await visitor('ann').submit('create', form);
  t.true(textOf(again.text).includes('You have a link for this already.'));
  t.regex(again.url, /\/link\?short_url=/);
  t.is((await shortener.links.page('ann')).links.length, 1);
  await visitor('ann').submit('create', {...form, reuse: ''});
  t.is((await shortener.links.page('ann')).links.length, 2);
});

test('a link can be disabled and enabled from its row and from its page, and the browser returns there', async (t) => {
  const {visitor, shortener, origin, home} = await open(t);
  const ann = visitor('ann');
  const {shortUrl} = await shortener.links.create('ann', {url, customUrl: 'spring'});
  const fromList = await ann.post('disable?search=spr&tag=&cursor=', {short_url: shortUrl});
  t.is(fromList.location, `${home}?search=spr#links-list`);
  t.is((await shortener.links.info('ann', shortUrl)).status, 'disabled');
  const fromPage = await ann.post('enable', {short_url: shortUrl, from: 'link'});
  t.is(fromPage.location, `${home}link?short_url=${encodeURIComponent(`${origin}/spring`)}`);
  t.is((await shortener.links.info('ann', shortUrl)).status, 'active');
});

test('an update is saved, unchanged fields stay, and an empty field clears', async (t) => {
  const {visitor, shortener} = await open(t);
  const ann = visitor('ann');
  const given = {title: 'Spring', tags: ['a', 'b'], expiryDate: '2031-12-31', maxVisits: 5, password: 'old'};
  const {shortUrl} = await shortener.links.create('ann', {url, ...given});
  const values = fieldsIn((await ann.get(linkPath(shortUrl))).text, './update');
  const shown = {url, title: 'Spring', tags: 'a, b', expiry_date: '2031-12-31', max_visits: '5', password: ''};
  t.like(values, shown);
  const saved = await ann.submit('update', {...values, title: 'Summer', tags: ''});
  t.true(saved.text.includes('Your changes were saved.'));
  const after = {hasPassword: true, expiryDate: '2031-12-31 23:59:59', maxVisits: 5};
  t.like(await shortener.links.info('ann', shortUrl), {title: 'Summer', tags: [], ...after});
  const empty = {title: '', expiry_date: '', max_visits: '', clear_password: 'yes'};
  await ann.submit('update', {short_url: shortUrl, url, ...empty});
  const cleared = {title: null, hasPassword: false, expiryDate: null, maxVisits: null};
  t.like(await shortener.links.info('ann', shortUrl), cleared);
  await ann.submit('update', {short_url: shortUrl, url: 'https://example.org/2', password: 'new'});
  t.like(await shortener.links.info('ann', shortUrl), {originalUrl: 'https://example.org/2', hasPassword: true});
});

test('a link is removed after a confirmation', async (t) => {
  const {visitor, shortener, origin} = await open(t);
  const ann = visitor('ann');
  const {shortUrl} = await shortener.links.create('ann', {url, customUrl: 'spring'});
  const page = await ann.get(`link?short_url=${encodeURIComponent(shortUrl)}`);
  t.regex(page.text, /<details[^>]*>\s*<summary[^>]*>Remove this link…<\/summary>/);
  const after = await ann.submit('remove', {short_url: shortUrl, from: 'link'});
  t.true(after.text.includes('1 link was removed.'));
  t.is(rowOf(after.text, shortUrl), undefined);
  t.is((await fetch(`${origin}/spring`)).status, 410);
  const again = await ann.post('remove', {short_url: shortUrl, from: 'link'});
  t.is(again.status, 404);
});

test('a user neither sees nor changes links of other users', async (t) => {
  const {visitor, shortener} = await open(t);
  const {shortUrl} = await shortener.links.create('ann', {url, customUrl: 'spring', title: 'Secret plan'});
  const bob = visitor('bob');
  t.is(rowOf((await bob.get()).text, shortUrl), undefined);
  const pages = ['link', 'qr.svg', 'qr.png', 'visits.csv'].map((page) => linkPath(shortUrl).replace('link', page));
  for (const page of [...pages, 'link', 'link?short_url=nonsense']) {
    const {status, text} = await bob.get(page);
    t.is(status, 404, page);
    t.false(text.includes('Secret plan'));
  }
  for (const action of ['disable', 'remove', 'update', 'enable']) {
    t.is((await bob.post(action, {short_url: shortUrl, url})).status, 404, action);
  }
  const selected = {selected_0: shortUrl, do: 'remove', confirmed: 'yes'};
  t.is((await bob.post('selection', selected)).status, 404);
  t.like(await shortener.links.info('ann', shortUrl), {status: 'active', originalUrl: url});
});

test('hostile titles, URLs and tags are escaped everywhere', async (t) => {
  const {visitor, shortener} = await open(t);
  const hostile = `"><script>alert(1)</script><img src=x onerror='alert(2)'>`;
  const {shortUrl} = await shortener.links.create('ann', {
    url: `https://example.org/?q=${hostile}`,
    title: hostile,
    tags: [hostile.slice(0, 50)],
  });
  const query = encodeURIComponent(hostile);
  for (const page of [
    '',
    `?search=${query}`,
    `?tag=${query}`,
    `?cursor=${query}`,
    `?status=${query}&days=${query}&done=${query}`,
    `?done=created&short_url=${query}`,
    `?url=${query}&title=${query}&tags=${query}&max_visits=${query}`,
    `link?short_url=${encodeURIComponent(shortUrl)}&days=${query}`,
    `api?done=${query}`,
  ]) {
    const {status, text} = await visitor('ann').get(page);
    t.is(status, 200, page);
    const elements = elementsOf(text);
    t.is(elements.filter(({name, attributes}) => name === 'script' && !attributes.has('src')).length, 0, page);
    const names = new Set(elements.flatMap(({attributes}) => [...attributes.keys()]));
    t.deepEqual(
      [...names].filter((name) => !/^[a-z][a-z-]*$/i.test(name) || name.startsWith('on')),
      [],
      page,
    );
  }
});

test('the QR code of a link is saved in a size of the user’s choice, and none that the page does not offer', async (t) => {
  const {visitor, shortener} = await open(t);
  const {shortUrl} = await shortener.links.create('ann', {url: 'https://example.org/', customUrl: 'spring'});
  const ann = visitor('ann');
  const {text} = await ann.get(linkPath(shortUrl));
  for (const format of ['svg', 'png']) {
    t.true(text.includes(`formaction="./qr.${format}"`));
    const address = linkPath(shortUrl).replace('link', `qr.${format}`);
    const {status, headers} = await ann.get(`${address}&size=640`);
    t.is(status, 200);
    t.is(headers.get('content-disposition'), `attachment; filename="spring.${format}"`);
    for (const size of ['', '199', '2001', '6e2', '1.5', '-300']) {
      t.is((await ann.get(`${address}&size=${size}`)).status, 404, size);
    }
  }
  t.regex((await ann.get(`${linkPath(shortUrl).replace('link', 'qr.svg')}&size=640`)).text, /width="640"/);
});

test('the page and the files of a link say that the account is blocked, and not that there is no such link', async (t) => {
  const {visitor, shortener} = await open(t);
  const {shortUrl} = await shortener.links.create('ann', {url});
  await shortener.admin.blockAccount('ann', {reason: 'Spam'});
  for (const path of ['link', 'visits.csv', 'qr.svg']) {
    const {status, text} = await visitor('ann').get(`${path}?short_url=${encodeURIComponent(shortUrl)}`);
    t.is(status, 403, path);
    t.true(textOf(text).includes('This account is blocked'), path);
  }
});
