import '../../../support/quick-scrypt.ts';
import test from 'ava';
import {shortUrl} from '../../../../src/index.ts';
import {checkStore} from '../../../../src/tools.ts';
import {slowStore} from '../../../support/slow-adapter.ts';

const secret = 'the secret that the site has from now on';
const url = 'https://destination.example/';

test('a store within one process is told of, and stays as it is', async (t) => {
  const store = new Map<string, unknown>();
  const site = shortUrl({baseUrl: 'https://example.com', store, secret});
  await site.accounts.create('ann');
  await site.links.create('ann', {url});
  await site.close();
  const before = structuredClone(store);
  const report = await checkStore({store, secret, baseUrl: 'https://example.com'});
  t.like(report, {ok: true, engine: 'memory', version: null});
  t.deepEqual(
    report.findings.map(({severity, code}) => [severity, code]),
    [['advice', 'one_process']],
  );
  t.deepEqual(store, before);
});

test('records that cannot be read are counted, and the first is named', async (t) => {
  const store = new Map<string, unknown>();
  const site = shortUrl({baseUrl: 'https://example.com', store, secret});
  await site.accounts.create('ann');
  for (const customUrl of ['one', 'two', 'three']) await site.links.create('ann', {url, customUrl});
  await site.close();
  for (const slug of ['one', 'two']) store.set(`shorturl:l:{example.com:${slug}}`, 'not JSON');
  const report = await checkStore({store, secret});
  t.false(report.ok);
  const [first] = report.findings;
  t.is(first?.code, 'unreadable_records');
  t.regex(
    first?.message ?? '',
    /^Of \d records that were looked at 2 cannot be read\. .*shorturl:l:\{example\.com:one\}/,
  );
});

test('some keys that no secret opens are a problem, too', async (t) => {
  const store = new Map<string, unknown>();
  for (const [account, own] of [
    ['ann', secret],
    ['bob', `${secret} and another one`],
  ] as const) {
    const site = shortUrl({baseUrl: 'https://example.com', store, secret: own});
    await site.accounts.create(account);
    await site.close();
  }
  const {ok, findings} = await checkStore({store, secret});
  t.false(ok);
  t.deepEqual(
    findings.map(({code}) => code),
    ['unopened_keys', 'one_process'],
  );
  t.true((await checkStore({store, secret: [secret, `${secret} and another one`]})).ok);
});

test('links on any domain of the site are its own', async (t) => {
  const store = new Map<string, unknown>();
  const domains = {baseUrl: 'https://www.example.com', baseDomains: ['sho.rt', 'go.example']};
  const site = shortUrl({...domains, store, secret});
  await site.accounts.create('ann');
  await site.links.create('ann', {url, baseDomain: 'sho.rt'});
  await site.close();
  t.true((await checkStore({store, ...domains})).ok);
  const {ok, findings} = await checkStore({store, ...domains, baseDomains: ['go.example']});
  t.false(ok);
  t.like(findings[0], {
    code: 'other_domain',
    message: 'No link in the store is on www.example.com or go.example. There are links on sho.rt.',
  });
});

test('if only a part of the records was read, no link of the site among them is advice', async (t) => {
  const store = slowStore();
  const site = shortUrl({baseUrl: 'https://sho.rt', store, secret});
  await site.accounts.create('ann');
  const {shortUrlPart} = await site.links.create('ann', {url});
  await site.close();
  const record: unknown = await store.get(`shorturl:l:{sho.rt:${shortUrlPart}}`);
  t.truthy(record);
  for (let number = 0; number < 10_500; number += 1) {
    await store.set(`shorturl:l:{sho.rt:n${number}}`, record);
  }
  const {ok, findings} = await checkStore({store, baseUrl: 'https://www.example.com'});
  t.true(ok);
  const {severity, message = ''} = findings.find(({code}) => code === 'other_domain') ?? {};
  t.is(severity, 'advice');
  t.regex(
    message,
    /^None of the links among the first 10000 records is on www\.example\.com\. There are links on sho\.rt\.$/,
  );
});

test('a secret with which the site refuses to start is a problem, also an old one', async (t) => {
  for (const secrets of ['short', ['short', secret], [secret, 'short']]) {
    const {ok, findings} = await checkStore({store: new Map(), secret: secrets});
    t.false(ok);
    t.is(findings[0]?.code, 'short_secret', JSON.stringify(secrets));
  }
  t.true((await checkStore({store: new Map(), secret: [secret, `${secret}, once`]})).ok);
});

test('options that are wrong are refused', async (t) => {
  const store = new Map<string, unknown>();
  for (const wrong of [{secret: 5}, {secret: []}, {namespace: 'a b'}, {baseUrl: 'example.com'}]) {
    const options = {store, ...wrong} as unknown as Parameters<typeof checkStore>[0];
    await t.throwsAsync(checkStore(options), {instanceOf: TypeError}, JSON.stringify(wrong));
  }
  await t.throwsAsync(checkStore({store: 'memory:'}), {instanceOf: TypeError});
});
