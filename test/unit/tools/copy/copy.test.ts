import '../../../support/quick-scrypt.ts';
import {join} from 'node:path';
import test from 'ava';
import type {ToolStore} from '../../../../src/store/port.ts';
import {copy, copyStore} from '../../../../src/tools/copy/copy.ts';
import {type OpenedStore, openTool} from '../../../../src/tools/open.ts';
import {checkStore} from '../../../../src/tools/check/check.ts';
import {restore} from '../../../../src/tools/import/import-ndjson.ts';
import {intercepted, outage} from '../../../support/store-stub.ts';
import {exported, partsOf} from '../../../support/tools/text.ts';
import {temporaryDirectory} from '../../../support/store/temporary.ts';
import {dump, fill, noon, password, type Place, runSite} from '../../../support/tools/world.ts';

const directory = temporaryDirectory();
let files = 0;
const file = (): string => `sqlite:${join(directory, `${(files += 1)}.db`)}`;

test('a copy has everything, and its site continues the sequences of the original', async (t) => {
  const from: Place = {store: file(), namespace: 'one'};
  const to: Place = {store: new Map(), namespace: 'two'};
  const site = await runSite(t, from);
  const {keys, urls} = await fill(site);
  const told = new Set<string>();
  const summary = await copyStore({
    from: from.store,
    namespace: 'one',
    to: to.store,
    toNamespace: 'two',
    onProgress: ({phase}) => told.add(phase),
  });
  t.deepEqual(await dump(to), await dump(from));
  t.like(summary, {accounts: 3, links: 36, removed: 0, changedMeanwhile: 0, isExact: true, unreadable: 0});
  t.is(summary.written, summary.records + summary.counters);
  t.deepEqual([...told], ['copying', 'comparing']);

  const copy = await runSite(t, to);
  for (const [account, apiKey] of Object.entries(keys)) {
    if (account !== 'gone') t.deepEqual(await copy.shortener.accounts.create(account), {apiKey});
  }
  t.is((await copy.open(urls.protected, password)).status, 303);
  t.is((await copy.visit(urls.plain)).status, 302);
  t.is((await copy.visit(urls.disabled)).status, 410);
  t.is((await copy.visit(urls.removed)).status, 410);
  await t.throwsAsync(copy.shortener.links.enable('bob', urls.blocked), {code: 'link_blocked'});
  await t.throwsAsync(copy.shortener.links.create('bob', {url: urls.plain.replace('P', 'x'), customUrl: 'removed'}), {
    code: 'custom_url_taken',
  });
  const {totalVisits, details, days} = await copy.shortener.links.stats('ann', urls.plain);
  t.is(totalVisits, 5);
  const referred = details['referrer']?.map(({visits}) => visits);
  t.deepEqual(referred, [2, 1, 1, 1]);
  t.is(days.length, 2);
  const {urlId} = await copy.shortener.links.create('ann', {url: 'https://destination.example/'});
  const {urlId: before} = await site.shortener.links.create('ann', {url: 'https://destination.example/'});
  t.is(urlId, before, 'the sequence goes on');
});

test('a second run copies the changes and removals since, and a third run writes nothing', async (t) => {
  const from: Place = {store: new Map()};
  const to: Place = {store: file()};
  const site = await runSite(t, from);
  const {urls} = await fill(site);
  await copyStore({from: from.store, to: to.store});
  site.clock.now = noon + 2 * 86_400_000;
  await site.visit(urls.plain);
  await site.shortener.links.update('ann', urls.plain, {url: 'https://elsewhere.example/', title: null});
  await site.shortener.links.remove('ann', urls.protected);
  await site.shortener.links.create('bob', {url: 'https://new.example/'});
  await site.shortener.accounts.rotate('bob');
  await site.shortener.accounts.remove('jürgen:%');
  const summary = await copyStore({from: from.store, to: to.store});
  t.deepEqual(await dump(to), await dump(from));
  t.true(summary.removed > 0);
  t.true(summary.written < 40);
  t.like(await copyStore({from: from.store, to: to.store}), {
    written: 0,
    removed: 0,
    changedMeanwhile: 0,
    isExact: true,
  });
});

test('a copy can be copied back to the original', async (t) => {
  const [one, two]: [Place, Place] = [{store: new Map()}, {store: new Map()}];
  await fill(await runSite(t, one));
  await copyStore({from: one.store, to: two.store});
  const moved = await runSite(t, two);
  await moved.shortener.links.create('ann', {url: 'https://new.example/', customUrl: 'new'});
  await moved.visit('https://example.com/new');
  await t.throwsAsync(copyStore({from: two.store, to: one.store}), {code: 'target_in_use'});
  await copyStore({from: two.store, to: one.store, overwrite: true});
  t.deepEqual(await dump(one), await dump(two));
  t.like(await copyStore({from: two.store, to: one.store}), {written: 0, removed: 0});
  await t.throwsAsync(copyStore({from: one.store, to: two.store}), {code: 'target_in_use'});
});

