import '../../support/quick-scrypt.ts';
import {IncomingMessage, ServerResponse} from 'node:http';
import {Socket} from 'node:net';
import test, {type ExecutionContext} from 'ava';
import {type AttributionOptions, type ShortUrl, shortUrl, type ShortUrlOptions} from '../../../src/index.ts';
import {copyStore} from '../../../src/tools.ts';
import {toWebHandler} from '../../../src/web.ts';
import {browserAgent, viaOf} from '../../support/visitor.ts';

const origin = 'https://example.com';
const secret = 'a secret of good length, for tests';
const noon = Date.parse('2031-05-06T12:00:00Z');

/** Another value of each option. The compiler asks for new ones. Null: it says which store it is, or has tests of its own. */
const ofSite: {readonly [Name in keyof ShortUrlOptions]-?: NonNullable<ShortUrlOptions[Name]> | null} = {
  baseUrl: null,
  store: null,
  namespace: null,
  now: null,
  attribution: null,
  baseDomains: ['sho.rt', 'go.example.org'],
  domains: () => true,
  domainsOf: () => ['go.ann.example'],
  storeTimeout: 60_000,
  secret: ['another secret of good length, for tests', secret],
  reserved: ['spring', 'about'],
  shortParts: {unicode: true, segments: 2},
  slugLength: 12,
  redirectStatus: 308,
  defer: false,
  allowUrl: () => false,
  countVisit: () => true,
  visitDetails: () => ({}),
  destination: () => undefined,
  schemes: ['http', 'https', 'mailto'],
  timeZone: 'Asia/Tokyo',
  forwardQuery: true,
  confirm: 'limited',
  passwordAttempts: 1,
  keyAttempts: 1,
  createQuota: 1,
  pages: {siteName: 'The site'},
};

const ofAttribution: {readonly [Name in keyof AttributionOptions]-?: NonNullable<AttributionOptions[Name]> | null} = {
  // A cookie of before may be too old then.
  maxAge: null,
  customerAge: 3 * 366 * 86_400,
  currency: 'CHF',
  credit: 'first',
  names: {order: 'Tickets'},
  consent: () => false,
  parameter: 'from',
  parameterFor: () => false,
};

interface Before {
  readonly store: Map<string, unknown>;
  readonly via: string;
}

function siteOn(t: ExecutionContext, store: Map<string, unknown>, options: Partial<ShortUrlOptions> = {}): ShortUrl {
  const site = shortUrl({
    baseUrl: origin,
    store: structuredClone(store),
    secret,
    attribution: {},
    now: () => noon,
    ...options,
  });
  t.teardown(() => site.close());
  return site;
}

const visit = (site: ShortUrl, part: string, headers: object = {}): Promise<Response | undefined> =>
  toWebHandler(site)(new Request(`${origin}/${part}`, {headers: {'User-Agent': browserAgent, ...headers}}));

const repeated = {url: 'https://destination.example/once'};
const reused = {url: 'https://destination.example/reused', reuse: true};

/** What a site has recorded with the usual options. */
async function fill(part = 'spring'): Promise<Before> {
  const store = new Map<string, unknown>();
  const site = shortUrl({baseUrl: origin, store, secret, attribution: {}, now: () => noon});
  const {accounts, conversions, links} = site;
  await accounts.create('ann');
  await links.create('ann', {
    url: 'https://destination.example/',
    customUrl: part,
    tags: ['mail'],
    expiryDate: '2031-12-31',
  });
  await links.create('ann', {...repeated}, {idempotencyKey: 'once'});
  await links.create('ann', reused);
  const via = viaOf((await visit(site, part))?.headers.getSetCookie()[0]) ?? '';
  await conversions.record({via}, {name: 'order', id: 1, value: 500, customer: 'user-7'});
  await conversions.record({via}, {name: 'order', id: 2, value: 700, currency: 'EUR'});
  await conversions.refund({name: 'order', id: 2, refund: 1, value: 100});
  await site.close();
  return {store, via};
}

