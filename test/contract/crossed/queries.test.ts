import '../../support/quick-scrypt.ts';
import {isDeepStrictEqual} from 'node:util';
import test, {type ExecutionContext} from 'ava';
import {operations} from '../../../src/http/api/operations.ts';
import type {Parameter} from '../../../src/http/api/operation.ts';
import {shortUrl, type ShortUrl, ShortUrlError} from '../../../src/index.ts';
import type {AccountCompareQuery, AccountQuery} from '../../../src/links/account-info.ts';
import type {AdminLinkQuery} from '../../../src/links/read/listed-links.ts';
import type {StatsQuery} from '../../../src/links/stats/statistics.ts';
import {toWebHandler} from '../../../src/web.ts';
import {collect} from '../../support/collect.ts';
import {browserAgent, viaOf} from '../../support/visitor.ts';

const origin = 'https://example.com';
const secret = 'a secret of good length, for tests';
const noon = Date.parse('2031-05-06T12:00:00Z');
const day = 86_400_000;

type Query = Readonly<Record<string, unknown>>;
type Values = Readonly<Record<string, readonly unknown[]>>;

/** Something that is read with a query, and the values of its parameters besides the cursor. */
interface Reading {
  readonly ask: (site: ShortUrl, query: Query) => Promise<object>;
  readonly values: Values;
}

/** Values that make a difference in the scene. */
const known: Values = {
  from: ['2031-05-06'],
  until: ['2031-05-05'],
  tag: ['mail'],
  search: ['spring'],
  reference: ['order 1'],
  name: ['order', 'trial'],
  currency: ['EUR', 'USD'],
  limit: [1, 2],
};

function valuesOf(name: string, {shape: {schema}, example}: Parameter): readonly unknown[] {
  return known[name] ?? schema.enum ?? (schema.type === 'boolean' ? [true, false] : [example]);
}

/** The operations that only read, as a program calls them. */
const calls = Array.from(operations).flatMap(([name, {scope, parameters, answer}]): Array<[string, Reading]> => {
  if (scope !== 'read' || !('data' in answer)) return [];
  const base = parameters['short_url'] === undefined ? {} : {short_url: `${origin}/spring`};
  const ask = async (site: ShortUrl, query: Query): Promise<Query> => {
    const apiKey = await site.accounts.apiKey('ann');
    const request = new Request(`${origin}/api/v1/shorturl/${name}`, {
      method: 'POST',
      headers: {'Content-Type': 'application/json', Authorization: `Bearer ${apiKey}`},
      body: JSON.stringify({...base, ...query}),
    });
    const reply = await toWebHandler(site)(request);
    if (reply === undefined) throw new Error('The API has not answered');
    return ((await reply.json()) as {data: Query}).data;
  };
  const varied = Object.entries(parameters).filter(([each]) => each !== 'short_url' && each !== 'cursor');
  return [
    [name, {ask, values: Object.fromEntries(varied.map(([each, parameter]) => [each, valuesOf(each, parameter)]))}],
  ];
});

// The compiler asks for a new parameter.
type ValuesOf<Asked> = {readonly [Name in Exclude<keyof Asked, 'cursor'>]-?: ReadonlyArray<NonNullable<Asked[Name]>>};

const days = {from: ['2031-05-06'], until: ['2031-05-05']};
const ofLinks: ValuesOf<AdminLinkQuery> = {
  account: ['bob'],
  status: ['active', 'disabled', 'expired', 'scheduled', 'blocked'],
  search: ['spring'],
  broken: [true, false],
  baseDomain: ['sho.rt'],
  expiresWithin: [7],
  order: ['newest', 'oldest', 'visits', 'last_visit', 'conversions', 'expiry_date'],
  limit: [1, 2],
};
const ofAccounts: ValuesOf<AccountQuery> = {
  search: ['bo'],
  order: ['newest', 'oldest', 'links', 'visits', 'last_visit'],
  limit: [1, 2],
};
const ofComparison: ValuesOf<AccountCompareQuery> = {
  ...days,
  order: ['visits', 'conversions', 'value'],
  name: ['order', 'trial'],
  currency: ['EUR', 'USD'],
  limit: [1, 2],
};
const ofSite: ValuesOf<StatsQuery> = {...days, include: [['days'], ['details']]};

