import test, {type ExecutionContext} from 'ava';
import {redactUrl, shortUrl} from '../../../src/index.ts';
import {open, type Stage, type StageOptions, textOf} from '../../support/dashboard.ts';

const url = 'https://destination.example/';

/** A site on which a link of Ann has three visits and two orders. */
async function sold(t: ExecutionContext, options: StageOptions = {}): Promise<Stage & {readonly link: string}> {
  const stage = await open(t, {
    ...options,
    shortUrl: {attribution: {currency: 'EUR'}, countVisit: () => true, ...options.shortUrl},
  });
  const {shortener, visitor} = stage;
  const {shortUrl: link} = await shortener.links.create('ann', {
    url,
    customUrl: 'spring',
    title: 'Secret title',
    tags: ['mail'],
  });
  let via: string | undefined;
  for (let visit = 0; visit < 3; visit += 1) {
    const {headers} = await visitor().get(link);
    via = /short_url_via=([^;]+)/.exec(headers.getSetCookie().join())?.[1];
  }
  for (const id of ['1', '2']) await shortener.conversions.record({via}, {name: 'order', id, value: 1250});
  return {...stage, link};
}

/** The numbers of a shared page, as a stranger sees them. */
async function read(stage: Stage, address: string, headers: Record<string, string> = {}) {
  return stage.visitor().send(address, {headers});
}

