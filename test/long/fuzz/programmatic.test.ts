import test from 'ava';
import fc, {type Arbitrary} from 'fast-check';
import {
  type CreateKey,
  type CreateOptions,
  type LinkFilter,
  type LinkQuery,
  shortUrl,
  ShortUrlError,
  type UpdateLink,
} from '../../../src/index.ts';
import {eachOf} from '../../support/engines/each.ts';
import {engines, freshOn} from '../../support/engines/engines.ts';
import {inherited, text} from './texts.ts';

const onEach = await eachOf(engines);
const url = 'https://destination.example/page';

/** Values of wrong types. */
const anything = fc.oneof(
  text,
  fc.anything({withBigInt: true, withDate: true, withMap: true, withNullPrototype: true, withTypedArray: true}),
  fc.constantFrom<unknown>(undefined, null, Symbol('x'), () => url, new Proxy({}, {get: () => 'x'})),
);

/** Account names that are easily confused with each other or with internal names. */
const ids: Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    ...inherited,
    'user',
    'User',
    'USER',
    'user ',
    ' user',
    'user\0',
    'user\n',
    'üser',
    'u\u0308ser',
    '%75ser',
  ),
  fc.constantFrom(
    'a:b',
    'a',
    'a:',
    ':a',
    '*',
    '?',
    '%',
    '_',
    '{user}',
    'user:1',
    '1',
    '1.0',
    '01',
    "' or ''='",
    '\\',
    '\\\\',
  ),
  fc.constantFrom(
    'x'.repeat(255),
    `${'x'.repeat(254)}y`,
    '😀'.repeat(127),
    '\u2028',
    '\ufffe',
    '\u{10ffff}',
    'ß',
    'ss',
    'ﬀ',
  ),
  text.filter((value) => value !== '' && value.length <= 255),
);

const fields = {
  url: fc.oneof({weight: 3, arbitrary: fc.constant(url)}, {weight: 1, arbitrary: anything}),
  customUrl: fc.oneof(fc.stringMatching(/^[\w-]{1,12}$/), fc.constantFrom(...inherited), anything),
  // Hashing takes a tenth of a second.
  password: anything.filter((value) => typeof value !== 'string' || value === '' || value.length > 128),
  expiryDate: fc.oneof(fc.constant('9999-12-31'), anything),
  baseDomain: fc.oneof(fc.constant('example.com'), anything),
  title: fc.oneof(fc.constant('Spring'), anything),
  tags: fc.oneof(
    fc.constant(['mail']),
    fc.array(fc.oneof(fc.constantFrom('a', 'b'), anything), {maxLength: 3}),
    anything,
  ),
  maxVisits: fc.oneof(fc.constantFrom(1, 2, 1e9), fc.double(), anything),
  startDate: fc.oneof(fc.constantFrom('2031-05-06', '9999-12-31'), anything),
  expiredUrl: fc.oneof(fc.constant(url), anything),
  forwardQuery: fc.oneof(fc.boolean(), anything),
  rules: fc.oneof(
    fc.array(fc.oneof(fc.record({device: fc.oneof(fc.constant('ios'), anything), url: fc.constant(url)}), anything), {
      maxLength: 3,
    }),
    anything,
  ),
};
const {
  url: anyUrl,
  password: anyPassword,
  expiryDate,
  title,
  tags,
  maxVisits,
  startDate,
  expiredUrl,
  forwardQuery,
  rules,
} = fields;
const orNull = (value: Arbitrary<unknown>): Arbitrary<unknown> => fc.option(value, {freq: 3});
const changes = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record(
      {
        url: anyUrl,
        password: orNull(anyPassword),
        expiryDate: orNull(expiryDate),
        title: orNull(title),
        tags: orNull(tags),
        maxVisits: orNull(maxVisits),
        startDate: orNull(startDate),
        expiredUrl: orNull(expiredUrl),
        forwardQuery: orNull(forwardQuery),
        rules: orNull(rules),
      },
      {requiredKeys: []},
    ),
  },
  {weight: 1, arbitrary: anything},
);
const queries = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record(
      {
        status: fc.oneof(fc.constantFrom('active', 'disabled', 'expired', 'scheduled'), anything),
        tag: fc.oneof(fc.constantFrom('mail', 'a'), anything),
        search: fc.oneof(fc.constantFrom('DEST', 'x'), anything),
        order: fc.oneof(fc.constantFrom('newest', 'oldest'), anything),
        limit: fc.oneof(fc.constantFrom(1, 2, 1000), anything),
      },
      {requiredKeys: []},
    ),
  },
  {weight: 1, arbitrary: anything},
);
const wishes = fc.oneof(
  {weight: 6, arbitrary: fc.record(fields, {requiredKeys: []})},
  {
    weight: 2,
    arbitrary: fc.tuple(fc.record(fields, {requiredKeys: []}), fc.constantFrom(...inherited, 'x'), anything).map(add),
  },
  {weight: 1, arbitrary: anything},
);

interface ManyResult {
  readonly error?: ShortUrlError | undefined;
}

const options = fc.oneof(
  fc.record({idempotencyKey: fc.oneof(fc.constantFrom('a', 'b'), anything)}, {requiredKeys: []}),
  anything,
);
const labelledKeys = fc.oneof(
  fc.record({
    label: fc.oneof(fc.constant('Newsletter'), anything),
    scope: fc.oneof(fc.constantFrom('read', 'full'), anything),
  }),
  anything,
);