test('a store into which a copy or an import was cut off says so until it is complete', async (t) => {
  const from: Place = {store: new Map()};
  const {urls} = await fill(await runSite(t, from), 3);
  const {text} = await exported(from);
  const importInto = async (target: OpenedStore) => restore(() => target.store, partsOf(text), {});
  const ways = {
    copy: async (target: OpenedStore) => copy(openTool(from.store, {mustExist: true}), target, {}),
    import: importInto,
  };
  for (const [way, write] of Object.entries(ways)) {
    for (let cut = 6, isWhole = false; !isWhole; cut += 7) {
      const to: Place = {store: new Map()};
      const target = openTool(to.store, {mustExist: false});
      let operations = 0;
      const failing = intercepted(target.store, () => {
        operations += 1;
        if (operations > cut) throw outage();
      }) as ToolStore;
      isWhole = await write({...target, store: failing}).then(
        () => true,
        () => false,
      );
      // The first record of a store is its format, the second the name of the site.
      const hasData = (await dump(to)).length > 2;
      if (!isWhole && hasData) {
        const refused = {code: 'store_unavailable', message: new RegExp(`The ${way} into the store is not complete`)};
        const site = await runSite(t, to);
        await t.throwsAsync(site.shortener.ready(), refused, `${way} ${cut}`);
        t.is((await site.visit(urls.plain)).status, 503);
        t.like((await checkStore({store: to.store})).findings[0], {severity: 'problem', code: 'not_complete'});
        await t.throwsAsync(copyStore({from: to.store, to: new Map()}), {code: 'incomplete'});
        await t.throwsAsync(exported(to), {code: 'incomplete'});
      }
      if (!isWhole) await write(openTool(to.store, {mustExist: false}));
      await (await runSite(t, to)).shortener.ready();
      t.true((await checkStore({store: to.store})).ok);
      t.deepEqual(await dump(to), await dump(from));
    }
  }
});

test('a copy in the wrong direction brings nothing back', async (t) => {
  const [one, two]: [Place, Place] = [{store: new Map()}, {store: new Map()}];
  const site = await runSite(t, one);
  const {urls} = await fill(site);
  await copyStore({from: one.store, to: two.store});
  await site.shortener.links.disable('ann', urls.plain);
  await site.shortener.accounts.rotate('bob');
  const before = await dump(one);
  await t.throwsAsync(copyStore({from: two.store, to: one.store}), {name: 'ToolError', code: 'target_in_use'});
  t.deepEqual(await dump(one), before);
  await copyStore({from: one.store, to: two.store});
  t.deepEqual(await dump(two), before);
});

test('a target that has been used since the last copy is not overwritten, unless `overwrite` is set', async (t) => {
  for (const use of ['visit', 'create', 'disable', 'block', 'rotate', 'remove'] as const) {
    const [one, two]: [Place, Place] = [{store: new Map()}, {store: new Map()}];
    const {urls} = await fill(await runSite(t, one));
    await copyStore({from: one.store, to: two.store});
    const moved = await runSite(t, two);
    if (use === 'visit') await moved.visit(urls.plain);
    else if (use === 'disable') await moved.shortener.links.disable('ann', urls.plain);
    else if (use === 'block') await moved.shortener.admin.block(urls.plain);
    else if (use === 'rotate') await moved.shortener.accounts.rotate('ann');
    else if (use === 'remove') await moved.shortener.accounts.remove('bob');
    else await moved.shortener.links.create('ann', {url: 'https://new.example/', customUrl: 'new'});
    const before = await dump(two);
    for (let tries = 0; tries < 2; tries += 1) {
      await t.throwsAsync(copyStore({from: one.store, to: two.store}), {name: 'ToolError', code: 'target_in_use'});
      t.deepEqual(await dump(two), before);
    }
    await copyStore({from: one.store, to: two.store, overwrite: true});
    t.deepEqual(await dump(two), await dump(one));
  }
});

test('no site uses a target during the copy', async (t) => {
  const [one, two]: [Place, Place] = [{store: new Map()}, {store: new Map()}];
  await fill(await runSite(t, one));
  await copyStore({from: one.store, to: two.store});
  const moved = await runSite(t, two);
  const [source, target] = [one, two].map(({store}) => openTool(store, {mustExist: true})) as [
    OpenedStore,
    OpenedStore,
  ];
  let isUsed = false;
  const meanwhile = intercepted(target.store, async (operation) => {
    if (operation !== 'getMany' || isUsed) return;
    isUsed = true;
    const created = moved.shortener.links.create('ann', {url: 'https://new.example/', customUrl: 'new'});
    await t.throwsAsync(created, {code: 'store_unavailable', message: /not complete/});
  }) as ToolStore;
  t.true((await copy(source, {...target, store: meanwhile}, {})).isExact);
  t.true(isUsed);
  t.deepEqual(await dump(two), await dump(one));
});

test('the data of another site is never changed', async (t) => {
  const [one, two]: [Place, Place] = [{store: new Map()}, {store: new Map()}];
  await fill(await runSite(t, one));
  await (await runSite(t, two)).shortener.accounts.create('zoe');
  const before = await dump(two);
  await t.throwsAsync(copyStore({from: one.store, to: two.store}), {code: 'other_site'});
  t.deepEqual(await dump(two), before);

  const three: Place = {store: new Map()};
  await copyStore({from: two.store, to: three.store});
  await t.throwsAsync(copyStore({from: one.store, to: three.store}), {code: 'other_site'});
  await t.throwsAsync(copyStore({from: three.store, to: one.store, overwrite: true}), {code: 'other_site'});
});

test('a source that is missing, empty or the target itself is refused', async (t) => {
  const to = new Map();
  const missing = file();
  await t.throwsAsync(copyStore({from: missing, to}), {code: 'nothing_there'});
  await t.throwsAsync(copyStore({from: missing, to}), {code: 'nothing_there'}, 'the first call created no file');
  await t.throwsAsync(copyStore({from: new Map(), to}), {code: 'nothing_there'});
  t.is(to.size, 0);

  const place: Place = {store: file()};
  await fill(await runSite(t, place), 1);
  await t.throwsAsync(copyStore({from: place.store, to: place.store}), {code: 'same_store'});
  await copyStore({from: place.store, to: place.store, toNamespace: 'other'});
  t.deepEqual(await dump({...place, namespace: 'other'}), await dump(place));
});
