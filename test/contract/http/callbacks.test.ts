import {setImmediate} from 'node:timers/promises';
import test, {type ExecutionContext} from 'ava';
import '../../support/quick-scrypt.ts';
import type {ShortUrlError} from '../../../src/index.ts';
import {accepted, redirects, refused} from '../../support/answers.ts';
import {type Options, type Site, startSite} from '../../support/site.ts';
import {spoil} from '../../support/spoil.ts';
import {stopTimeouts} from '../../support/stopped-timeouts.ts';

const url = 'https://destination.example/page';
const fault = new Error('the callback is broken');

function throwing(): never {
  throw fault;
}

const failures: Record<string, () => unknown> = {
  throws: throwing,
  'throws what is no Error': () => {
    // oxlint-disable-next-line typescript/only-throw-error -- hosts do
    throw undefined;
  },
  rejects: () => Promise.reject(fault),
  'never settles': () => new Promise(() => undefined),
};

/** A site whose callback fails, its reported errors, and a function that waits until the callback has failed. */
async function failing(t: ExecutionContext, fail: () => unknown, options: (callback: () => never) => Partial<Options>) {
  let tell: () => void = () => undefined;
  const called = new Promise<void>((resolve) => (tell = resolve));
  const callback = (): never => {
    tell();
    return fail() as never;
  };
  const site = await startSite(t, {shortUrl: options(callback)});
  const errors: ShortUrlError[] = [];
  site.shortener.events.on('error', (error) => errors.push(error));
  const timers = stopTimeouts(t);
  const during = async <Result>(ask: Promise<Result>): Promise<Result> => {
    await called;
    // A rejection comes before the time is over.
    await setImmediate();
    timers.tick(5000);
    return ask;
  };
  return {site, errors, during};
}

function isReported(t: ExecutionContext, errors: readonly ShortUrlError[], message = /./): void {
  t.deepEqual(
    errors.map(({code}) => code),
    ['internal_error'],
  );
  t.regex(errors[0]?.message ?? '', message);
  t.true(errors[0] !== undefined && 'cause' in errors[0]);
}

for (const [how, fail] of Object.entries(failures)) {
  test.serial(`an allowUrl that ${how} answers 500, creates nothing and is reported`, async (t) => {
    const {site, errors, during} = await failing(t, fail, (allowUrl) => ({allowUrl}));
    const message = refused(t, await during(site.api('create', {url, custom_url: 'spring'})), 'internal_error');
    t.notRegex(message, /broken|settle/);
    t.deepEqual(await site.list(), []);
    isReported(t, errors);
    if (how === 'throws' || how === 'rejects') t.is(errors[0]?.cause, fault);
  });

  for (const [option, result, counted] of [
    ['countVisit', 'The visit was counted', {referrer: [{value: 'direct', visits: 1}]}],
    ['visitDetails', 'The visit was counted without details', {}],
  ] as const) {
    test.serial(`a visitor is redirected and counted although ${option} ${how}`, async (t) => {
      const {site, errors, during} = await failing(t, fail, (callback) => ({[option]: callback}));
      const link = await site.create();
      redirects(t, await during(site.visit(link.short_url)), url);
      const {totalVisits, details} = await site.shortener.links.stats('user-42', link.short_url);
      t.deepEqual([totalVisits, details], [1, counted as typeof details]);
      isReported(t, errors, new RegExp(`^The host's \`${option}\` failed\\. ${result}\\.$`));
    });
  }

  for (const [name, status] of [
    ['password', 200],
    ['gone', 410],
  ] as const) {
    test.serial(`the built-in page is shown when the page ${name} ${how}`, async (t) => {
      const {site, errors, during} = await failing(t, fail, (page) => ({pages: {[name]: page}}));
      const {short_url} = await site.create({password: 's3cret'});
      if (name === 'gone') await site.api('disable', {short_url});
      const reply = await during(site.visit(short_url));
      t.is(reply.status, status);
      t.regex(reply.text, /^<!doctype html>/i);
      isReported(t, errors, new RegExp(`^The host's page \`${name}\` failed\\. The built-in page was shown\\.$`));
    });
  }
}

