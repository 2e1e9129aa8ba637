import '../../support/quick-scrypt.ts';
import test, {type ExecutionContext} from 'ava';
import {type CreateLink, type LinkStatus, type ShortUrl, shortUrl, ShortUrlError} from '../../../src/index.ts';
import {linkStatuses} from '../../../src/link/record.ts';
import {checkStore, copyStore} from '../../../src/tools.ts';
import {collect} from '../../support/collect.ts';
import {open, type Stage} from '../../support/dashboard.ts';
import {browserAgent, openAsPerson, viaOf} from '../../support/visitor.ts';

const secret = 'a secret of good length, for tests';
const destination = 'https://destination.example/spring';
const given: CreateLink = {url: destination, tags: ['mail'], reuse: true};
const day = 86_400_000;

/** A link in a state, and what every reader must agree on. */
interface State {
  /** Brings the link, which had one visit, into the state. */
  readonly bring: (stage: Stage, link: string) => Promise<unknown>;
  /** Undefined if it is no link of the account any more. */
  readonly status: LinkStatus | undefined;
  readonly isBlocked?: true;
  /** What its owner may not do, by the code. */
  readonly refusal?: 'account_blocked';
  /** The fields of the link besides the usual ones. */
  readonly fields?: CreateLink;
  /** The status of the answer to a HEAD. */
  readonly answer: number;
  /** How many more visitors are redirected; by default all or none. */
  readonly visits?: number;
}

const states: Readonly<Record<string, State>> = {
  active: {bring: () => Promise.resolve(), status: 'active', answer: 302},
  'left with one visit': {
    bring: () => Promise.resolve(),
    status: 'active',
    // A program that looks must not learn where it leads.
    answer: 200,
    visits: 1,
    fields: {...given, maxVisits: 2},
  },
  'marked as broken': {
    bring: ({shortener}) => collect(shortener.admin.recheck(() => 'broken')),
    status: 'active',
    answer: 302,
  },
  scheduled: {
    bring: ({shortener}, link) => shortener.links.update('ann', link, {startDate: '2031-05-08'}),
    status: 'scheduled',
    answer: 404,
  },
  expired: {
    bring: async ({shortener, clock}, link) => {
      await shortener.links.update('ann', link, {expiryDate: '2031-05-06'});
      clock.now += day;
    },
    status: 'expired',
    answer: 410,
  },
  'used up': {bring: () => Promise.resolve(), status: 'expired', answer: 410, fields: {...given, maxVisits: 1}},
  disabled: {
    bring: ({shortener}, link) => shortener.links.disable('ann', link),
    status: 'disabled',
    answer: 410,
  },
  'disabled and expired': {
    bring: async ({shortener, clock}, link) => {
      await shortener.links.update('ann', link, {expiryDate: '2031-05-06'});
      await shortener.links.disable('ann', link);
      clock.now += day;
    },
    status: 'disabled',
    answer: 410,
  },
  blocked: {
    bring: ({shortener}, link) => shortener.admin.block(link),
    status: 'disabled',
    isBlocked: true,
    answer: 410,
  },
  'found forbidden by a check': {
    bring: ({shortener}) => collect(shortener.admin.recheck(() => 'forbidden')),
    status: 'disabled',
    isBlocked: true,
    answer: 410,
  },
  'blocked with its account': {
    bring: ({shortener}) => shortener.admin.blockAccount('ann'),
    status: 'disabled',
    isBlocked: true,
    refusal: 'account_blocked',
    answer: 410,
  },
  'unblocked again': {
    bring: async ({shortener}, link) => {
      await shortener.admin.block(link);
      await shortener.admin.unblock(link);
    },
    status: 'active',
    answer: 302,
  },
  removed: {bring: ({shortener}, link) => shortener.links.remove('ann', link), status: undefined, answer: 410},
};

interface Scene extends Stage, State {
  readonly link: string;
  readonly urlId: number;
  readonly via: string;
  readonly store: Map<string, unknown>;
  readonly page: string;
  /** Another process with the same store. */
  readonly other: ShortUrl;
}

/** What an owner's call gives, or the code of its refusal. */
async function outcome<Value>(work: Promise<Value>): Promise<Value | string> {
  return work.catch((error: unknown) => {
    if (error instanceof ShortUrlError) return error.code;
    throw error;
  });
}

