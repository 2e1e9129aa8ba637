import '../support/quick-scrypt.ts';
import {copyStore, type CopyOptions} from '../../src/tools/copy/copy.ts';
import {eachOf, sharedEngines} from '../support/engines/each.ts';
import {type EngineOptions, freshOn} from '../support/engines/engines.ts';
import {dump, fill, password, runSite} from '../support/tools/world.ts';

const onEach = await eachOf(sharedEngines);

function between(from: EngineOptions, to: EngineOptions): CopyOptions {
  return {from: from.store, namespace: from.namespace, to: to.store, toNamespace: to.namespace};
}

onEach((check) => {
  check('a copy from SQLite to another engine and back again is the same everywhere', async (t, engine) => {
    const [sqlite] = sharedEngines;
    if (sqlite === undefined) throw new Error('SQLite is an engine');
    const first = await freshOn(sqlite, t);
    const site = await runSite(t, first);
    const {urls, keys} = await fill(site, 60);
    const expected = await dump(first);
    const there = await freshOn(engine, t);
    const back = await freshOn(sqlite, t);
    await copyStore(between(first, there));
    await copyStore(between(there, back));
    t.deepEqual(await dump(there), await dump(first));
    t.deepEqual(await dump(back), await dump(first));
    t.is((await dump(first)).length, expected.length + 1, 'only the name of the site was added');

    const moved = await runSite(t, {...there, secret: first.secret});
    t.deepEqual(await moved.shortener.accounts.create('ann'), {apiKey: keys['ann']});
    t.is((await moved.open(urls.protected, password)).status, 303);
    t.is((await moved.visit(urls.limited)).status, 302);
    t.is((await moved.visit(urls.limited)).status, 410, 'two visits were allowed, and one was before the copy');
    await t.throwsAsync(copyStore(between(first, there)), {code: 'target_in_use'});
    await moved.shortener.links.remove('ann', urls.plain);
    await t.throwsAsync(copyStore(between(there, first)), {code: 'target_in_use'});
    const summary = await copyStore({...between(there, first), overwrite: true});
    t.true(summary.written > 0 && summary.removed > 0);
    t.deepEqual(await dump(first), await dump(there));
  });
});
