import {inspect} from 'node:util';
import test, {type ExecutionContext} from 'ava';
import '../support/quick-scrypt.ts';
import {shortUrl} from '../../src/index.ts';
import {eachOf} from '../support/engines/each.ts';
import {engines, freshOn} from '../support/engines/engines.ts';
import {secretsIn} from '../support/secrets.ts';
import {startSite} from '../support/site.ts';

const onEach = await eachOf(engines);
const url = 'https://destination.example/page';

/** Everything that a log could write of a value, at any depth, and also what is not enumerable. */
function seen(value: unknown): string {
  const all = inspect(value, {depth: Infinity, showHidden: true, maxStringLength: null, maxArrayLength: null});
  return `${all}\n${inspect(value, {depth: Infinity})}`;
}

const emitted = ['create', 'disable', 'enable', 'update', 'remove', 'visit', 'denied', 'error'] as const;

/** Collects every event of the shortener. */
function listen(shortener: ReturnType<typeof shortUrl>): string[] {
  const heard: string[] = [];
  for (const name of emitted) shortener.events.on(name, (event: unknown) => heard.push(`${name} ${seen(event)}`));
  return heard;
}

async function failureOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'nothing failed',
    (error: unknown) => seen(error),
  );
}

onEach((check) => {
  check('no event and no error has a key, a password or the secret of the site', async (t, engine) => {
    const options = await freshOn(engine, t);
    const secrets: Record<string, string> = {
      secret: options.secret,
      password: 'Mussels? 100% #fresh',
      'wrong password': 'Winkles/with;salt',
    };
    const site = await startSite(t, {
      shortUrl: {
        ...options,
        allowUrl(asked) {
          if (asked.includes('fault')) throw new Error('the rule of the host is broken');
          return true;
        },
      },
    });
    const heard = listen(site.shortener);
    const {links, accounts} = site.shortener;
    const link = await site.create({custom_url: 'locked', password: secrets['password'] ?? ''});
    await site.submit(link.short_url, secrets['wrong password'] ?? '');
    await site.submit(link.short_url, secrets['password'] ?? '');
    await site.api('disable', {short_url: link.short_url});
    await site.api('enable', {short_url: link.short_url});
    await site.api('create', {url: 'https://fault.example/', password: secrets['password'] ?? ''});
    await site.api('update', {short_url: link.short_url, password: secrets['password'] ?? '', title: 'x'});
    await site.api('update', {short_url: link.short_url, url: 'https://fault.example/'}, {keyIn: 'header'});
    await site.api('remove', {short_url: (await site.create()).short_url}, {keyIn: 'header'});
    await site.call('list_urls', {keyIn: 'header', headers: {Authorization: `Basic ${site.key}`}});
    secrets['API key'] = site.key;
    secrets['new API key'] = (await accounts.rotate('user-42')).apiKey;
    await site.call(`create/password/${encodeURIComponent(secrets['password'] ?? '')}/url/!`);
    const wish = {url, customUrl: 'locked', password: secrets['password'] ?? ''};
    heard.push(await failureOf(links.create('user-42', wish)));
    heard.push(await failureOf(links.create('user-42', {...wish, password: secrets['password']?.repeat(9) ?? ''})));
    heard.push(await failureOf(links.info(site.key, link.short_url)));
    // A process with another secret.
    const stranger = shortUrl({
      baseUrl: 'https://example.com',
      ...options,
      secret: 'a secret of another site, and of nothing else',
    });
    t.teardown(() => stranger.close());
    if (engine.place !== 'memory') heard.push(await failureOf(stranger.accounts.apiKey('user-42')));

    for (const name of emitted)
      t.true(
        heard.some((one) => one.startsWith(`${name} `)),
        name,
      );
    t.deepEqual(secretsIn(heard.join('\n'), secrets), []);
  });
});

const password = 'Lighthouse:Keeper@7';
const login = `keeper:${encodeURIComponent(password)}`;
const nobody = '127.0.0.1:1';

/** The errors of a shortener whose store refuses it or does not exist. */
async function complaints(t: ExecutionContext, store: string): Promise<string> {
  const options = {secret: 'a secret for tests, and for nothing else', storeTimeout: 3000};
  const shortener = shortUrl({baseUrl: 'https://example.com', store, ...options});
  t.teardown(() => shortener.close());
  const heard = listen(shortener);
  for (const attempt of [
    () => shortener.ready(),
    () => shortener.accounts.create('user-42'),
    () => shortener.links.info('user-42', 'https://example.com/x'),
  ]) {
    const failure = await failureOf(attempt());
    t.regex(failure, /store_unavailable/, store);
    heard.push(failure);
  }
  return heard.join('\n');
}

const unreachable = /The store did not answer\./;
const stores: ReadonlyArray<readonly [store: string, told: RegExp]> = [
  [`redis://${login}@${nobody}/0`, unreachable],
  [`redis+cluster://${login}@${nobody}`, unreachable],
  [`redis+sentinel://${login}@${nobody}/master/0`, unreachable],
  [`postgres://${login}@${nobody}/links`, unreachable],
  [`mysql://${login}@${nobody}/links`, unreachable],
  // Real servers without this user or database.
  [`redis://${login}@127.0.0.1:6379/0`, /refused the user or the password/],
  [`redis+cluster://${login}@127.0.0.1:6379`, /refused the user or the password/],
  [`postgres://${login}@127.0.0.1:5432/nowhere`, /refused the user or the password/],
  [`postgres://postgres:${password}@127.0.0.1:5432/nowhere`, /refused the database/],
  [`mysql://${login}@127.0.0.1:3306/links`, /refused the user or the password/],
  [`mariadb://root@127.0.0.1:3306/nowhere`, /refused the database/],
];
for (const [store, told] of stores) {
  test(`a store that cannot be used gives the reason without a password: ${store.replace(login, '…')}`, async (t) => {
    const heard = await complaints(t, store);
    t.regex(heard, told);
    t.deepEqual(secretsIn(heard, {password}), []);
  });
}
