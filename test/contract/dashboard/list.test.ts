import '../../support/quick-scrypt.ts';
import test from 'ava';
import {type Link, type LinkQuery, type ShortUrl, ShortUrlError} from '../../../src/index.ts';
import {open, rowOf, textOf} from '../../support/dashboard.ts';
import {addressOf, linkPath, pagesFrom} from '../../support/dashboard-pages.ts';
import {openAsPerson, viaOf} from '../../support/visitor.ts';

/** A shortener that records each read of a page of links, and refuses to list all of them and to read each link. */
function counting(shortener: ShortUrl, reads: LinkQuery[]): ShortUrl {
  const refuse = (): never => {
    throw new Error('All links were read, or each of them');
  };
  const {links} = shortener;
  const disguised = new Proxy(links, {
    get(target, name) {
      if (name === 'list' || name === 'listActive' || name === 'stats') return refuse;
      if (name === 'page') {
        return (account: string, query: LinkQuery = {}) => {
          reads.push(query);
          return target.page(account, query);
        };
      }
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value as () => unknown).bind(target) : value;
    },
  });
  return new Proxy(shortener, {
    get: (target, name): unknown => (name === 'links' ? disguised : Reflect.get(target, name)),
  });
}

async function fill(shortener: ShortUrl, count: number): Promise<void> {
  const links = Array.from({length: count}, (_, index) => ({
    url: `https://example.org/Page-${index + 1}`,
    customUrl: `n${index + 1}`,
    title: index % 2 === 0 ? 'Even' : 'Odd',
    tags: index % 10 === 0 ? ['tenth'] : [],
  }));
  for await (const {error} of shortener.links.createMany('ann', links)) if (error !== undefined) throw error;
}

function shownIn(text: string): number[] {
  const cells = text.matchAll(/class="links-short" href="[^"]*\/n(\d+)"/g);
  return Array.from(cells, ([, number]) => Number(number));
}

/** The short parts in the operator's lists. */
function shownOf(text: string): string[] {
  const cells = text.matchAll(/class="links-short" href="[^"]*%2F(n\d+)"/g);
  return Array.from(cells, ([, slug = '']) => slug);
}

/** The numbers between two, both included, in either direction. */
function range(from: number, to: number): number[] {
  const step = from < to ? 1 : -1;
  return Array.from({length: Math.abs(to - from) + 1}, (_, index) => from + step * index);
}

test('the list shows twenty links a page, newest first', async (t) => {
  const {visitor, shortener} = await open(t);
  await fill(shortener, 45);
  const ann = visitor('ann');
  const pages = await pagesFrom(ann, './', 'next');
  t.deepEqual(pages.map(shownIn), [range(45, 26), range(25, 6), range(5, 1)]);
  t.true(textOf(pages[0]).includes('45 links in total'));
  const back = await pagesFrom(ann, addressOf(pages.at(-1) ?? '', 'prev'), 'prev');
  t.deepEqual(back.map(shownIn), [range(25, 6), range(45, 26)]);
});

test('a filtered list shows the visits and conversions of what is filtered, on all its pages', async (t) => {
  const {visitor, shortener, origin} = await open(t, {shortUrl: {attribution: {}}});
  await fill(shortener, 45);
  for (const [part, times] of [
    ['n1', 2],
    ['n2', 3],
  ] as const) {
    for (let time = 0; time < times; time++) await openAsPerson(`${origin}/${part}`);
  }
  const via = viaOf((await openAsPerson(`${origin}/n31`)).headers.get('set-cookie'));
  await shortener.conversions.record({via}, {name: 'order', id: 1});
  const ann = visitor('ann');
  t.true(textOf((await ann.get('?search=page-')).text).includes(' 45 links match · 6 visits · 1 conversion '));
  const text = textOf((await ann.get('?tag=tenth')).text);
  t.true(text.includes(' 5 links match · 3 visits · 1 conversion · 30 days '));
  // The numbers of the days are told once, where the days are.
  t.true(text.includes(' 5 links match Show all '), text);
});