async function scene(t: ExecutionContext, state: State): Promise<Scene> {
  const store = new Map<string, unknown>();
  const options = {store, secret, attribution: {}} as const;
  const stage = await open(t, {shortUrl: options});
  const {shortener, origin, clock} = stage;
  const {shortUrl: link, urlId} = await shortener.links.create('ann', state.fields ?? given);
  const visited = await openAsPerson(link);
  const via = viaOf(visited.headers.getSetCookie()[0]) ?? '';
  const {url} = await shortener.links.share('ann', link);
  await state.bring(stage, link);
  const other = shortUrl({baseUrl: origin, ...options, now: () => clock.now});
  t.teardown(() => other.close());
  return {...stage, ...state, link, urlId, via, store, page: new URL(url, origin).href, other};
}

const numbers = {from: '2031-05-01'};

/** What finds links by their status: how many there are. */
const finders: ReadonlyArray<(scene: Scene, status: LinkStatus) => Promise<number>> = [
  async ({shortener}, status) => (await shortener.links.page('ann', {status})).links.length,
  async ({shortener}, status) => (await shortener.links.page('ann', {status, tag: 'mail'})).links.length,
  async ({shortener}, status) => (await shortener.links.page('ann', {status, order: 'visits'})).links.length,
  async ({shortener}, status) => (await shortener.links.page('ann', {status, search: 'spring'})).links.length,
  async ({shortener}, status) => (await collect(shortener.links.list('ann', {status}))).length,
  async ({shortener}, status) => (await shortener.links.compare('ann', {status})).links,
  async ({shortener}, status) => (await shortener.links.compareTags('ann', {status, ...numbers})).links,
  async ({shortener}, status) => (await shortener.links.compare('ann', {status})).visits,
  async ({shortener}, status) => (await shortener.accounts.stats('ann', {status})).links,
  async ({shortener}, status) => (await shortener.accounts.stats('ann', {status, ...numbers})).totalVisits,
  async ({visitor, link}, status) => Number((await visitor('ann').get(`?status=${status}`)).text.includes(`"${link}"`)),
  async ({visitor, link}, status) =>
    Number((await visitor('ann').get(`links.csv?status=${status}`)).text.includes(link)),
];

for (const [name, state] of Object.entries(states)) {
  test(`a link that is ${name} is found by its status, and by no other one`, async (t) => {
    const found = await scene(t, state);
    for (const status of linkStatuses) {
      const expected = Number(status === state.status);
      // A blocked account has pages that say so.
      for (const [index, find] of finders.entries()) {
        const counted = await outcome(find(found, status));
        if (state.refusal === undefined) t.is(counted, expected, `${index} ${status}`);
        else
          t.true(
            [0, expected, state.refusal].some((each) => each === counted),
            `${index} ${status}: ${counted}`,
          );
      }
      const {links} = await found.shortener.admin.pageLinks({status});
      t.is(links.length, expected, status);
    }
    const {admin, links} = found.shortener;
    t.is((await admin.pageLinks({status: 'blocked'})).links.length, state.isBlocked ? 1 : 0);
    if (state.refusal === undefined)
      t.is((await collect(links.listActive('ann'))).length, state.status === 'active' ? 1 : 0);
  });

  test(`a link that is ${name} leads where its status says, in every process and whoever asks`, async (t) => {
    const {shortener, link, answer, other, store, origin, visits} = await scene(t, state);
    const most = visits ?? (answer === 302 ? 3 : 0);
    const head = await fetch(link, {method: 'HEAD', redirect: 'manual'});
    t.is(head.status, answer);
    t.is(head.headers.get('location'), answer === 302 ? destination : null);
    const preview = await fetch(`${link}+`, {headers: {'User-Agent': browserAgent}});
    t.is((await preview.text()).includes('destination.example'), answer === 302);
    const before = await visitsOf(shortener);
    for (const number of [1, 2, 3]) {
      const visit = await openAsPerson(link);
      t.is(visit.headers.get('location'), number <= most ? destination : null);
      t.is(viaOf(visit.headers.getSetCookie()[0]) !== undefined, number <= most);
    }
    t.is((await visitsOf(other)) - before, most);
    // No link may lead to it, whatever its state.
    await shortener.accounts.create('bob');
    t.is(await outcome(shortener.links.create('bob', {url: link})), 'forbidden_url');
    const {findings} = await checkStore({store, secret, baseUrl: origin});
    t.deepEqual(
      findings.filter(({severity}) => severity === 'problem'),
      [],
    );
  });

  test(`a link that is ${name} is given again by reuse, enabled, changed and shared only where that may be`, async (t) => {
    const {shortener, link, urlId, page, status, isBlocked, refusal} = await scene(t, state);
    const {links} = shortener;
    t.is((await fetch(page)).status, status === undefined || isBlocked ? 404 : 200);
    const part = new URL(link).pathname.slice(1);
    t.is(
      await outcome(links.create('ann', {url: destination, customUrl: part}).then(() => 'made')),
      refusal ?? (status === undefined ? 'made' : 'custom_url_taken'),
    );
    const again = await outcome(links.create('ann', state.fields ?? given));
    if (refusal !== undefined) t.is(again, refusal);
    else if (typeof again === 'string') t.fail(again);
    else {
      t.is(again.urlId === urlId, status === 'active');
      t.is(again.status, 'active');
    }
    if (status === undefined) return;
    const changed = await outcome(links.update('ann', link, {title: 'New'}).then(({title}) => title));
    t.is(changed, refusal ?? (isBlocked ? 'link_blocked' : 'New'));
    const enabled = await outcome(links.enable('ann', link).then((info) => info.status));
    const isOver = name.endsWith('expired') || name === 'used up';
    t.is(
      enabled,
      refusal ?? (isBlocked ? 'link_blocked' : isOver ? 'link_expired' : status === 'disabled' ? 'active' : status),
    );
  });

  test(`a link that is ${name} is shown in the same state in every form, and in a copy`, async (t) => {
    const {shortener, link, store, status, isBlocked, refusal, origin, clock, via, other} = await scene(t, state);
    const found = await shortener.conversions.find({via});
    t.is(found?.account, status === undefined ? undefined : 'ann');
    const recorded = await shortener.conversions.record({via}, {name: 'order', id: 1, value: 5});
    t.is(recorded?.link.status, status ?? 'removed');
    const copied = new Map<string, unknown>();
    await other.close();
    await shortener.close();
    await copyStore({from: store, to: copied});
    const options = {baseUrl: origin, secret, attribution: {}, now: () => clock.now};
    for (const each of [store, copied]) {
      const site = shortUrl({...options, store: each});
      t.teardown(() => site.close());
      const owned = (await site.admin.pageLinks({})).links;
      t.deepEqual(
        owned.map((item) => [item.link.status, item.link.isBlocked ?? item.link.isAccountBlocked]),
        status === undefined ? [] : [[status, isBlocked]],
      );
      const info = await outcome(site.links.info('ann', link).then((shown) => shown.status));
      t.is(info, refusal ?? status ?? 'unknown_short_url');
    }
  });
}