const readings = new Map<string, Reading>([
  ...calls,
  ['admin.pageLinks', {ask: ({admin}, query) => admin.pageLinks(query), values: ofLinks}],
  ['admin.pageAccounts', {ask: ({admin}, query) => admin.pageAccounts(query), values: ofAccounts}],
  ['admin.compareAccounts', {ask: ({admin}, query) => admin.compareAccounts(query), values: ofComparison}],
  ['admin.stats', {ask: ({admin}, query) => admin.stats(query), values: ofSite}],
]);

/** Opens processes of a site whose links differ in all that can be asked for. */
async function scene(t: ExecutionContext): Promise<{open: (clock?: {readonly now: number}) => ShortUrl}> {
  const clock = {now: noon - day};
  const store = new Map<string, unknown>();
  const options = {baseUrl: origin, baseDomains: ['sho.rt'], store, secret, attribution: {}};
  const open = (own: {readonly now: number} = clock): ShortUrl => {
    const site = shortUrl({...options, now: () => own.now});
    t.teardown(() => site.close());
    return site;
  };
  const site = open();
  const handle = toWebHandler(site);
  const visit = async (part: string): Promise<string> => {
    const answer = await handle(new Request(`${origin}/${part}`, {headers: {'User-Agent': browserAgent}}));
    return viaOf(answer?.headers.getSetCookie()[0]) ?? '';
  };
  const {accounts, admin, conversions, links} = site;
  for (const account of ['ann', 'bob', 'carl']) await accounts.create(account);
  const make = (account: string, customUrl: string, fields: object = {}) =>
    links.create(account, {url: `https://${customUrl}.example/`, customUrl, ...fields});
  await make('ann', 'spring', {
    tags: ['mail'],
    reference: 'order 1',
    utm: {source: 'news', medium: 'mail', campaign: 'may'},
  });
  await make('ann', 'summer', {tags: ['Mail', 'shop'], expiryDate: '2031-05-08', utm: {source: 'paper'}});
  await make('ann', 'autumn', {tags: ['shop', 'press'], expiryDate: '2031-05-05'});
  await make('ann', 'winter', {startDate: '2031-06-01'});
  await make('ann', 'none');
  await make('ann', 'plain', {baseDomain: 'sho.rt'});
  await make('bob', 'other', {tags: ['mail']});
  await make('bob', 'blocked');
  for (const [index, part] of ['spring', 'spring', 'summer', 'other', 'autumn'].entries()) {
    const via = await visit(part);
    await conversions.record(
      {via},
      {name: 'order', id: index, value: 100 + index, currency: index % 2 ? 'USD' : 'EUR'},
    );
    if (index > 2) await conversions.record({via}, {name: 'trial', id: index});
  }
  await links.disable('ann', `${origin}/none`);
  await admin.block(`${origin}/blocked`);
  clock.now = noon;
  for (const [index, part] of ['summer', 'other', 'other', 'other', 'summer'].entries()) {
    const via = await visit(part);
    await conversions.record({via}, {name: 'order', id: 10 + index, value: 7, currency: 'USD'});
  }
  await conversions.refund({name: 'order', id: 1, refund: 1});
  await collect(admin.recheck(({shortUrlPart}) => (shortUrlPart === 'summer' ? 'broken' : 'ok')));
  return {open};
}

/** The answer without its own time. */
async function answerTo({ask}: Reading, site: ShortUrl, query: Query): Promise<Query> {
  const answer = await ask(site, query).catch((error: unknown) => {
    if (error instanceof ShortUrlError) return {error: error.code};
    throw error;
  });
  return {...answer, date_time: undefined};
}