test('a pasted short URL finds its link, however old it is', async (t) => {
  const {visitor, shortener, origin} = await open(t);
  await fill(shortener, 45);
  for (const search of [`${origin}/n3`, origin.replace('http://', '') + '/n3']) {
    t.deepEqual(shownIn((await visitor('ann').get(`?search=${encodeURIComponent(search)}`)).text), [3], search);
  }
});

test('fields for tags suggest those of the account, in the forms too', async (t) => {
  const {visitor, shortener} = await open(t);
  await fill(shortener, 1);
  const {text} = await visitor('ann').get();
  const [link = ''] = /\.\/link\?short_url=[^"]*/.exec(text) ?? [];
  for (const page of [text, (await visitor('ann').get(link)).text]) {
    t.is([...page.matchAll(/<datalist id="links-known-tags">/g)].length, 1);
    t.regex(page, /<input[^>]*name="tags"[^>]*list="links-known-tags"/);
  }
});

test('search, status and tag can be combined, and the next pages keep them', async (t) => {
  const {visitor, shortener, origin} = await open(t);
  await fill(shortener, 60);
  await shortener.links.disable('ann', `${origin}/n11`);
  const ann = visitor('ann');
  for (const [query, shown, sentence] of [
    ['?search=page-4', [...range(49, 40), 4], ' 11 links match '],
    ['?tag=tenth', [51, 41, 31, 21, 11, 1], ' 6 links match '],
    ['?tag=tenth&status=active&search=EVEN', [51, 41, 31, 21, 1], ' 5 links match '],
    ['?status=disabled', [11], ' 1 link matches '],
    ['?search=%3Cnothing%3E&status=nonsense', [], 'Nothing found'],
  ] as const) {
    const {text} = await ann.get(query);
    t.deepEqual(shownIn(text), [...shown], query);
    t.true(textOf(text).includes(sentence), query);
    t.true(text.includes('value="&lt;nothing&gt;"') === query.includes('nothing'), query);
  }
  const even = await ann.get('?search=even');
  const next = await ann.get(addressOf(even.text, 'next'));
  t.deepEqual(shownIn(next.text), [19, 17, 15, 13, 11, 9, 7, 5, 3, 1]);
  t.true(next.text.includes('value="even"'));
  // The script of the page takes over only this part.
  t.true(even.text.slice(even.text.indexOf('id="links-found"')).includes('Show all'));
  t.false((await ann.get()).text.includes('Show all'));
});

test('the list can be put in another order, which its filters and pages keep', async (t) => {
  const {visitor, shortener, origin, clock} = await open(t);
  await fill(shortener, 45);
  for (const name of ['n4', 'n4', 'n7']) {
    clock.now += 60_000;
    await openAsPerson(`${origin}/${name}`);
  }
  const [ann, operator] = [visitor('ann'), visitor('operator')];
  const oldest = await ann.get('?order=oldest');
  t.deepEqual(shownIn(oldest.text), range(1, 20));
  const next = await ann.get(addressOf(oldest.text, 'next'));
  t.deepEqual(shownIn(next.text), range(21, 40));
  t.deepEqual(shownIn((await ann.get(addressOf(next.text, 'prev'))).text), range(1, 20));
  const visited = await ann.get('?order=visits');
  t.deepEqual(shownIn(visited.text).slice(0, 3), [4, 7, 45]);
  t.deepEqual(shownIn((await ann.get(addressOf(visited.text, 'next'))).text), range(27, 8));
  t.deepEqual(shownIn((await ann.get('?order=last_visit&search=page-4')).text).slice(0, 2), [4, 49 - 4]);
  t.true(visited.text.includes('<option value="visits" selected>'));
  t.true(visited.text.includes('action="./disable?order=visits"'));
  t.deepEqual(shownIn((await ann.get('?order=nonsense')).text), range(45, 26));
  for (const page of ['operator?', 'account?account=ann&', 'operator?short_url=example&']) {
    const {text} = await operator.get(`${page}order=visits`);
    t.deepEqual(shownOf(text).slice(0, 3), ['n4', 'n7', 'n45'], page);
    t.regex(addressOf(text, 'next'), page.startsWith('account') ? /^$/ : /order=visits/, page);
  }
});

test('a comparison of too many links says so, and so does its file', async (t) => {
  const disguise = (whole: ShortUrl): ShortUrl => {
    const refuse = () => Promise.reject(new ShortUrlError('too_many_links', 'There are more.'));
    const links = {...whole.links, compare: refuse, compareTags: refuse};
    return new Proxy(whole, {get: (target, name): unknown => (name === 'links' ? links : Reflect.get(target, name))});
  };
  const {visitor} = await open(t, {disguise});
  const ann = visitor('ann');
  for (const query of ['', '&by=tag']) {
    const {location} = await ann.get(`links.csv?days=7${query}`);
    t.true(location.includes('compare?days=7'), location);
    const page = await ann.get(location);
    t.is(page.status, 200);
    t.true(page.text.includes('There are too many links to compare.'));
  }
});

test('a list with too many links for an order says so and shows the newest', async (t) => {
  const disguise = (whole: ShortUrl): ShortUrl => {
    const page = (account: string, query: LinkQuery = {}) => {
      if (query.order === 'visits') throw new ShortUrlError('too_many_links', 'There are more.');
      return whole.links.page(account, query);
    };
    return new Proxy(whole, {get: (target, name): unknown => (name === 'links' ? {page} : Reflect.get(target, name))});
  };
  const {visitor, shortener} = await open(t, {disguise});
  await fill(shortener, 25);
  const ann = visitor('ann');
  const first = await ann.get('?order=visits');
  t.is(first.status, 200);
  t.true(textOf(first.text).includes('There are too many to sort them like this.'));
  t.is(shownIn(first.text)[0], 25);
  t.deepEqual(shownIn((await ann.get(addressOf(first.text, 'next'))).text), [5, 4, 3, 2, 1]);
});

test('the filter offers the statuses by which links can be found, and no other', async (t) => {
  const {visitor, shortener, origin} = await open(t);
  await fill(shortener, 4);
  await shortener.links.disable('ann', `${origin}/n2`);
  await shortener.admin.block(`${origin}/n3`);
  const ann = visitor('ann');
  const {text} = await ann.get();
  const [, choices = ''] = /<select id="links-status"[^>]*>([^]*?)<\/select>/.exec(text) ?? [];
  const offered = Array.from(choices.matchAll(/<option value="([^"]*)"/g), ([, value = '']) => value);
  const found = await Promise.all(
    offered.map(async (status) => [status, shownIn((await ann.get(`?status=${status}`)).text)] as const),
  );
  t.deepEqual(Object.fromEntries(found), {
    '': [4, 3, 2, 1],
    active: [4, 1],
    broken: [],
    disabled: [3, 2],
    expired: [],
    expiring: [],
    scheduled: [],
  });
});

test('the list says how many links match, or a lower bound if that is not known after a bounded search', async (t) => {
  const {visitor, shortener} = await open(t);
  await fill(shortener, 2500);
  const ann = visitor('ann');
  for (const [query, text] of [
    ['', / 2,500 links in total /],
    ['?search=nothing', / Nothing found /],
    ['?search=page-2499', / Expires first 1 link matches /],
    ['?search=page-1', / At least 1,000 links match /],
    ['?search=page-7&tag=TENTH', / 11 links match /],
  ] as const) {
    t.regex(textOf((await ann.get(query)).text), text, query);
  }
});

test('all tags of the account are on a separate page, which the list leads to', async (t) => {
  const {visitor, shortener} = await open(t);
  const ann = visitor('ann');
  t.true((await ann.get('tags')).text.includes('No tags yet'));
  await fill(shortener, 100);
  await shortener.links.create('ann', {url: 'https://example.org/', customUrl: 'n101', tags: ['a & b', 'TENTH']});
  t.true((await ann.get()).text.includes('href="./tags"'));
  const {text} = await ann.get('tags');
  const tags = text.matchAll(/href="([^"]*)"\s*><bdi>([^<]*)<\/bdi> <span class="links-note">(\d+)</g);
  t.deepEqual(
    Array.from(tags, ([, ...rest]) => rest),
    [
      ['./?tag=tenth#links-list', 'tenth', '11'],
      ['./?tag=a+%26+b#links-list', 'a &amp; b', '1'],
    ],
  );
});

