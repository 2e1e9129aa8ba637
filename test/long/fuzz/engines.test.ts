import {eachOf} from '../../support/engines/each.ts';
import {engines, freshOn} from '../../support/engines/engines.ts';
import {Judge} from './judge.ts';
import {assail} from './run.ts';
import {pagesOf, secretsOf, startFuzzSite} from './site.ts';

const onEach = await eachOf(engines.filter(({name}) => name !== 'memory'));

onEach((check) => {
  check('every answer is one of the contract or a page of the host, whatever is sent', async (t, engine) => {
    const site = await startFuzzSite(t, await freshOn(engine, t));
    const judge = new Judge({pages: await pagesOf(site), secrets: secretsOf(site.keys)});
    await assail(t, site, judge, {
      requests: 800,
      between() {
        site.clock.now += 60_000;
      },
    });
    const codes = [...judge.counts.keys()].filter((kind) => kind.startsWith('api '));
    t.true(codes.length > 15, codes.join());
  });
});
