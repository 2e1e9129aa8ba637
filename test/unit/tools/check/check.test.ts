import {accountRecords} from '../../../../src/accounts/records.ts';
import {totalsKeys} from '../../../../src/links/stats/totals.ts';
import {linkCounters, linkRecords, sequences} from '../../../../src/link/records.ts';
import '../../../support/quick-scrypt.ts';
import test, {type ExecutionContext} from 'ava';
import {type ShortUrl, shortUrl} from '../../../../src/index.ts';
import {checkStore, reseal} from '../../../../src/tools.ts';
import {packing} from '../../../../src/link/packing.ts';
import {type LinkRecord} from '../../../../src/link/record.ts';
import {buildServices} from '../../../../src/shortener/services.ts';
import {Bases} from '../../../../src/link/bases.ts';
import {hold} from '../../../../src/links/references.ts';
import {openStore} from '../../../../src/store/opening/open.ts';
import {collect} from '../../../support/collect.ts';
import {countsOf, intercepted, outage} from '../../../support/store-stub.ts';
import {dump} from '../../../support/tools/world.ts';
import {listedKeys} from '../../../support/store/conformance-keys.ts';

const secret = 'the secret that the site has from now on';
const url = 'https://destination.example/';

/** A site with the account `ann`, and its store. */
async function start(
  t: ExecutionContext,
  baseDomains: string[] = [],
): Promise<{store: Map<string, unknown>; site: ShortUrl}> {
  const store = new Map<string, unknown>();
  const site = shortUrl({baseUrl: 'https://example.com', baseDomains, store, secret});
  t.teardown(() => site.close());
  await site.accounts.create('ann');
  return {store, site};
}

test('a store within one process is reported, and stays as it is', async (t) => {
  const {store, site} = await start(t);
  await site.links.create('ann', {url});
  await site.close();
  const before = structuredClone(store);
  const report = await checkStore({store, secret, baseUrl: 'https://example.com'});
  t.like(report, {ok: true, engine: 'memory', version: null});
  t.is(report.findings.length, 1);
  t.like(report.findings[0], {severity: 'advice', code: 'one_process'});
  t.deepEqual(store, before);
});

test('records that cannot be read are counted, and the first is named', async (t) => {
  const {store, site} = await start(t);
  for (const customUrl of ['one', 'two', 'three']) await site.links.create('ann', {url, customUrl});
  for (const slug of ['one', 'two']) store.set(`shorturl:l:{example.com:${slug}}`, 'not JSON');
  const report = await checkStore({store, secret});
  t.false(report.ok);
  const [first] = report.findings;
  t.is(first?.code, 'unreadable_records');
  t.regex(first?.message ?? '', /^2 of \d checked records cannot be read\. .*shorturl:l:\{example\.com:one\}/);
});

test('a damaged number of a sequence ends lists and creates with an error, and is found and repaired', async (t) => {
  const {store, site} = await start(t);
  await site.links.create('ann', {url, customUrl: 'one'});
  const opened = openStore(store, {namespace: 'shorturl', packing});
  t.teardown(() => opened.close());
  const positions = await listedKeys(opened, 'counters', 'positions:');
  const numbers = [sequences.key('url_id'), sequences.key('account'), ...positions];
  await opened.setCounters(numbers.map((key) => [key, {counts: new Map([['next', 10 ** 15]]), at: undefined}]));
  const damaged = {code: 'internal_error', message: /koa-short-url check --clean/};
  await t.throwsAsync(site.links.page('ann'), damaged);
  await t.throwsAsync(site.links.create('ann', {url}), damaged);
  await t.throwsAsync(site.accounts.create('bob'), damaged);
  t.like((await checkStore({store})).findings[0], {severity: 'problem', code: 'incomplete_lists'});
  t.is((await checkStore({store, clean: true})).findings.at(-1)?.code, 'lists_repaired');
  t.true((await checkStore({store})).ok);
  await site.links.create('ann', {url, customUrl: 'two'});
  const {links} = await site.links.page('ann');
  t.deepEqual(
    links.map(({shortUrlPart}) => shortUrlPart),
    ['two', 'one'],
  );
  await site.accounts.create('bob');
});

