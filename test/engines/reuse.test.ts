import {shortUrl} from '../../src/index.ts';
import {range} from '../support/engines/crowd.ts';
import {eachOf, protocolEngines} from '../support/engines/each.ts';
import {freshOn} from '../support/engines/engines.ts';
import {siteProcesses} from '../support/engines/site-processes.ts';

const onEach = await eachOf(protocolEngines);
const start = siteProcesses();

onEach((check) => {
  check(
    'of many calls with `reuse` at once, in several processes, one creates and all get its link',
    async (t, engine) => {
      const options = await freshOn(engine, t);
      const shortener = shortUrl({baseUrl: 'https://example.com', ...options});
      t.teardown(() => shortener.close());
      const {apiKey} = await shortener.accounts.create('ann');
      const sites = await Promise.all(range(2).map(() => start(t, options)));
      for (const round of range(5)) {
        const body = {
          url: `https://destination.example/${round}`,
          reuse: true,
          ...(round > 2 && {custom_url: `part-${round}`}),
        };
        const replies = await Promise.all(
          range(20).map(async (turn) =>
            sites[turn % 2]?.request({
              method: 'POST',
              path: '/api/v1/shorturl/create',
              headers: {Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json'},
              body: JSON.stringify(body),
            }),
          ),
        );
        t.deepEqual(new Set(replies.map((reply) => reply?.status)), new Set([200]));
        const ids = replies.map((reply) => (reply?.json() as {data: {url_id: number}}).data.url_id);
        t.is(new Set(ids).size, 1);
        t.is((await shortener.accounts.stats('ann')).links, round + 1);
      }
    },
  );
});
