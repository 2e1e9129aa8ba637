import {mock} from 'node:test';
import test, {type ExecutionContext} from 'ava';
import '../../support/quick-scrypt.ts';
import type {ShortUrlError} from '../../../src/index.ts';
import {accepted, redirects, refused} from '../../support/answers.ts';
import {type Options, type Site, startSite} from '../../support/site.ts';

const url = 'https://destination.example/page';

/** A callback that fails, and a function that makes it fail after it was called. */
type Failing = () => {callback: () => never; happen: () => Promise<void>};

const failures: Record<string, Failing> = {
  throws: () => ({
    callback: () => {
      throw new Error('the callback is broken');
    },
    happen: () => Promise.resolve(),
  }),
  'throws what is no Error': () => ({
    callback: () => {
      // eslint-disable-next-line @typescript-eslint/only-throw-error -- hosts do
      throw undefined;
    },
    happen: () => Promise.resolve(),
  }),
  rejects: () => ({
    callback: () => Promise.reject(new Error('the callback is broken')) as never,
    happen: () => Promise.resolve(),
  }),
  'never settles': () => {
    const {promise: called, resolve} = withResolvers();
    return {
      callback: () => {
        resolve();
        return new Promise(() => undefined) as never;
      },
      async happen() {
        await called;
        mock.timers.tick(5000);
      },
    };
  },
};

function withResolvers(): {promise: Promise<void>; resolve: () => void} {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => (resolve = settle));
  return {promise, resolve};
}

/** A site whose callback fails, and its reported errors. */
async function failing(t: ExecutionContext, make: Failing, options: (callback: () => never) => Partial<Options>) {
  const {callback, happen} = make();
  const site = await startSite(t, {shortUrl: options(callback)});
  const errors: ShortUrlError[] = [];
  site.shortener.events.on('error', (error) => errors.push(error));
  mock.timers.enable({apis: ['setTimeout']});
  t.teardown(() => {
    mock.timers.reset();
  });
  const during = async <Result>(ask: Promise<Result>): Promise<Result> => {
    await happen();
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

for (const [how, make] of Object.entries(failures)) {
  test.serial(`an allowUrl that ${how} answers 500, creates nothing and is reported`, async (t) => {
    const {site, errors, during} = await failing(t, make, (allowUrl) => ({allowUrl}));
    const message = refused(t, await during(site.api('create', {url, custom_url: 'spring'})), 'internal_error');
    t.notRegex(message, /broken|settle/);
    t.deepEqual(await site.list(), []);
    isReported(t, errors);
  });

  test.serial(`a visitor is redirected and counted although countVisit ${how}`, async (t) => {
    const {site, errors, during} = await failing(t, make, (countVisit) => ({countVisit}));
    const link = await site.create();
    redirects(t, await during(site.visit(link.short_url)), url);
    t.is((await site.info(link.short_url)).total_visits, 1);
    isReported(t, errors, /^The host's `countVisit` failed\. The visit was counted\.$/);
  });

  test.serial(`a visitor is redirected and counted without details although visitDetails ${how}`, async (t) => {
    const {site, errors, during} = await failing(t, make, (visitDetails) => ({visitDetails}));
    const link = await site.create();
    redirects(t, await during(site.visit(link.short_url)), url);
    t.like(await site.shortener.links.stats('user-42', link.short_url), {totalVisits: 1, details: {}});
    isReported(t, errors, /^The host's `visitDetails` failed\. The visit was counted without details\.$/);
  });

  for (const [name, status, open] of [
    ['password', 200, (site: Site) => openProtected(site)],
    ['gone', 410, (site: Site) => openDisabled(site)],
  ] as const) {
    test.serial(`the built-in page is shown when the page ${name} ${how}`, async (t) => {
      const {site, errors, during} = await failing(t, make, (page) => ({pages: {[name]: page}}));
      const reply = await during(open(site));
      t.is(reply.status, status);
      t.regex(reply.text, /^<!doctype html>/i);
      isReported(t, errors, new RegExp(`^The host's page \`${name}\` failed\\. The built-in page was shown\\.$`));
    });
  }
}

/** What a rule of JavaScript may return by mistake, and how the error describes it. */
const answersOfRules: ReadonlyArray<[answer: () => unknown, description: string]> = [
  [() => undefined, 'undefined'],
  [() => 1, '1'],
  [() => ({}), 'an object'],
  [() => Promise.resolve(undefined), 'undefined'],
  [() => Promise.resolve('yes'), 'a string of 3 characters'],
];

for (const [answer, description] of answersOfRules) {
  const isPromise = answer() instanceof Promise;
  const how = `that ${isPromise ? 'resolves with' : 'returns'} ${description} instead of a boolean`;
  const rule = () => ({callback: answer as () => never, happen: () => Promise.resolve()});

  test.serial(`an allowUrl ${how} is a fault of the host, and nothing is created`, async (t) => {
    const {site, errors} = await failing(t, rule, (allowUrl) => ({allowUrl}));
    refused(t, await site.api('create', {url}), 'internal_error');
    t.deepEqual(await site.list(), []);
    isReported(t, errors);
    t.like(errors[0]?.cause, {message: `Expected a boolean, got ${description}`});
  });
}

async function openProtected(site: Site) {
  return site.visit((await site.create({password: 's3cret'})).short_url);
}

async function openDisabled(site: Site) {
  const link = await site.create();
  await site.api('disable', {short_url: link.short_url});
  return site.visit(link.short_url);
}

const listeners: Record<string, () => unknown> = {
  throws: () => {
    throw new Error('the listener is broken');
  },
  rejects: () => Promise.reject(new Error('the listener is broken')),
  'never settles': () => new Promise(() => undefined),
  'returns a promise that throws': () => ({
    then: () => {
      throw new Error('the listener is broken');
    },
  }),
  'returns an object that throws when it is read': () => ({
    get then(): never {
      throw new Error('the listener is broken');
    },
  }),
};

for (const [how, listener] of Object.entries(listeners)) {
  test.serial(`listeners that ${how} affect nothing else`, async (t) => {
    const site = await startSite(t);
    for (const name of ['create', 'disable', 'enable', 'visit', 'denied'] as const) {
      site.shortener.events.on(name, listener);
    }
    const errors: ShortUrlError[] = [];
    site.shortener.events.on('error', (error) => errors.push(error));
    const link = accepted(t, await site.api('create', {url}));
    redirects(t, await site.visit(link.short_url), url);
    accepted(t, await site.api('disable', {short_url: link.short_url}));
    accepted(t, await site.api('enable', {short_url: link.short_url}));
    refused(t, await site.api('list_active_urls', {}, {key: 'wrong'}), 'invalid_api_key');
    t.is(errors.length, how === 'never settles' ? 0 : 5);
    t.true(errors.every(({code}) => code === 'internal_error'));
  });
}

test.serial("a failing error listener, and one of the host's app, affect nothing else", async (t) => {
  const site = await startSite(t, {
    shortUrl: {countVisit: failures['throws']?.().callback},
    downstream: async (ctx, next) => {
      ctx.app.once('error', () => {
        throw new Error('the app’s listener is broken');
      });
      await next();
    },
  });
  site.shortener.events.on('error', () => {
    throw new Error('the listener is broken');
  });
  const link = await site.create();
  redirects(t, await site.visit(link.short_url), url);
  t.is((await site.info(link.short_url)).total_visits, 1);
});