test('lists and sequences that lack links or accounts are found and repaired', async (t) => {
  const {store, site} = await start(t);
  const {apiKey} = await site.accounts.create('bob');
  for (const customUrl of ['one', 'two', 'three']) await site.links.create('ann', {url, customUrl});
  const partsOf = async () => (await site.links.page('ann')).links.map(({shortUrlPart}) => shortUrlPart);
  const whole = await partsOf();
  for (const key of Array.from(store.keys())) {
    if (/:(?:list|positions|sequence|accounts):/.test(key)) store.delete(key);
  }
  t.like((await checkStore({store})).findings[0], {severity: 'problem', code: 'incomplete_lists'});
  t.is((await checkStore({store, clean: true})).findings.at(-1)?.code, 'lists_repaired');
  t.true((await checkStore({store})).ok);
  t.deepEqual(await partsOf(), whole);
  t.is((await site.links.create('ann', {url})).urlId, 4);
  t.deepEqual(await site.accounts.create('bob'), {apiKey});
  t.is((await collect(site.admin.accounts())).length, 2);
});

test('a removal of an account that was cut off is found and finished', async (t) => {
  for (let cut = 1; ; cut += 1) {
    const {store, site} = await start(t);
    await site.accounts.create('bob');
    for (const account of ['ann', 'bob']) await site.links.create(account, {url, customUrl: `${account}-1`});
    const opened = openStore(store, {namespace: 'shorturl', packing: {...packing, ignoresCase: false}});
    t.teardown(() => opened.close());
    let operations = 0;
    const failing = intercepted(opened, () => {
      operations += 1;
      if (operations > cut) throw outage();
    });
    const {accounts} = buildServices(failing, {bases: new Bases('https://example.com', []), secrets: [secret]});
    await accounts.remove('ann').catch(() => undefined);
    const {findings} = await checkStore({store});
    const isUnfinished = findings[0]?.code === 'unfinished_removals';
    const isRemoved = !(await dump({store})).some(([key]) => key === 'account:ann');
    const {findings: cleaned} = await checkStore({store, clean: true});
    t.is(cleaned.at(-1)?.code === 'removals_finished', isUnfinished, `${cut}`);
    if (!isUnfinished && !isRemoved) continue;
    const left = (await dump({store})).filter(([, value]) => JSON.stringify(value).includes('"ann"'));
    t.deepEqual(left, [], `${cut}`);
    t.is((await site.links.page('bob')).links.length, 1);
    if (isRemoved) break;
  }
});

test('references that a killed process has left are counted, and removed if that is wanted', async (t) => {
  const {store, site} = await start(t);
  await site.links.create('ann', {url, reference: 'kept'});
  const opened = openStore(store, {namespace: 'shorturl', packing});
  t.teardown(() => opened.close());
  const left = {domain: 'example.com', slug: 'left', generation: 'ann-1', counters: 'c'};
  await hold(opened, {...left, reference: 'left'});
  t.is((await checkStore({store})).findings.at(-1)?.code, 'references_without_link');
  t.is((await checkStore({store, clean: true})).findings.at(-1)?.code, 'references_removed');
  t.is((await checkStore({store, clean: true})).findings.at(-1)?.code, 'one_process');
  t.truthy(await site.links.info('ann', {reference: 'kept'}));
});

test('counters of a removed link, which a removal without an answer has left, are removed', async (t) => {
  const {store, site} = await start(t);
  await site.links.create('ann', {url, customUrl: 'gone'});
  const opened = openStore(store, {namespace: 'shorturl', packing});
  t.teardown(() => opened.close());
  const name = {domain: 'example.com', slug: 'gone'};
  const link = (await opened.get<LinkRecord>(linkRecords.key(name)))?.value;
  const key = linkCounters.key({...name, counters: link?.counters ?? ''});
  await site.links.remove('ann', 'https://example.com/gone');
  await opened.setCounters([[key, {counts: new Map([['v', 7]]), at: 5}]]);
  t.is((await checkStore({store, clean: true})).findings.at(-1)?.code, 'counters_removed');
  t.deepEqual(await countsOf(opened, [key], 'v'), [0]);
});

