import '../support/quick-scrypt.ts';
import {importNdjson} from '../../src/tools/import/import-ndjson.ts';
import {eachOf, sharedEngines} from '../support/engines/each.ts';
import {freshOn} from '../support/engines/engines.ts';
import {exported, partsOf, sortedLines} from '../support/tools/text.ts';
import {dump, fill, password, runSite} from '../support/tools/world.ts';

const onEach = await eachOf(sharedEngines);

onEach((check) => {
  check('an import of an export is exported with the same content, and the site continues there', async (t, engine) => {
    const from = {store: new Map()};
    const {urls, keys} = await fill(await runSite(t, from), 60);
    const {text} = await exported(from);
    const to = await freshOn(engine, t);
    // The first attempt ends in the middle.
    const half = partsOf(text.slice(0, text.length / 2));
    await t.throwsAsync(importNdjson({...to, file: half}), {code: 'malformed_file'});
    await importNdjson({...to, file: partsOf(text)});
    t.deepEqual(sortedLines((await exported(to)).text), sortedLines(text));
    t.deepEqual(await dump(to), await dump(from));
    t.like(await importNdjson({...to, file: partsOf(text)}), {written: 0});
    for (const options of [{account: 'ann'}, {format: 'csv'}] as const) {
      const [copied, original] = [await exported({...to, ...options}), await exported({...from, ...options})];
      t.deepEqual(sortedLines(copied.text), sortedLines(original.text));
    }

    const site = await runSite(t, {store: to.store, namespace: to.namespace});
    t.deepEqual(await site.shortener.accounts.create('ann'), {apiKey: keys['ann']});
    t.is((await site.open(urls.protected, password)).status, 303);
    t.is((await site.visit(urls.blocked)).status, 410);
  });
});