test('a shared page shows the chosen numbers of a link to everybody, and nothing else of it', async (t) => {
  const stage = await sold(t);
  const {shortener, link, origin} = stage;
  const {url: address, show, until} = await shortener.links.share('ann', link);
  t.deepEqual([show, until], [['visits'], null]);
  t.regex(address, new RegExp(`^${origin}/links/shared/[\\w-]{32}-[\\w-]+$`));
  const {status, headers, text} = await read(stage, address);
  t.is(status, 200);
  t.regex(textOf(text), /Visits 3/);
  t.true(text.includes('/spring'));
  for (const hidden of ['Secret title', 'mail', 'destination.example', 'Conversions', '€', 'ann', '_token'])
    t.false(textOf(text).includes(hidden), hidden);
  t.is(headers.get('Cache-Control'), 'no-store');
  t.is(headers.get('Referrer-Policy'), 'no-referrer');
  t.is(headers.get('X-Robots-Tag'), 'noindex');
  t.deepEqual(headers.getSetCookie(), []);
  t.regex(text, /href="\.\.\/style-/);
  t.is((await stage.visitor().send(address, {method: 'POST'})).status, 405);
  t.is((await stage.visitor().send(address, {method: 'HEAD'})).status, 200);
});

test('conversions and amounts are shown each only if they are shared', async (t) => {
  const stage = await sold(t);
  const {shortener, link} = stage;
  const shown = async (show: ReadonlyArray<'visits' | 'conversions' | 'amounts'>): Promise<string> => {
    const {url: address} = await shortener.links.share('ann', link, {show});
    return textOf((await read(stage, address)).text);
  };
  const all = await shown(['visits', 'conversions', 'amounts']);
  t.regex(all, /Visits 3 .*Conversions 2 .*€25\.00/);
  const conversions = await shown(['conversions']);
  t.regex(conversions, /Conversions 2/);
  t.notRegex(conversions, /€|%|Visits 3|3 visits/);
  const amounts = await shown(['amounts']);
  t.regex(amounts, /€25\.00/);
  t.notRegex(amounts, /Conversions 2|order|Visits 3|%/);
});

test('the reader chooses the days and the language', async (t) => {
  const stage = await sold(t);
  const {shortener, link} = stage;
  const {url: address} = await shortener.links.share('ann', link);
  const {text} = await read(stage, `${address}?days=last-month`, {'Accept-Language': 'de'});
  t.regex(textOf(text), /Besuche 0/);
  const token = address.slice(address.lastIndexOf('/') + 1);
  t.true(text.includes(`href="../shared/${token}?days=7#links-visits"`));
  t.is((await read(stage, `${address}?from=2031-05-06&until=2031-05-06`)).status, 200);
  t.is((await read(stage, `${address}?from=tomorrow`)).status, 400);
});

test('a shared page of a tag has the sums of its links', async (t) => {
  const stage = await sold(t);
  const {shortener} = stage;
  await shortener.links.create('ann', {url, customUrl: 'other'});
  await stage.visitor().get(`${stage.origin}/other`);
  const {url: address, tag, shortUrl: link} = await shortener.links.share('ann', {tag: 'mail'});
  t.deepEqual([tag, link], ['mail', undefined]);
  const {text} = await read(stage, address);
  t.regex(textOf(text), /Tag: mail .*Visits 3/);
  t.false(text.includes('/spring'));
});

test('unknown, ended, removed and blocked pages are one and the same 404', async (t) => {
  const stage = await sold(t);
  const {shortener, link, clock, origin} = stage;
  const share = async (subject: string | {tag: string} = link, options = {}): Promise<string> =>
    (await shortener.links.share('ann', subject, options)).url;
  const unknown = await read(stage, `${origin}/links/shared/${'A'.repeat(32)}-1a`);
  t.is(unknown.status, 404);
  t.regex(textOf(unknown.text), /not shared/);
  const isGone = async (address: string): Promise<void> => {
    const {status, text, headers} = await read(stage, address);
    t.is(status, 404);
    t.is(text, unknown.text);
    t.is(headers.get('Referrer-Policy'), 'no-referrer');
  };
  await isGone(`${origin}/links/shared/x`);
  const ended = await shortener.links.share('ann', link);
  await shortener.links.unshare('ann', ended.id);
  await shortener.links.unshare('ann', ended.id);
  await isGone(ended.url);
  const dated = await share(link, {until: '2031-05-07'});
  clock.now = Date.parse('2031-05-07T23:59:59Z');
  t.is((await read(stage, dated)).status, 200);
  clock.now += 1000;
  await isGone(dated);

  const ofLink = await share();
  await shortener.admin.block(link);
  await isGone(ofLink);
  await shortener.admin.unblock(link);
  t.is((await read(stage, ofLink)).status, 200);
  const ofTag = await share({tag: 'mail'});
  await shortener.admin.blockAccount('ann');
  await isGone(ofTag);
  await isGone(ofLink);
  await shortener.admin.unblockAccount('ann');
  await shortener.links.remove('ann', link);
  await shortener.links.create('ann', {url, customUrl: 'spring'});
  await isGone(ofLink);
  t.deepEqual(
    (await shortener.links.shares('ann')).map(({tag}) => tag),
    ['mail'],
  );
  await shortener.accounts.remove('ann');
  await shortener.accounts.create('ann');
  await isGone(ofTag);
});

test('what is shared by one account is unknown to another, and bad input changes nothing', async (t) => {
  const {shortener, link} = await sold(t);
  await shortener.accounts.create('bob');
  const {id} = await shortener.links.share('ann', link);
  const refused = async (code: string, ...rest: unknown[]): Promise<void> => {
    const {links}: {links: Record<'share', (...input: unknown[]) => Promise<unknown>>} = shortener as never;
    t.like(await t.throwsAsync(links.share('ann', ...rest)), {code});
  };
  t.like(await t.throwsAsync(shortener.links.share('bob', link)), {code: 'unknown_short_url'});
  await refused('malformed_parameter', link, {show: []});
  await refused('malformed_parameter', link, {show: ['clicks']});
  await refused('malformed_parameter', {tag: ''});
  await refused('missing_parameter', {});
  await refused('unknown_parameter', link, {shown: ['visits']});
  await refused('invalid_expiry_date', link, {until: '2031-05-05'});
  await shortener.links.unshare('bob', id);
  t.deepEqual(
    (await shortener.links.shares('ann')).map((each) => each.id),
    [id],
  );
  t.deepEqual(await shortener.links.shares('bob'), []);
});

test('the store has neither the address of a shared page nor its token, and no log needs them', async (t) => {
  const store = new Map<string, unknown>();
  const {shortener, link} = await sold(t, {shortUrl: {store}});
  const {url: address, id} = await shortener.links.share('ann', link);
  const token = address.slice(address.lastIndexOf('/') + 1);
  const stored = JSON.stringify([...store]);
  t.true(stored.includes(id));
  t.false(stored.includes(token.slice(0, 32)));
  t.false(redactUrl(address).includes(token.slice(0, 8)));
  // Its owner finds it again.
  t.is((await shortener.links.shares('ann'))[0]?.url, address);
});

test('without a dashboard, or with share: false, nothing is shared', async (t) => {
  const {shortener, visitor, origin, link} = await sold(t, {dashboard: {share: false}});
  await t.throwsAsync(shortener.links.share('ann', link), {instanceOf: TypeError, message: /dashboard/});
  t.is((await visitor().get(`${origin}/links/shared/${'A'.repeat(32)}-1`)).text, 'Not Found');
  t.is((await visitor('ann').get('shares')).status, 404);
  t.false((await visitor('ann').get(`link?short_url=${encodeURIComponent(link)}`)).text.includes('Share'));
  const alone = shortUrl({baseUrl: 'https://example.com', store: 'memory:'});
  t.teardown(() => alone.close());
  await alone.accounts.create('ann');
  await t.throwsAsync(alone.links.share('ann', {tag: 'mail'}), {instanceOf: TypeError});
});

test('a user shares the numbers of a link and of a tag on the dashboard, and ends it there', async (t) => {
  const stage = await sold(t);
  const {visitor, shortener, link} = stage;
  const ann = visitor('ann');
  const linkPage = (await ann.get(`link?short_url=${encodeURIComponent(link)}`)).text;
  t.regex(linkPage, /<summary>Share these numbers…<\/summary>/);
  const page = await ann.submit('share', {
    short_url: link,
    show_visits: 'yes',
    show_amounts: 'yes',
    until: '2031-12-31',
  });
  const [shared] = await shortener.links.shares('ann');
  t.like(shared, {show: ['visits', 'amounts'], until: '2031-12-31 23:59:59'});
  t.true(page.text.includes(`href="${shared?.url}"`));
  t.regex(textOf(page.text), /Visits, Value Until Dec 31, 2031/);

  t.true((await ann.get('?tag=mail&days=7')).text.includes('name="tag" value="mail"'));
  t.is((await ann.post('share', {tag: 'mail', show_visits: 'yes'})).status, 303);
  t.is((await shortener.links.shares('ann')).length, 2);
  t.is((await ann.post('share', {tag: 'mail'})).status, 400);
  t.is((await ann.post('share', {tag: 'mail', show_visits: 'yes', until: '2031-01-01'})).status, 400);
  t.is((await ann.post('share', {tag: 'mail', show_visits: 'yes', _token: 'old'})).status, 403);
  t.is((await ann.post('share', {short_url: 'https://other.example/x', show_visits: 'yes'})).status, 404);
  await ann.submit('unshare', {id: shared?.id ?? ''});
  t.deepEqual(
    (await shortener.links.shares('ann')).map(({tag}) => tag),
    ['mail'],
  );
});

test('the address of a shared page has the prefix of a mount once a page was requested', async (t) => {
  const {default: mount} = await import('koa-mount');
  const stage = await sold(t, {
    path: '/app/links',
    assemble: (app, {shortener, pages}) => {
      app.use(shortener).use(mount('/app', pages));
      return undefined;
    },
  });
  await stage.visitor('ann').get('');
  const {url: address} = await stage.shortener.links.share('ann', stage.link);
  t.true(address.startsWith(`${stage.origin}/app/links/shared/`));
  t.is((await read(stage, address)).status, 200);
});