/** No parameter, each value of each one, and each pair of them. */
function queriesOf({values}: Reading): Query[] {
  const singles = Object.entries(values).flatMap(([name, all]) => all.map((value): Query => ({[name]: value})));
  const pairs = singles.flatMap((one, index) =>
    singles
      .slice(index + 1)
      .flatMap((other) => (Object.keys(one)[0] === Object.keys(other)[0] ? [] : [{...one, ...other}])),
  );
  return [{}, ...singles, ...pairs];
}

/** The items of a page, and the cursor of the next one. */
interface Page {
  readonly items: readonly unknown[];
  readonly cursor: string | undefined;
}

function pageOf(t: ExecutionContext, answer: Query): Page | undefined {
  const {error, next_cursor, nextCursor = next_cursor, ...data} = answer;
  if (error !== undefined) return undefined;
  const items = ['urls', 'tag_counts', 'links', 'accounts']
    .map((name) => data[name])
    .find((each) => Array.isArray(each));
  if (!Array.isArray(items)) t.fail(JSON.stringify(answer));
  return {items: items as unknown[], cursor: nextCursor as string | undefined};
}

/** The comparison of ava, which shows differences, takes longer than the reading. */
function isSame(t: ExecutionContext, found: unknown, expected: unknown, query: string): void {
  if (!isDeepStrictEqual(found, expected)) t.deepEqual(found, expected, query);
}

for (const [name, reading] of readings) {
  test(`each parameter of ${name} changes the answer, also beside others within the minute`, async (t) => {
    const {open} = await scene(t);
    const [site, late] = [open(), {now: noon}];
    const other = open(late);
    const answers = new Map<string, Query>();
    const without = new Set(Object.keys(reading.values));
    for (const query of queriesOf(reading)) {
      const found = await answerTo(reading, site, query);
      // This process remembers nothing of the query before.
      late.now += 61_000;
      isSame(t, found, await answerTo(reading, other, query), JSON.stringify(query));
      answers.set(JSON.stringify(query), found);
      for (const each of Object.keys(query)) {
        const rest = JSON.stringify({...query, [each]: undefined});
        if (!isDeepStrictEqual(found, answers.get(rest))) without.delete(each);
      }
    }
    t.deepEqual([...without], []);
  });

  if (reading.values['limit'] === undefined) continue;

  test(`the pages of ${name} have all that one page has, and a cursor of another query is refused or a place`, async (t) => {
    const {open} = await scene(t);
    const site = open();
    const read = async (query: Query): Promise<Page | undefined> => pageOf(t, await answerTo(reading, site, query));
    // A cursor is a place in an order.
    const queries = queriesOf(reading).filter(
      ({limit, ...query}) => limit === undefined && (Object.keys(query).length < 2 || query['order'] !== undefined),
    );
    const cursors = new Map<string, string>();
    const lists = new Map<Query, readonly unknown[]>();
    for (const query of queries) {
      const all = await read(query);
      if (all === undefined) continue;
      // Pages by value stay in the currency of the first one.
      if (query['order'] !== 'value' || query['currency'] !== undefined) lists.set(query, all.items);
      const found: unknown[] = [];
      let page = await read({...query, limit: 2});
      if (page?.cursor !== undefined) cursors.set(page.cursor, JSON.stringify(query));
      for (
        ;
        page !== undefined;
        page = page.cursor === undefined ? undefined : await read({...query, limit: 2, cursor: page.cursor})
      ) {
        found.push(...page.items);
      }
      isSame(t, found, all.items, JSON.stringify(query));
    }
    for (const [cursor, from] of cursors) {
      for (const [query, list] of lists) {
        const page = await read({...query, cursor});
        if (page === undefined) continue;
        const rest = list.slice(list.length - page.items.length);
        isSame(t, page.items, rest, `${from} ${JSON.stringify(query)}`);
      }
    }
    t.true(cursors.size > 0);
  });
}
