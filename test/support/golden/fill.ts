import type {LiveAccount} from '../../../src/accounts/record.ts';
import {isUnavailable} from '../../../src/errors.ts';
import {type CreateLink, shortUrl} from '../../../src/index.ts';
import {Bases} from '../../../src/link/bases.ts';
import {packing} from '../../../src/link/packing.ts';
import {buildServices, type Services} from '../../../src/shortener/services.ts';
import {openStore} from '../../../src/store/opening/open.ts';
import type {ToolStore} from '../../../src/store/port.ts';
import {Arrivals} from '../../../src/tools/import/arrivals.ts';
import {importLinks} from '../../../src/tools.ts';
import {collect} from '../collect.ts';
import type {Owner} from '../owner.ts';
import {intercepted, outage} from '../store-stub.ts';
import {exported, partsOf} from '../tools/text.ts';
import {clientOf, type Inputs, type Place, type Visit} from './observe.ts';

const day = 86_400_000;
const start = Date.parse('2026-11-20T09:30:00.250Z');

/** In the key of a link a domain of this length is a digest. */
const longDomain = `${'a-very-long-label-of-a-domain.'.repeat(5)}example`;
const [oldSecret, secret] = ['the secret with which the site began', 'the secret that the site has now, too'];
const options = {
  baseUrl: 'https://example.com',
  baseDomains: ['sho.rt', longDomain],
  secret: [secret, oldSecret],
};
const siteOptions = {...options, attribution: {}};

const url = 'https://destination.example/page';
const password = 'öffne dich';
const customer = 'Kundin 7/ä';

/** Every field. The compiler asks for new ones here. */
const everything: Required<CreateLink> = {
  url: 'https://müller.example/ä?b=c#d',
  customUrl: 'Everything',
  password,
  expiryDate: '2031-12-31',
  baseDomain: 'sho.rt',
  title: 'Title "one", ünd\u2028so',
  tags: ['mail', 'été', 'Ä "b"'],
  maxVisits: 1000,
  startDate: '2026-11-21',
  expiredUrl: 'https://expired.example/ä',
  forwardQuery: true,
  reuse: false,
  previewTitle: 'What others see, ünd "so"',
  previewDescription: 'In one sentence.',
  previewImage: 'https://müller.example/ä.png',
  reference: 'Auftrag 1/ä',
  confirm: true,
  utm: {source: 'mail', campaign: 'spring'},
  rules: [
    {device: 'ios', language: 'de', country: 'AT', from: '2026-11-01', until: '2031-01-31', url: `${url}?all`},
    {device: 'android', url: `${url}?android`},
    {language: 'de', url: 'https://müller.example/de'},
    {from: '2031-01-01', url: `${url}?later`},
  ],
};

const importedCsv = `short_part,long_url,visits,last_accessed,created,has_password
Imported,https://a.example/,1234,2026-01-02,2012-03-04,no
Locked,https://a.example/locked,7,,2012-03-05,yes
`;
const iphone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 Safari/604.1';

/**
 * Fills an empty store with everything that this version can store.
 *
 * @param reseed called before each step, so that it has its own random bytes
 */