/** All that a site tells of what was recorded, what a repeat of each call does, and what a refund adds. */
async function observed(site: ShortUrl, {via}: Before, part = 'spring'): Promise<object> {
  const {accounts, conversions, links} = site;
  const {forwardQuery, confirm, ...link} = await links.info('ann', `${origin}/${part}`);
  // The site decides these where the link does not.
  const isDecided = [typeof forwardQuery, typeof confirm];
  const again = [
    await conversions.record({via}, {name: 'order', id: 1, value: 500, customer: 'user-7'}),
    await conversions.refund({name: 'order', id: 2, refund: 1, value: 100}),
    await conversions.refund({name: 'order', id: 1, refund: 1, value: 200}),
  ].map((each) => each?.link.shortUrl);
  const found = [await conversions.find({via}), await conversions.find({customer: 'user-7'})];
  const made = [await links.create('ann', repeated, {idempotencyKey: 'once'}), await links.create('ann', reused)];
  const {details, days, ...stats} = await links.stats('ann', link.shortUrl);
  const {totalVisits, conversions: sums} = await accounts.stats('ann');
  return {
    ...{link, isDecided, again, stats, details, totalVisits, sums},
    days: days.filter(({date}) => date === '2031-05-06'),
    found: found.map((each) => [each?.link.shortUrl, each?.account, each?.at.getTime()]),
    made: made.map(({urlId, shortUrl: url}) => [urlId, url]),
    compared: (await links.compare('ann', {from: '2031-05-06', until: '2031-05-06'})).conversions,
    // A parameter of `attribution` may follow.
    location: (await visit(site, part))?.headers.get('location')?.replace(/\?.*/, ''),
  };
}

for (const [table, wrap] of [
  [ofSite, (options: object) => options],
  [ofAttribution, (options: object) => ({attribution: options})],
] as const) {
  for (const [name, value] of Object.entries<unknown>(table)) {
    if (value === null) continue;
    test(`what was recorded before the option ${name} was set stays as it was`, async (t) => {
      const before = await fill();
      const plain = await observed(siteOn(t, before.store), before);
      t.deepEqual(await observed(siteOn(t, before.store, wrap({[name]: value})), before), plain);
    });
  }
}

test('what was recorded before the site ignored case stays as it was, after a copy that folds it', async (t) => {
  const before = await fill('Spring');
  const store = new Map<string, unknown>();
  await copyStore({from: before.store, to: store, ignoreCase: true});
  const site = siteOn(t, store, {shortParts: {ignoreCase: true}});
  const was = await observed(siteOn(t, before.store), before, 'Spring');
  // Generated short parts are folded too.
  const folded = (seen: object): string => JSON.stringify(seen).toLowerCase();
  t.is(folded(await observed(site, before, 'SPRING')), folded(was));
  t.is((await site.links.info('ann', `${origin}/sPRING`)).shortUrlPart, 'spring');
});

/** A request of a page of the site, and its response. */
function fromPage(path: string, cookie: string): {req: IncomingMessage; res: ServerResponse} {
  const req = Object.assign(new IncomingMessage(new Socket()), {method: 'POST', url: path});
  Object.assign(req.headers, {host: 'example.com', origin, cookie: `short_url_via=${cookie}`});
  return {req, res: new ServerResponse(req)};
}

/** How the token of a second link reaches a visitor who has that of a first one: the cookie that is set. */
const arrivals: Readonly<Record<string, (site: ShortUrl, first: string, second: string) => Promise<unknown>>> = {
  'by a visit': async (site, first) =>
    (await visit(site, 'second', {Cookie: `short_url_via=${first}`}))?.headers.getSetCookie()[0],
  'by the parameter of a page': async (site, first, second) => {
    const page = fromPage(`/agree?via=${second}`, first);
    await site.conversions.accept(page);
    return page.res.getHeader('set-cookie');
  },
  'kept by the site': async (site, first, second) => {
    const page = fromPage('/agree', first);
    await site.conversions.accept(page, {via: second});
    return page.res.getHeader('set-cookie');
  },
};

for (const credit of ['last', 'first'] as const) {
  for (const [how, arrive] of Object.entries(arrivals)) {
    test(`with credit for the ${credit} link, a second link that comes ${how} gets it only if it should`, async (t) => {
      const site = siteOn(t, new Map(), {attribution: {credit, parameter: 'via'}});
      await site.accounts.create('ann');
      const tokens: string[] = [];
      for (const customUrl of ['first', 'second']) {
        await site.links.create('ann', {url: `${origin}/landing`, customUrl});
        tokens.push(viaOf((await visit(site, customUrl))?.headers.getSetCookie()[0]) ?? '');
      }
      const [first = '', second = ''] = tokens;
      const via = viaOf(await arrive(site, first, second)) ?? first;
      t.is((await site.conversions.find({via}))?.link.shortUrl, `${origin}/${credit === 'last' ? 'second' : 'first'}`);
    });
  }
}