test('a page of an account with two thousand links needs no more reads than one with twenty', async (t) => {
  const reads: LinkQuery[] = [];
  const {visitor, shortener} = await open(t, {disguise: (each) => counting(each, reads)});
  await fill(shortener, 2000);
  const ann = visitor('ann');
  t.is(shownIn((await ann.get()).text).length, 20);
  t.deepEqual(
    reads.map(({limit}) => limit),
    [20],
  );
  reads.length = 0;
  // Links near the end of the list are found when the user asks for more.
  const pages = await pagesFrom(ann, '?search=page-1&tag=tenth', 'next');
  t.true(reads.length <= 5 * pages.length, 'each page needs a bounded number of reads');
  const found = pages.flatMap(shownIn);
  t.is(found.at(-1), 1);
  t.is(found.length, 112);
});

test('an account without links, and one without visits, gets a message', async (t) => {
  const {visitor, shortener, origin} = await open(t);
  const ann = visitor('ann');
  const empty = await ann.get();
  t.true(empty.text.includes('No links yet'));
  t.false(empty.text.includes('id="links-visits"') || empty.text.includes('role="search"'));
  await shortener.links.create('ann', {url: 'https://example.org/', customUrl: 'spring'});
  const {text} = await ann.get();
  t.true(text.includes('No visits in the last 30 days'));
  t.false((rowOf(text, `${origin}/spring`) ?? '').includes('links-sparkline'));
  const page = await ann.get(`${linkPath(`${origin}/spring`)}&days=90`);
  t.true(page.text.includes('No visits in the last 90 days'));
});