export async function fillGolden(
  owner: Owner,
  place: Place,
  reseed: (step: string | undefined) => void = () => undefined,
): Promise<Inputs> {
  const clock = {now: start};
  const now = (): number => clock.now;
  let steps = 0;
  const step = async <Result>(run: () => Promise<Result>): Promise<Result> => {
    reseed(`step ${(steps += 1)}`);
    clock.now += 1234;
    return run();
  };

  reseed('first site');
  const first = shortUrl({...siteOptions, ...place, secret: oldSecret, now});
  // Clients take random bytes while they connect.
  await first.ready();
  await step(() => first.accounts.create('ann'));
  await first.close();

  reseed('site');
  const site = shortUrl({
    ...siteOptions,
    ...place,
    now,
    createQuota: 1000,
    visitDetails: (ctx) => ({referrer: ctx.get('Referer') || 'direct', country: ctx.get('X-Country') || 'none'}),
  });
  const client = await clientOf(owner, site);
  const {accounts, links, keys, admin, conversions} = site;
  const create = async (account: string, link: Partial<CreateLink>): Promise<string> =>
    (await step(() => links.create(account, {url, ...link}))).shortUrl;
  const visit = (short: string, headers = {}): Promise<unknown> => step(() => client.visit({short, headers}));

  for (const account of ['bob', 'jürgen:%', '42', 'gone', 'again', 'leaving', 'barred'])
    await step(() => accounts.create(account));
  const plain = await create('ann', {customUrl: 'Plain'});
  const full = await create('ann', everything);
  const used = await create('ann', {maxVisits: 2, expiredUrl: 'https://müller.example/over'});
  const limitedLater = await create('ann', {customUrl: 'Limited-later'});
  const disabled = await create('ann', {customUrl: 'Disabled', password});
  const blocked = await create('bob', {customUrl: 'Blocked', title: 'Of a blocked account'});
  const blockedToo = await create('ann', {customUrl: 'Blocked-too'});
  const removed = await create('ann', {customUrl: 'Removed'});
  const createdAgain = await create('ann', {customUrl: 'Created-again'});
  const cleared = await create('ann', {customUrl: 'Cleared', title: 'Cleared', tags: ['cleared'], maxVisits: 9});
  const long = await create('ann', {baseDomain: longDomain, customUrl: 'Plain', rules: everything.rules});
  await create('ann', {customUrl: 'Scheduled', startDate: '2031-01-01'});
  await create('ann', {customUrl: 'Expired', expiryDate: '2026-11-20'});
  const guessed = await create('ann', {customUrl: 'Guessed', password});
  const special = await create('jürgen:%', {baseDomain: 'sho.rt', customUrl: 'Plain', forwardQuery: false});
  const marked = await create('42', {customUrl: 'Unblocked'});
  const tested = await create('ann', {
    customUrl: 'Tested',
    rules: [
      {share: 30, name: 'Kürzer', url: `${url}?short`},
      {share: 20, url: `${url}?b`},
    ],
  });
  const reused = {url: `${url}?reused`, reuse: true};
  await create('ann', reused);
  for (const account of ['gone', 'again', 'leaving']) await visit(await create(account, {customUrl: `Of-${account}`}));

  for (const short of [plain, plain, used, used, limitedLater, limitedLater, cleared, long, special, marked]) {
    await visit(short);
  }
  for (const referrer of ['https://a.example/', 'Ünd % so: {"x"}', 'x'.repeat(100)]) {
    await visit(plain, {Referer: encodeURI(referrer), 'X-Country': 'AT'});
  }
  await visit(createdAgain);

  clock.now += day;
  await visit(plain, {'X-Country': 'DE'});
  await step(() => client.visit({short: full, password}));
  for (let attempt = 0; attempt < 4; attempt += 1) {
    await step(() => client.visit({short: guessed, password: `wrong ${attempt}`}));
  }
  await step(() => links.update('ann', limitedLater, {maxVisits: 3}));
  await step(() => links.update('ann', cleared, {title: null, tags: null, maxVisits: null}));
  await step(() => links.disable('ann', disabled));
  await step(() => links.remove('ann', removed));
  await step(() => links.remove('ann', createdAgain));
  await create('ann', {customUrl: 'Created-again', url: `${url}?again`});
  await step(() => admin.block(blockedToo, {reason: 'Spam, it seems'}));
  await step(async () => {
    const check = ({shortUrl}: {shortUrl: string}) =>
      shortUrl === plain ? ({result: 'broken', reason: 'Läuft nicht'} as const) : 'ok';
    for await (const {error} of admin.recheck(check)) if (error) throw error as Error;
  });
  await step(async () => {
    const listener = (): void => undefined;
    // With a listener, links that have expired are marked as announced.
    site.events.on('expired', listener);
    await collect(admin.sweep({expiredFor: 1000}));
    site.events.off('expired', listener);
  });
  await step(() => admin.blockAccount('bob', {reason: 'Unpaid'}));
  await step(() => admin.block(blocked));
  await step(() => admin.blockAccount('42'));
  await step(() => admin.unblockAccount('42'));

  const orders = [
    {name: 'order', id: 'Auftrag 1/ä', value: 4999, currency: 'EUR', customer},
    {name: 'order', id: 2, value: 300, currency: 'JPY'},
    {name: 'newsletter', id: 'ann@example.org'},
  ] as const;
  for (const [index, short] of [plain, tested, full].entries()) {
    const via = await step(() => client.via(short, short === full ? password : undefined));
    await step(() => conversions.record({via}, orders[index] ?? orders[0]));
  }
  await step(() => conversions.record({customer}, {name: 'renewal', id: 1, value: 1000}));
  await step(() => conversions.refund({name: 'order', id: orders[0].id, refund: 'Ä 1', value: 999}));
  const via = await step(() => client.via(plain));
  await step(() => conversions.identify({via}, 8));
  await step(() => links.share('ann', plain, {show: ['visits', 'conversions', 'amounts'], until: '2031-12-31'}));
  await step(() => links.share('ann', {tag: 'été'}));

  const idempotencyKey = 'once';
  const repeated = {url, customUrl: 'Once', title: 'Once'};
  await step(() => links.create('ann', repeated, {idempotencyKey}));
  const many = [{url: `${url}?many`}];
  await step(async () => {
    for await (const {error} of links.createMany('jürgen:%', many, {idempotencyKey})) if (error) throw error;
  });

  const apiKeys: Record<string, string> = {};
  apiKeys['rotated'] = (await accounts.apiKey('42')) ?? '';
  await step(() => accounts.rotate('42'));
  for (const scope of ['read', 'create', 'full'] as const) {
    apiKeys[scope] = (await step(() => keys.create('ann', {label: `Schlüssel "${scope}"`, scope}))).apiKey;
  }
  const revoked = await step(() => keys.create('ann', {label: 'revoked', scope: 'full'}));
  await step(() => keys.revoke('ann', revoked.id));
  apiKeys['revoked'] = revoked.apiKey;
  for (const account of ['ann', 'bob', 'gone']) apiKeys[account] = (await accounts.apiKey(account)) ?? '';
  await step(() => accounts.remove('gone'));
  await step(() => accounts.remove('again'));
  await step(() => accounts.create('again'));
  await step(() => admin.blockAccount('barred', {reason: 'Spam'}));
  await step(() => accounts.remove('barred'));
  await create('again', {customUrl: 'Of-again-2'});
  // A list marks the slots of links that it does not find.
  await step(() => links.tags('ann'));
  await site.close();

  await step(() =>
    importLinks({...options, ...place, account: 'jürgen:%', format: 'csv', file: partsOf(importedCsv), now}),
  );

  // Processes that were killed in the middle of their work.
  const half = {url, customUrl: 'Half'};
  const unfinished = {url: 'https://sho.rt/later', customUrl: 'Unfinished'};
  const killed = (
    at: RegExp,
    work: (services: Services<ToolStore>, ann: LiveAccount) => Promise<unknown>,
  ): Promise<void> => step(() => killWithin(place, now, at, work));
  await killed(/^insert "l:/, ({links: all}, ann) => all.create(ann, half, {idempotencyKey: 'half'}));
  await killed(/^replace "intent:/, ({links: all}, ann) => all.create(ann, unfinished, {idempotencyKey: 'unfinished'}));
  await killed(/^insert "l:/, (services, ann) => {
    const arriving = {line: 1, url, shortPart: 'Not-arrived', created: start, visits: 7, fields: {}};
    return new Arrivals(services, 0).importBatch(ann, [arriving]);
  });
  await killed(/"list:/, (services) => services.accounts.remove('leaving'));
  const begun = {name: 'order', id: 'begun', value: 100};
  await killed(/^count /, ({conversions: all}) => all.record({customer}, begun));
  const refund = {name: 'order', id: orders[0].id, refund: 'begun', value: 1};
  await killed(/^count /, ({conversions: all}) => all.refund(refund));
  // An export gives the site a name.
  await step(() => exported(place));
  reseed(undefined);

  return {
    // With this quota the account below can create one more link today, besides the repeat of `half`.
    options: {...siteOptions, createQuota: 4},
    now: clock.now,
    apiKeys,
    visits: [
      ...[
        plain,
        used,
        limitedLater,
        limitedLater,
        disabled,
        blocked,
        blockedToo,
        removed,
        cleared,
        special,
        marked,
        tested,
      ],
      ...[
        'Scheduled',
        'Expired',
        'Created-again',
        'Once',
        'Half',
        'Unfinished',
        'Of-gone',
        'Of-again',
        'Of-leaving',
        'Locked',
      ].map((slug) => `${options.baseUrl}/${slug}`),
    ]
      .map((short): Visit => ({short}))
      .concat(
        {short: `${special}?a=b`},
        {short: `${full}?a=b`},
        {short: `${full}?a=b`, password},
        {short: full, password, headers: {'User-Agent': iphone}},
        {short: full, password, headers: {'Accept-Language': 'de-AT,de;q=0.9'}},
        {short: long, headers: {'Accept-Language': 'de'}},
        {short: disabled, password},
        // The fifth wrong password, and then the right one.
        {short: guessed, password: 'wrong'},
        {short: guessed, password},
      ),
    repeats: [
      {account: 'ann', link: repeated, idempotencyKey},
      {account: 'ann', link: half, idempotencyKey: 'half'},
      {account: 'ann', link: unfinished, idempotencyKey: 'unfinished'},
      {account: 'ann', link: reused},
    ],
    customers: [customer, 8],
    conversions: [...orders, begun],
    refunds: [refund, {name: 'order', id: orders[0].id, refund: 'Ä 2'}],
    removed: 'barred',
    blocked: {links: [blocked, blockedToo], accounts: ['bob']},
    account: 'ann',
    leaving: 'leaving',
  };
}

/** Runs `work` until an operation of the store whose name and first argument match. Nothing is stored from then on. */
async function killWithin(
  {store: option, namespace, storeTimeout}: Place,
  now: () => number,
  at: RegExp,
  work: (services: Services<ToolStore>, ann: LiveAccount) => Promise<unknown>,
): Promise<void> {
  const store = openStore(option, {namespace, packing, timeout: storeTimeout, now});
  const life = {isOver: false};
  const mortal = intercepted(store, (operation, argument) => {
    life.isOver ||= at.test(`${operation} ${JSON.stringify(argument)}`);
    if (life.isOver) throw outage();
  }) as ToolStore;
  const {baseUrl, baseDomains, secret: secrets} = options;
  const services = buildServices(mortal, {bases: new Bases(baseUrl, baseDomains), secrets, now});
  const ann = await services.accounts.require('ann');
  const failure = await work(services, ann).catch((error: unknown) => error);
  await store.close();
  if (!life.isOver || !isUnavailable(failure)) throw new Error(`${String(at)} was never asked`, {cause: failure});
}