function add([wish, name, value]: [object, string, unknown]): object {
  return Object.defineProperty(wish, name, {value, enumerable: true, configurable: true});
}

/** Whether the call succeeded or was refused with an error for the caller. */
async function isDecent(attempt: () => Promise<unknown>): Promise<boolean> {
  try {
    await attempt();
    return true;
  } catch (error) {
    if (error instanceof ShortUrlError && error.status < 500) return true;
    throw error;
  }
}

async function readResults(results: AsyncIterable<ManyResult>): Promise<void> {
  for await (const {error} of results) if (error !== undefined && error.status >= 500) throw error;
}

async function readAll(links: AsyncIterable<{shortUrl: string}>): Promise<string[]> {
  const read: string[] = [];
  for await (const link of links) read.push(link.shortUrl);
  return read;
}

onEach((check) => {
  check('accounts with different names are independent, whatever the names', async (t, engine) => {
    const shortener = shortUrl({baseUrl: 'https://example.com', ...(await freshOn(engine, t))});
    t.teardown(() => shortener.close());
    const {accounts, links} = shortener;
    const keys = new Map<string, string>();
    await fc.assert(
      fc.asyncProperty(ids, async (id) => {
        const isNew = !keys.has(id);
        const {apiKey} = await accounts.create(id);
        const listed = await readAll(links.list(id));
        const isOwn = isNew ? listed.length === 0 && ![...keys.values()].includes(apiKey) : keys.get(id) === apiKey;
        keys.set(id, apiKey);
        const {shortUrl: made} = await links.create(id, {url});
        return isOwn && (await accounts.apiKey(id)) === apiKey && (await readAll(links.list(id))).at(-1) === made;
      }),
      {numRuns: engine.name === 'memory' ? 500 : 60},
    );
    for (const [id, key] of keys) t.is(await accounts.apiKey(id), key, JSON.stringify(id));
  });

  check('links are created, changed and listed, or refused with a code, whatever the arguments', async (t, engine) => {
    const shortener = shortUrl({baseUrl: 'https://example.com', ...(await freshOn(engine, t))});
    t.teardown(() => shortener.close());
    const {accounts, links, keys, admin, events} = shortener;
    await accounts.create('mine');
    const {shortUrl: kept} = await links.create('mine', {url});
    events.on('error', (error) => {
      t.fail(String(error.cause));
    });
    await fc.assert(
      fc.asyncProperty(
        wishes,
        changes,
        queries,
        anything,
        options,
        labelledKeys,
        fc.constantFrom('info', 'stats', 'disable', 'enable', 'remove'),
        async (wish, change, query, value, option, key, operation) => {
          await isDecent(() => links.create('mine', wish as {url: string}));
          await isDecent(() => links.create('mine', wish as {url: string}, option as CreateOptions));
          await isDecent(() => readResults(links.createMany('mine', [wish, wish] as never, option as CreateOptions)));
          await isDecent(() => readResults(links.createMany('mine', value as never)));
          await isDecent(() =>
            readResults(links.updateMany('mine', [{shortUrl: kept, changes: change}, value] as never)),
          );
          await isDecent(() => keys.create('mine', key as CreateKey));
          await isDecent(() => keys.revoke('mine', value as string));
          await isDecent(() => admin.block(kept, value as object));
          await isDecent(() => admin.unblock(kept));
          await isDecent(() => links[operation]('mine', value as string));
          await isDecent(() => links.pageActive('mine', value as object));
          await isDecent(() => links.update('mine', kept, change as UpdateLink));
          await isDecent(() => links.page('mine', query as LinkQuery));
          await isDecent(() => links.list('mine', query as LinkFilter).next());
          await isDecent(() => links.pageActive('mine', {limit: value, cursor: value} as object));
          return true;
        },
      ),
      {numRuns: engine.name === 'memory' ? 1000 : 60},
    );
    // A valid create still succeeds.
    const {shortUrl: last} = await links.create('mine', {url});
    const listed = await readAll(links.list('mine'));
    t.is(listed.at(-1), last);
    for (const shortUrl of listed) t.regex(shortUrl, /^https:\/\/example\.com\/[\w-]{1,64}$/);
  });
});

test('an invalid account name is a TypeError in every method', async (t) => {
  const shortener = shortUrl({baseUrl: 'https://example.com', store: 'memory:'});
  t.teardown(() => shortener.close());
  const {accounts, links} = shortener;
  const none = fc.oneof(
    anything.filter((value) => typeof value !== 'string' && !Number.isSafeInteger(value)),
    fc.constantFrom('', 'x'.repeat(256), '\ud800', 'a\udfff'),
  );
  await fc.assert(
    fc.asyncProperty(none, async (value) => {
      const id = value as string;
      const attempts: Array<() => Promise<unknown>> = [
        () => accounts.create(id),
        () => accounts.apiKey(id),
        () => accounts.rotate(id),
        () => accounts.remove(id),
        () => links.create(id, {url}),
        () => links.info(id, 'https://example.com/x'),
        () => readAll(links.list(id)),
      ];
      const outcomes = await Promise.allSettled(attempts.map((attempt) => attempt()));
      return outcomes.every((outcome) => outcome.status === 'rejected' && outcome.reason instanceof TypeError);
    }),
    {numRuns: 50},
  );
  t.pass();
});