test('visits are shown by day and by referrer, in a chart with a table', async (t) => {
  const {visitor, shortener, origin, clock} = await open(t);
  await shortener.links.create('ann', {url: 'https://example.org/', customUrl: 'spring'});
  const {now} = clock;
  for (const daysAgo of [40, 1, 1, 1]) {
    clock.now = now - daysAgo * 24 * 60 * 60 * 1000;
    await openAsPerson(`${origin}/spring`, {Referer: 'https://news.example/x'});
  }
  clock.now = now;
  await openAsPerson(`${origin}/spring`);
  const shown = textOf((await visitor('ann').get(`${linkPath(`${origin}/spring`)}&days=30`)).text);
  const busiest = '4 visits in the last 30 days. Busiest day: May 5, 2031, with 3.';
  for (const text of [busiest, 'May 5, 2031 3', 'April – May 2031', 'news.example 3', 'Direct 1'])
    t.true(shown.includes(text), text);
  const home = (await visitor('ann').get()).text;
  t.regex(textOf(home), /1 Links 5 Total visits|Links 1/);
  t.regex(rowOf(home, `${origin}/spring`) ?? '', /role="img"\s+aria-label="4 visits in the last 30 days\."/);
});

test('user and operator see how many links are broken, since when and why, and find them', async (t) => {
  const {visitor, shortener} = await open(t);
  await fill(shortener, 4);
  const [ann, operator] = [visitor('ann'), visitor('operator')];
  const check = ({shortUrlPart}: Link) =>
    shortUrlPart === 'n3' ? ({result: 'broken', reason: 'It answers <404>'} as const) : 'ok';
  t.false((await ann.get()).text.includes('Broken links'));
  for await (const {error} of shortener.admin.recheck(check)) t.is(error, undefined);
  const home = await ann.get();
  t.true(textOf(home.text).includes('Broken links 1'));
  t.regex(home.text, /<a href="[^"]*\?status=broken#links-found">1</);
  t.true(textOf((await operator.get('operator')).text).includes('Broken links 1'));
  t.deepEqual(shownIn((await ann.get('?status=broken')).text), [3]);
  const page = await ann.get(`link?short_url=${encodeURIComponent(`${shortener.baseUrls[0] ?? ''}/n3`)}`);
  for (const {text} of [home, page, await operator.get('operator?status=broken')]) {
    t.true(textOf(text).includes('Broken since May 6, 2031: It answers &lt;404&gt;'), textOf(text));
  }
  t.false(textOf((await operator.get('operator?status=broken')).text).includes('n2'));
});