/** Fields that change how visitors are answered. */
const others: readonly CreateLink[] = [
  {url: destination, password: 'sesame'},
  {url: destination, confirm: true},
  {url: destination, expiredUrl: 'https://over.example/'},
  {url: destination, expiredUrl: 'https://over.example/', password: 'sesame'},
  {url: destination, rules: [{device: 'desktop', url: destination}]},
  {url: destination, forwardQuery: true, previewTitle: 'A card'},
];

/** How visitors and programs ask. */
const requests: readonly RequestInit[] = [
  {},
  {method: 'HEAD'},
  {method: 'POST', body: new URLSearchParams({password: 'sesame'})},
  {method: 'POST', body: new URLSearchParams({})},
  {headers: {'User-Agent': 'Twitterbot/1.0'}},
  {headers: {'Sec-Purpose': 'prefetch'}},
];

for (const [name, state] of Object.entries(states)) {
  if (state.status === 'active') continue;
  test(`a link that is ${name} leads nowhere, whatever its fields and whoever asks`, async (t) => {
    for (const fields of others) {
      const {link, shortener} = await scene(t, {...state, fields: {...state.fields, ...fields}});
      const {password, confirm, expiredUrl = null} = fields;
      const isUnused = name === 'used up' && (password !== undefined || confirm === true);
      // The visitor before was asked for the password, or to press a button.
      if (isUnused) continue;
      const before = await visitsOf(shortener);
      for (const request of requests) {
        const {headers, ...rest} = request;
        const reply = await fetch(link, {
          redirect: 'manual',
          ...rest,
          headers: {'User-Agent': browserAgent, ...(headers as Record<string, string> | undefined)},
        });
        const what = JSON.stringify([fields, request.method, headers]);
        const location = reply.headers.get('location');
        t.true(location === null || (state.status === 'expired' && location === expiredUrl), `${what} ${location}`);
        if (request.method === undefined && headers === undefined && state.status === 'expired')
          t.is(location, expiredUrl);
        t.false((await reply.text()).includes(destination), what);
        t.is(reply.headers.getSetCookie().length, 0, what);
      }
      t.is(await visitsOf(shortener), before);
    }
  });
}

async function visitsOf({admin}: ShortUrl): Promise<number> {
  return (await admin.stats()).totalVisits;
}
