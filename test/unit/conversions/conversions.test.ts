import '../../support/quick-scrypt.ts';
import test from 'ava';
import {copyStore} from '../../../src/tools/copy/copy.ts';
import {importNdjson} from '../../../src/tools/import/import-ndjson.ts';
import {exported, partsOf} from '../../support/tools/text.ts';
import {type Place, runSite} from '../../support/tools/world.ts';
import {viaOf} from '../../support/visitor.ts';

const ways = {
  'a copy': async (from: Place, to: Place): Promise<void> => {
    await copyStore({from: from.store, to: to.store});
  },
  'an export and its import': async (from: Place, to: Place): Promise<void> => {
    const {text} = await exported({store: from.store});
    await importNdjson({store: to.store, file: partsOf(text)});
  },
};

for (const [way, move] of Object.entries(ways)) {
  test(`${way} keeps conversions, their names, and which of them were recorded`, async (t) => {
    const [from, to]: [Place, Place] = [
      {store: new Map(), attribution: {}},
      {store: new Map(), attribution: {}},
    ];
    const {shortener, visit} = await runSite(t, from);
    await shortener.accounts.create('ann');
    const {shortUrl} = await shortener.links.create('ann', {url: 'https://destination.example/'});
    const {headers} = await visit(shortUrl);
    const via = viaOf(headers['set-cookie']);
    await shortener.conversions.record({via}, {name: 'order', id: 1, value: 4900});
    await move(from, to);

    const moved = (await runSite(t, to)).shortener;
    for (const id of [1, 2]) {
      const recorded = await moved.conversions.record({via}, {name: 'order', id, value: 100});
      t.is(recorded?.link.shortUrl, shortUrl);
    }
    const conversions = [{name: 'order', conversions: 2, value: 5000}];
    t.deepEqual((await moved.links.stats('ann', shortUrl)).conversions, conversions);
    t.deepEqual((await moved.accounts.stats('ann')).conversions, conversions);
    t.deepEqual((await moved.links.page('ann', {days: 1})).links[0]?.conversions, conversions);
  });
}