test('the links that expire within seven days are found, on the page and in code', async (t) => {
  const {visitor, shortener, clock} = await open(t);
  const create = (customUrl: string, expiryDate?: string) =>
    shortener.links.create('ann', {url: 'https://example.org/', customUrl, expiryDate});
  await create('soon', '2031-05-12');
  await create('later', '2031-05-14');
  await create('never');
  await create('over', '2031-05-06');
  clock.now += 24 * 60 * 60 * 1000;
  const {links} = await shortener.links.page('ann', {expiresWithin: 7});
  t.deepEqual(
    links.map(({shortUrlPart}) => shortUrlPart),
    ['soon'],
  );
  t.is((await shortener.accounts.stats('ann', {expiresWithin: 8})).links, 2);
  t.is((await shortener.admin.pageLinks({expiresWithin: 8})).links.length, 2);
  for (const expiresWithin of [0, 401, 1.5, '7'])
    await t.throwsAsync(shortener.links.page('ann', {expiresWithin: expiresWithin as number}), {
      code: 'malformed_parameter',
    });
  for (const page of [
    await visitor('ann').get('?status=expiring'),
    await visitor('operator').get('operator?status=expiring'),
  ]) {
    t.true(page.text.includes('/soon'));
    t.false(/\/(later|never|over)</.test(page.text));
  }
});

test('the links of a domain are found, on the page, in its file and in code', async (t) => {
  const {visitor, shortener} = await open(t, {shortUrl: {baseDomains: ['http://sho.rt/x']}});
  const create = (customUrl: string, baseDomain?: string) =>
    shortener.links.create('ann', {url: 'https://example.org/', customUrl, baseDomain, tags: ['spring']});
  await create('n1');
  await create('n2', 'sho.rt');
  await create('n3', 'sho.rt');
  const ann = visitor('ann');
  const {text} = await ann.get('?base_domain=sho.rt');
  t.deepEqual(shownIn(text), [3, 2]);
  t.true(text.includes('<option value="sho.rt" selected>sho.rt/x</option>'));
  t.true(textOf(text).includes(' 2 links match '));
  t.deepEqual(shownIn((await ann.get('?base_domain=localhost&tag=spring')).text), [1]);
  t.deepEqual(shownIn((await ann.get('?base_domain=%25&search=n')).text), []);
  t.deepEqual(shownIn((await ann.get('?search=sho.rt')).text), [3, 2]);
  const [, file = ''] = /href="([^"]*links\.csv[^"]*)"/.exec(text) ?? [];
  t.true(file.includes('base_domain=sho.rt'), file);
  t.true(textOf((await ann.get('compare?base_domain=sho.rt')).text).includes('Domain: sho.rt'));
  const {links} = await shortener.links.page('ann', {baseDomain: 'SHO.RT:80'});
  t.deepEqual(
    links.map(({shortUrlPart}) => shortUrlPart),
    ['n3', 'n2'],
  );
  t.is((await shortener.admin.pageLinks({baseDomain: 'sho.rt'})).links.length, 2);
  t.is((await shortener.links.page('ann', {baseDomain: 'elsewhere.example'})).links.length, 0);
  await t.throwsAsync(shortener.links.page('ann', {baseDomain: 'http://sho.rt'}), {code: 'malformed_parameter'});
});

test('a site with one domain offers no choice of it', async (t) => {
  const {visitor, shortener} = await open(t);
  await fill(shortener, 1);
  t.false((await visitor('ann').get()).text.includes('name="base_domain"'));
});
