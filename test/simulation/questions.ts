import type {Operation} from '../../src/http/api/operation.ts';
import {operations} from '../../src/http/api/operations.ts';
import {Tally} from '../../src/tools/content/content.ts';
import {csvOf} from '../../src/tools/export/export-csv.ts';
import {day} from '../../src/values/shape.ts';
import {collect} from '../support/collect.ts';
import {reuseUrl, type Seen} from './seen.ts';
import {Luck} from './timeline.ts';
import type {Site} from './world.ts';

/** What a question is about. */
interface About {
  readonly shortUrl: string;
  readonly account: string;
  /** The mark of a visitor whom the link has brought. */
  readonly via: string | undefined;
  readonly luck: Luck;
}

type Question = (site: Site, about: About) => Promise<unknown>;

const owner = ({accounts}: Site, {account}: About): ReturnType<Site['accounts']['requireOpen']> =>
  accounts.requireOpen(account);
const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);
const aDay = 86_400_000;

/** One of them. */
function chosen<Item>(luck: Luck, items: readonly Item[]): Item {
  return items[luck.between(0, items.length - 1)] as Item;
}

/** What code of the site asks for besides the operations of the API. */
const ofCode: Readonly<Record<string, Question>> = {
  'links.share': async (site, about) =>
    site.shares.share(await owner(site, about), about.luck.chance(0.5) ? about.shortUrl : {tag: 'blue'}, {
      show: ['visits', 'amounts'],
      ...(about.luck.chance(0.5) && {until: dayOf(site.now() + 10 * aDay)}),
    }),
  'links.shares': async (site, about) => site.shares.shares(await owner(site, about)),
  'shared page': async (site, about) => {
    const [first] = await site.shares.shares(await owner(site, about));
    return site.shares.find(first?.url.split('/').at(-1) ?? 'none');
  },
  'links.unshare': async (site, about) => {
    const account = await owner(site, about);
    const [first] = await site.shares.shares(account);
    await site.shares.unshare(account, first?.id ?? 'none');
  },
  'admin.find': ({admin}, {shortUrl}) => admin.find(shortUrl),
  'admin.account': ({admin}, {account}) => admin.account(account),
  'admin.recentBlocks': ({admin}) => admin.recentBlocks(),
  'admin.pageLinks': ({admin}, {luck}) =>
    admin.pageLinks({
      limit: 2,
      order: chosen(luck, ['newest', 'oldest', 'visits', 'last_visit']),
      ...(luck.chance(0.3) && {status: chosen(luck, ['active', 'disabled', 'expired', 'blocked'])}),
      ...(luck.chance(0.3) && {search: 'destination'}),
    }),
  'admin.stats': ({admin}) => admin.stats(),
  'admin.accounts': ({admin}) => collect(admin.accounts()),
  'admin.pageAccounts': ({admin}, {luck}) =>
    admin.pageAccounts({order: chosen(luck, ['newest', 'oldest', 'links', 'visits', 'last_visit'])}),
  'admin.compareAccounts': ({admin}) => admin.compareAccounts(),
  'conversions.find': ({conversions}, {via}) => conversions.find(via === undefined ? {customer: 'user-7'} : {via}),
  'conversions.forgetName': ({conversions}) => conversions.forgetName('order'),
  'links.reuse': async (site, about) =>
    site.links.create(await owner(site, about), {url: reuseUrl, reuse: true, tags: ['blue']}),
  'links of a campaign': async (site, about) => {
    const utm = {source: chosen(about.luck, ['mail', 'web']), campaign: 'spring'};
    return site.links.create(await owner(site, about), {url: 'https://destination.example/campaign', utm});
  },
  csv: async ({store}) => {
    const parts = await collect(csvOf({store, account: undefined, tally: new Tally(), onProgress: () => undefined}));
    // Engines list their records in different orders.
    return parts.join('').split('\n').sort();
  },
  'admin.sweep': ({admin}, {luck}) =>
    collect(admin.sweep({expiredFor: luck.between(1, 30), unvisitedFor: 60, dryRun: luck.chance(0.5)})),
  'admin.recheck': ({admin}, {luck}) =>
    collect(admin.recheck(() => chosen(luck, ['ok', 'ok', 'broken', 'forbidden']), {concurrency: 1})),
};

/** A picture is not drawn in simulated time, and says nothing of the store. */
const withoutPictures = Array.from(operations).filter(([, {answer}]) => 'data' in answer);

/** Operations of the API, with those of the parameters that luck has chosen. */
const ofApi = withoutPictures.map(([name, operation]): [string, Question] => [
  name,
  async (site, about) => {
    const account = await owner(site, about);
    const values = valuesFor(operation, site, about, (await site.keys.list(account.id)).at(-1)?.id);
    const {envelope, stream} = await site.api().answer(
      {apiKey: undefined, operation: name, format: 'json', segments: []},
      {
        method: 'POST',
        isPrefetch: false,
        ip: '192.0.2.1',
        authorization: '',
        idempotencyKey: undefined,
        access: () => Promise.resolve({account, scope: 'full', key: undefined}),
        readBody: () => Promise.resolve(values),
      },
    );
    return {values, ...envelope, ...(stream && {items: (await collect(stream.chunks)).flat()})};
  },
]);

const questions = new Map([...ofApi, ...Object.entries(ofCode)]);

/** The names of all questions. */
export const questionNames: readonly string[] = Array.from(questions.keys());

/** Asks a question, which the seed chooses with all of its details, and notes the answer. */
export async function ask(site: Site, seen: Seen, via: string | undefined, seed: number): Promise<void> {
  const luck = new Luck(seed + 1);
  const name = seed < questionNames.length ? (questionNames[seed] ?? '') : chosen(luck, questionNames);
  seen.question = name;
  const about = {shortUrl: `https://example.com/${seen.slug}`, account: seen.account, via, luck};
  seen.answer = await questions.get(name)?.(site, about);
}

/** A value for each parameter that is required, and for some of the others: the example, or what there is here. */
function valuesFor(
  {parameters, oneOf = []}: Operation,
  site: Site,
  {shortUrl, via, luck}: About,
  key: string | undefined,
): object {
  const only = oneOf.length > 0 ? chosen(luck, oneOf) : undefined;
  const own: Readonly<Record<string, unknown>> = {
    short_url: shortUrl,
    custom_url: shortUrl.split('/').at(-1),
    via: via ?? 'none',
    base_domain: 'example.com',
    limit: 2,
    search: 'destination',
    links: [
      {url: reuseUrl, reuse: true},
      {url: 'https://destination.example/many', tags: ['blue']},
    ],
    changes: [{short_url: shortUrl, title: 'One of many', add_tags: ['blue']}],
    id: 'name' in parameters ? String(luck.between(1, 3)) : key,
    value: luck.between(1, 3),
    refund: chosen(luck, ['a', 'b']),
    max_visits: luck.between(1, 3),
    tag: 'blue',
    clear: ['tags', 'rules'],
  };
  const wanted = Object.entries(parameters).filter(([name, {isRequired}]) =>
    isRequired || name === 'via' ? true : only === undefined ? name !== 'cursor' && luck.chance(0.2) : name === only,
  );
  return Object.fromEntries(
    wanted.map(([name, {shape, example}]) => {
      // The days of examples are over here.
      const isDay = shape === day || name.endsWith('_date');
      const from = name === 'from' ? -45 : luck.between(0, 60);
      if (isDay) return [name, dayOf(site.now() + from * aDay)];
      return [name, shape.schema.enum ? chosen(luck, shape.schema.enum) : (own[name] ?? example)];
    }),
  );
}
