import {runInNewContext} from 'node:vm';
import test from 'ava';
import '../../support/quick-scrypt.ts';
import Koa from 'koa';
import {shortUrl} from '../../../src/index.ts';
import {FailingAdapter} from '../../support/failing-adapter.ts';
import {startSite} from '../../support/site.ts';
import {memory, mounts} from '../../support/worlds.ts';

const destination = 'https://destination.example/page';
const secret = 'a-secret-of-good-length-0123456789';

test('anything but a 404 that the host throws is passed on unchanged, also a value that is not an Error', async (t) => {
  const shortener = shortUrl({baseUrl: 'https://example.com', store: 'memory:'});
  await shortener.accounts.create('user-42');
  await shortener.links.create('user-42', {url: destination, customUrl: 'spring'});
  const app = new Koa();
  for (const thrown of [
    null,
    undefined,
    'a text',
    404,
    {status: 403},
    {statusCode: 404},
    Object.assign(() => undefined, {status: 404}),
    Object.assign(new Error('not allowed'), {status: 405}),
  ]) {
    const ctx = app.createContext(
      {method: 'GET', url: '/spring', headers: {host: 'example.com'}, socket: {}} as never,
      {getHeaderNames: () => [], setHeader: () => undefined} as never,
    );
    const next = async (): Promise<never> => {
      // oxlint-disable-next-line typescript/only-throw-error -- hosts do
      throw thrown;
    };
    const caught = await Promise.resolve(shortener(ctx, next)).then(
      () => 'nothing',
      (error: unknown) => error,
    );
    t.is(caught, thrown);
  }
  await shortener.close();
});

const errorWith = (fields: object) => () => Object.assign(new Error(), fields);
const thrown: Record<string, () => unknown> = {
  'an error with status 404': errorWith({status: 404}),
  'an error with statusCode 404 and status 0': errorWith({status: 0, statusCode: 404}),
  'an error with statusCode 404 and status 403': errorWith({status: 403, statusCode: 404}),
  'an error whose status is a text': errorWith({status: '404'}),
  'an error of another realm with status 404': () =>
    runInNewContext('Object.assign(new Error(), {status: 404})') as unknown,
  'an object with status 404': () => ({status: 404}),
  'a missing file': errorWith({code: 'ENOENT'}),
  'a missing file with status 403': errorWith({code: 'ENOENT', status: 403}),
};
for (const name of ['at the root on Koa 3', 'on Koa 2'] as const) {
  test(`${name} a redirect says that it has no body, so that the connection can be used again`, async (t) => {
    const site = await startSite(t, {world: {backend: memory, mount: mounts[name]}});
    const {headers} = await site.visit((await site.create()).short_url);
    t.like(headers, {location: destination, 'content-length': '0'});
  });

  for (const [what, make] of Object.entries(thrown)) {
    test(`${name} a link answers in place of ${what} if Koa treats that as a 404`, async (t) => {
      const site = await startSite(t, {
        world: {mount: mounts[name], backend: memory},
        downstream() {
          throw make();
        },
      });
      const {status} = await site.visit(`${site.baseUrl}/no-link`);
      t.is((await site.visit((await site.create()).short_url)).status, status === 404 ? 302 : status);
    });
  }
}

test('a 404 that the host throws does not hide an outage', async (t) => {
  const adapter = new FailingAdapter();
  const site = await startSite(t, {
    shortUrl: {store: adapter as never, secret},
    downstream: (ctx) => ctx.throw(404),
  });
  adapter.isDown = true;
  t.is((await site.visit(`${site.baseUrl}/unseen`)).status, 503);
  adapter.isDown = false;
});

for (const mount of ['at the root on Koa 3', 'with defer: false'] as const) {
  test(`${mount}: an unreadable record of a link is a fault, and not an outage`, async (t) => {
    const records = new Map<string, unknown>();
    const site = await startSite(t, {
      world: {mount: mounts[mount], backend: memory},
      shortUrl: {store: records, secret},
    });
    const errors: string[] = [];
    site.shortener.events.on('error', ({code}) => errors.push(code));
    await site.create({custom_url: 'spring'});
    const key = [...records.keys()].find((name) => name.endsWith(':spring}')) ?? '';
    records.set(key, 'no record');
    const reply = await site.visit(`${site.baseUrl}/spring`);
    t.is(reply.status, 500);
    t.is(reply.headers['retry-after'], undefined);
    t.deepEqual(errors, ['internal_error']);
  });
}
