import {randomInt} from 'node:crypto';
import {copyStore, type CopyOptions} from '../../src/tools/copy/copy.ts';
import {compiled} from '../support/engines/compiled.ts';
import {eachOf, protocolEngines, sharedEngines} from '../support/engines/each.ts';
import {type EngineOptions, freshOn} from '../support/engines/engines.ts';
import {isNight} from '../support/night.ts';
import {runFor} from '../support/tools/killed.ts';
import {dump, fill, password, runSite} from '../support/tools/world.ts';

const onEach = await eachOf(sharedEngines);
const onSome = await eachOf(protocolEngines);
const script = compiled('test/support/tools/copy-process.ts');

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

onSome((check) => {
  check('a copy that was killed several times ends with the same result', async (t, engine) => {
    const [sqlite] = sharedEngines;
    if (sqlite === undefined) throw new Error('SQLite is an engine');
    const from = await freshOn(sqlite, t);
    const site = await runSite(t, from);
    await fill(site, 500);
    const to = await freshOn(engine, t);
    const options = between(from, to);
    let kills = 0;
    let isDone = false;
    for (let maxTime = 200; !isDone; maxTime *= isNight ? 1.3 : 1.8) {
      isDone = await runFor(t, await script(), options, randomInt(Math.round(maxTime)));
      kills += isDone ? 0 : 1;
      // The site goes on between the copies.
      if (!isDone) await site.shortener.links.create('bob', {url: `https://new.example/${kills}`});
    }
    t.log(`${kills} copies were killed`);
    await copyStore(options);
    t.deepEqual(await dump(to), await dump(from));
  });
});
