import {crowd, range} from '../support/engines/crowd.ts';
import {eachOf, protocolEngines} from '../support/engines/each.ts';
import {siteProcesses} from '../support/engines/site-processes.ts';
import {together} from '../support/engines/together.ts';

const onEach = await eachOf(protocolEngines);
const start = siteProcesses();
const url = 'https://destination.example/page';

onEach((check) => {
  check('when two processes race for a reference one link gets it, and it leads to that link', async (t, engine) => {
    const {sites, shortener} = await together(t, engine, {start, size: 2});
    const {apiKey} = await shortener.accounts.create('ann');
    const olds = await Promise.all(range(20).map(() => shortener.links.create('ann', {url})));
    await crowd(range(20), 5, async (round) => {
      const reference = `order ${round}`;
      const short_url = olds[round]?.shortUrl ?? '';
      const replies = await Promise.all([
        ...sites.flatMap((site) => [
          site.api(apiKey, 'create', {url, reference}),
          site.api(apiKey, 'create', {url, reference, custom_url: `part-${round}`}),
        ]),
        ...sites.map((site) => site.api(apiKey, 'update', {short_url, reference})),
      ]);
      const winners = replies.filter(({status}) => status === 200).map((reply) => reply.json().data.url_id);
      // Both processes may give the same link its reference.
      t.is(new Set(winners).size, 1, replies.map(({text}) => text).join());
      for (const {status} of replies) t.true(status === 200 || status === 409);
      const found = await Promise.all(sites.map((site) => site.data(apiKey, 'info', {reference})));
      t.deepEqual(
        found.map(({url_id}) => url_id),
        [winners[0], winners[0]],
      );
      await shortener.links.remove('ann', found[0]?.short_url ?? '');
      t.is((await sites[0]?.api(apiKey, 'create', {url, reference}))?.status, 200, 'a removal frees it');
    });
  });
});