test('totals of a removed account, which a call that was cut off has left, are found and removed', async (t) => {
  const {store} = await start(t);
  const opened = openStore(store, {namespace: 'shorturl', packing});
  t.teardown(() => opened.close());
  const account = (await opened.get<{generation: string}>(accountRecords.key('ann')))?.value;
  const [kept = '', left = ''] = [account?.generation ?? '', 'gone'].map((generation) => totalsKeys(generation)[0]);
  await opened.setCounters([kept, left].map((key) => [key, {counts: new Map([['v', 7]]), at: 5}]));
  store.set('shorturl:account:bob', 'not JSON');
  t.is((await checkStore({store, clean: true})).findings.at(-1)?.code, 'one_process');
  store.delete('shorturl:account:bob');
  t.is((await checkStore({store})).findings.at(-1)?.code, 'totals_without_account');
  t.deepEqual(await countsOf(opened, [kept, left], 'v'), [7, 7]);
  t.is((await checkStore({store, clean: true})).findings.at(-1)?.code, 'totals_removed');
  t.deepEqual(await countsOf(opened, [kept, left], 'v'), [7, 0]);
});

test('counters that a killed import has left are counted, and removed if that is wanted', async (t) => {
  const domain = `${'long.'.repeat(40)}example`;
  const {store, site} = await start(t, [`https://${domain}`]);
  for (const baseDomain of ['example.com', domain]) {
    await site.links.create('ann', {url, customUrl: 'kept', baseDomain});
  }
  const opened = openStore(store, {namespace: 'shorturl', packing});
  t.teardown(() => opened.close());
  const counts = {counts: new Map([['v', 7]]), at: 5};
  const names = [
    {domain: 'example.com', slug: 'kept'},
    {domain, slug: 'kept'},
  ];
  for (const name of names) {
    const link = (await opened.get<LinkRecord>(linkRecords.key(name)))?.value;
    await opened.setCounters([[linkCounters.key({...name, counters: link?.counters ?? ''}), counts]]);
  }
  const left = [...names, {domain: 'example.com', slug: 'gone'}].map((name) =>
    linkCounters.key({...name, counters: 'left'}),
  );
  await opened.setCounters(left.map((key) => [key, counts]));

  const found = await checkStore({store});
  t.true(found.ok);
  const {code, message = ''} = found.findings.at(-1) ?? {};
  t.is(code, 'counters_without_link');
  t.regex(message, /^Of 5 sets of counters that were looked at 3 belong to no link/);
  t.is((await opened.getCounters(left))[0]?.counts.size, 1);
  t.is((await checkStore({store, clean: true})).findings.at(-1)?.code, 'counters_removed');
  t.deepEqual(await countsOf(opened, left, 'v'), [0, 0, 0]);
  const visits = (await site.links.page('ann')).links.map(({totalVisits}) => totalVisits);
  t.deepEqual(visits, [7, 7]);
  t.is((await checkStore({store, clean: true})).findings.at(-1)?.code, 'one_process');
});

test('a secret with which the site refuses to start is a problem, also an old one', async (t) => {
  for (const secrets of ['short', ['short', secret], [secret, 'short']]) {
    const {ok, findings} = await checkStore({store: new Map(), secret: secrets});
    t.false(ok);
    t.is(findings[0]?.code, 'short_secret', JSON.stringify(secrets));
  }
  t.true((await checkStore({store: new Map(), secret: [secret, `${secret}, once`]})).ok);
});

test('several secrets are told what has to be done before the old one can be dropped', async (t) => {
  const store = new Map<string, unknown>();
  const old = `${secret}, once`;
  const shortener = shortUrl({baseUrl: 'https://example.com', store, secret: old});
  t.teardown(() => shortener.close());
  await shortener.accounts.createMany(['ann', 'bob']);
  const adviceOf = async (secrets: string[]) =>
    (await checkStore({store, secret: secrets})).findings.find(({code}) => code === 'old_secrets');
  t.is(await adviceOf([old]), undefined);
  t.regex((await adviceOf([secret, old]))?.message ?? '', /^2 of 2 /);
  t.regex((await adviceOf([secret, old]))?.remedy ?? '', /reseal/);
  await reseal({store, secret: [secret, old]});
  t.regex((await adviceOf([secret, old]))?.remedy ?? '', /attribution\.maxAge/);
});

test('options that are wrong are refused', async (t) => {
  const store = new Map<string, unknown>();
  for (const wrong of [{secret: 5}, {secret: []}, {namespace: 'a b'}, {baseUrl: 'example.com'}]) {
    const options = {store, ...wrong} as unknown as Parameters<typeof checkStore>[0];
    await t.throwsAsync(checkStore(options), {instanceOf: TypeError}, JSON.stringify(wrong));
  }
  await t.throwsAsync(checkStore({store: 'memory:'}), {instanceOf: TypeError});
});