for (const [description, answer] of [
  ['undefined', () => undefined],
  ['an object', () => ({})],
  ['a string of 3 characters', () => Promise.resolve('yes')],
] as const) {
  test.serial(`an allowUrl that gives ${description} is a fault of the host, and nothing is created`, async (t) => {
    const {site, errors} = await failing(t, answer, (allowUrl) => ({allowUrl}));
    refused(t, await site.api('create', {url}), 'internal_error');
    t.deepEqual(await site.list(), []);
    isReported(t, errors);
    t.like(errors[0]?.cause, {message: `Expected a boolean, got ${description}`});
  });
}

const listeners: Record<string, () => unknown> = {
  ...failures,
  'returns a promise that throws': () => ({then: throwing}),
  'returns an object that throws when it is read': () => ({
    get then(): never {
      return throwing();
    },
  }),
};

async function useAll(t: ExecutionContext, site: Site): Promise<void> {
  const {short_url} = accepted(t, await site.api('create', {url}));
  redirects(t, await site.visit(short_url), url);
  for (const operation of ['disable', 'enable']) accepted(t, await site.api(operation, {short_url}));
  accepted(t, await site.api('update', {short_url, title: 'x'}));
  t.is((await site.info(short_url)).total_visits, 1);
  accepted(t, await site.api('remove', {short_url}));
  refused(t, await site.api('list_active_urls', {}, {key: 'wrong'}), 'invalid_api_key');
}

for (const [how, listener] of Object.entries(listeners)) {
  test.serial(`a listener that ${how} affects nothing else`, async (t) => {
    const site = await startSite(t);
    const names = ['create', 'visit', 'disable', 'enable', 'update', 'remove', 'denied'] as const;
    for (const name of names) site.shortener.events.on(name, listener);
    const errors: ShortUrlError[] = [];
    site.shortener.events.on('error', (error) => errors.push(error));
    await useAll(t, site);
    t.is(errors.length, how === 'never settles' ? 0 : names.length);
    t.true(errors.every(({code}) => code === 'internal_error'));
  });
}

test.serial("a failing error listener, and one of the host's app, affect nothing else", async (t) => {
  const site = await startSite(t, {
    shortUrl: {countVisit: throwing},
    downstream: async (ctx, next) => {
      ctx.app.once('error', throwing);
      await next();
    },
  });
  site.shortener.events.on('error', throwing);
  await useAll(t, site);
});

for (const maxVisits of [undefined, 10]) {
  const kind = maxVisits === undefined ? 'a link' : 'a link with a visit limit';
  test(`what callbacks and listeners do to ${kind} that they get changes neither the link nor its visits`, async (t) => {
    const seen: unknown[] = [];
    const note = (link: object): void => {
      seen.push(structuredClone(link));
      spoil(link);
    };
    const site = await startSite(t, {
      shortUrl: {
        countVisit: (_, link) => (note(link), true),
        destination: (_, link) => (note(link), undefined),
      },
    });
    site.shortener.events.on('visit', ({link, details}) => {
      note(link);
      spoil(details);
    });
    const [rule, utm] = [{device: 'ios', url: `${url}/ios`, name: 'phones'} as const, {source: 'mail'}];
    const given = {url, tags: ['z', 'a'], rules: [rule], utm, previewTitle: 'Spring', maxVisits, customUrl: 'kept'};
    await site.shortener.accounts.create(42);
    const link = await site.shortener.links.create(42, given);
    for (let visit = 0; visit < 3; visit += 1) redirects(t, await site.visit(link.shortUrl), `${url}?utm_source=mail`);
    const {totalVisits, lastAccessed, ...after} = await site.shortener.links.info(42, link.shortUrl);
    t.is(totalVisits, 3);
    t.truthy(lastAccessed);
    t.like(link, after);
    for (const each of seen) t.deepEqual(each, after);
  });
}
