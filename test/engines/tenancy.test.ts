import test from 'ava';
import '../support/quick-scrypt.ts';
import fc from 'fast-check';
import {shortUrl, ShortUrlError} from '../../src/index.ts';
import {collect} from '../support/collect.ts';
import {eachOf, protocolEngines} from '../support/engines/each.ts';
import {openedOn} from '../support/engines/engines.ts';
import type {Reply} from '../support/request.ts';
import {type Site, startSite} from '../support/site.ts';

const onEach = await eachOf(protocolEngines);
const url = 'https://destination.example/page';
const operations = ['info', 'disable', 'enable', 'stats', 'remove'] as const;
const ways: ReadonlyArray<(shortUrl: string) => string> = [
  (shortUrl) => shortUrl,
  (shortUrl) => shortUrl.replace('https://example.com', 'http://EXAMPLE.COM:8080'),
];

/** Short URLs of the same length that do not belong to `user-42`, for various reasons. The last one is unknown. */
async function notMine(site: Site): Promise<string[]> {
  const {accounts, links} = site.shortener;
  const {apiKey: theirs} = await accounts.create('user-43');
  const of = (customUrl: string) => ({url, customUrl});
  await links.create('user-43', of('active'));
  await links.create('user-43', of('turned'));
  await links.disable('user-43', 'https://example.com/turned');
  await links.create('user-43', {...of('past00'), expiryDate: '2031-05-06'});
  await links.create('user-43', {...of('locked'), password: 's3cret'});
  await links.create('user-43', {url: `https://destination.example/${'é'.repeat(2000)}`, customUrl: 'longer'});
  await accounts.create('user-44');
  await links.create('user-44', of('orphan'));
  await accounts.remove('user-44');
  // An account created again under its name is another account.
  await links.create('user-42', of('former'));
  await accounts.remove('user-42');
  site.key = (await accounts.create('user-42')).apiKey;
  site.clock.set('2031-05-08T12:00:00Z');
  await site.create({custom_url: 'mine00'}, {key: theirs});
  return ['active', 'turned', 'past00', 'locked', 'longer', 'orphan', 'former', 'mine00', 'nobody'].map(
    (slug) => `https://example.com/${slug}`,
  );
}

/** Everything in an answer but its Date. */
function whole({status, headers, text}: Reply): string {
  return JSON.stringify([status, {...headers, date: undefined}, text]);
}

onEach((check) => {
  check(
    "the answer about another account's short URL is the same, byte by byte, as about an unknown one",
    async (t, engine) => {
      const site = await startSite(t, {shortUrl: await openedOn(engine, t)});
      const shortUrls = await notMine(site);
      for (const operation of operations) {
        for (const suffix of ['.json', '.xml']) {
          for (const way of ways) {
            const replies: string[] = [];
            for (const shortUrl of shortUrls)
              replies.push(whole(await site.api(operation, {short_url: way(shortUrl)}, {suffix})));
            t.regex(replies[0] ?? '', /unknown_short_url/);
            t.deepEqual([...new Set(replies)], replies.slice(-1));
          }
        }
        const errors = await Promise.all(
          shortUrls.map((shortUrl) =>
            site.shortener.links[operation]('user-42', shortUrl).catch((error: unknown) => error),
          ),
        );
        const told = errors.map((error) =>
          error instanceof ShortUrlError
            ? JSON.stringify([error.code, error.message, Object.entries(error)])
            : 'no error',
        );
        t.deepEqual([...new Set(told)], told.slice(-1));
      }
    },
  );

  check('no operation of one account changes or shows anything of another', async (t, engine) => {
    const shortener = shortUrl({
      baseUrl: 'https://example.com',
      baseDomains: ['sho.rt'],
      ...(await openedOn(engine, t)),
    });
    t.teardown(() => shortener.close());
    const {accounts, links} = shortener;
    const names = ['one', 'two', 'three'];
    for (const name of names) await accounts.create(name);
    const slugs = ['a', 'b', 'A', 'constructor', 'x1', 'x2'];

    async function everythingOf(account: string): Promise<string> {
      const all = [
        await accounts.apiKey(account),
        await links.pageActive(account),
        await links.page(account),
        await collect(links.list(account)),
      ];
      return JSON.stringify(all);
    }

    const step = fc.record({
      account: fc.constantFrom(...names),
      act: fc.constantFrom('create', 'create', 'update', ...operations, 'list', 'rotate', 'end'),
      customUrl: fc.constantFrom(...slugs),
      baseDomain: fc.constantFrom('example.com', 'sho.rt'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, {minLength: 5, maxLength: 12}), async (steps) => {
        for (const {account, act, customUrl, baseDomain} of steps) {
          const others = names.filter((name) => name !== account);
          const before = await Promise.all(others.map(everythingOf));
          const shortUrl = `https://${baseDomain}/${customUrl}`;
          try {
            if (act === 'create') await links.create(account, {url, customUrl, baseDomain});
            else if (act === 'list') await everythingOf(account);
            else if (act === 'rotate') await accounts.rotate(account);
            else if (act === 'end') await accounts.remove(account);
            else if (act === 'update')
              await links.update(account, shortUrl, {title: account, url: `${url}/${account}`});
            else await links[act](account, shortUrl);
          } catch (error) {
            if (!(error instanceof ShortUrlError) || error.status >= 500) throw error;
          }
          if (act === 'end') await accounts.create(account);
          t.deepEqual(await Promise.all(others.map(everythingOf)), before, JSON.stringify({account, act, shortUrl}));
        }
      }),
      {numRuns: engine.name === 'memory' ? 100 : 8},
    );
  });
});

/** Records each access with the kind of its record. */
class RecordingMap extends Map<string, unknown> {
  asked: string[] = [];

  override get(key: string): unknown {
    this.#note('get', key);
    return super.get(key);
  }

  override has(key: string): boolean {
    this.#note('has', key);
    return super.has(key);
  }

  override set(key: string, value: unknown): this {
    // The constructor of Map calls `set` before the fields exist.
    this.#note('set', key);
    return super.set(key, value);
  }

  override delete(key: string): boolean {
    this.#note('delete', key);
    return super.delete(key);
  }

  /** At most once a second the process looks whether the store has lost its data, whoever asks. */
  #note(operation: string, key: string): void {
    if (!key.endsWith(':format')) this.asked.push(`${operation} ${key.split(':')[1] ?? ''}`);
  }
}

test('a rotated key, like any invalid key, gets the same answer as one that never existed', async (t) => {
  const records = new RecordingMap();
  const store = {store: records, secret: 'a secret for tests, and for nothing else', keyAttempts: 100};
  const site = await startSite(t, {shortUrl: store});
  // Otherwise the first call would also check the secret, beside its answer.
  await site.shortener.ready();
  const {accounts} = site.shortener;
  const {apiKey: removed} = await accounts.create('user-43');
  await accounts.remove('user-43');
  const {apiKey: rotated} = await accounts.create('user-44');
  await accounts.rotate('user-44');
  const position = rotated.slice(32);
  const keys = [rotated, `${'x'.repeat(32)}${position}`, removed, 'x'.repeat(32)];
  const tries: Array<{asked: string[]; reply: string}> = [];
  for (const key of keys) {
    records.asked = [];
    const reply = whole(await site.call('list_active_urls', {key}));
    tries.push({asked: records.asked, reply});
  }
  t.deepEqual(tries[0], tries[1]);
  t.is(new Set(tries.map(({reply}) => reply)).size, 1);
});
