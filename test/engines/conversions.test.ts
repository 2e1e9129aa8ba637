import {shortUrl} from '../../src/index.ts';
import {crowd, range} from '../support/engines/crowd.ts';
import {eachOf, protocolEngines} from '../support/engines/each.ts';
import {freshOn} from '../support/engines/engines.ts';
import {killWhileCalling} from '../support/engines/killing.ts';
import {type SiteProcess, siteProcesses} from '../support/engines/site-processes.ts';
import {viaOf} from '../support/visitor.ts';

const onEach = await eachOf(protocolEngines);
const start = siteProcesses();

const browser = {
  'User-Agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/130.0 Safari/537.36',
};

/** Records an order by POST. Rejects if the process was killed before it has answered. */
async function record(site: SiteProcess, apiKey: string, via: string, number: number): Promise<void> {
  const reply = await site.request({
    method: 'POST',
    path: '/api/v1/shorturl/record_conversion',
    headers: {Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json'},
    body: JSON.stringify({via, name: 'order', id: String(number), value: number}),
  });
  if (reply.status !== 200 || reply.json().data.link === null) throw new Error(`${reply.status} ${reply.text}`);
}

onEach((check) => {
  check('orders that processes record at once, and repeat when they are killed, count once each', async (t, engine) => {
    const options = {...(await freshOn(engine, t)), attribution: {}};
    const shortener = shortUrl({baseUrl: 'https://example.com', ...options});
    t.teardown(() => shortener.close());
    const {apiKey} = await shortener.accounts.create('ann');
    const {shortUrl: link} = await shortener.links.create('ann', {url: 'https://destination.example/'});
    const first = await start(t, options);
    const reply = await first.visit(link, {headers: browser});
    const via = viaOf(reply.headers['set-cookie']) ?? '';
    const count = 40;
    const lost = await killWhileCalling(
      t,
      () => start(t, options),
      count,
      (site, number) => record(site, apiKey, via, number),
    );
    const sites = [first, ...(await Promise.all(range(1).map(() => start(t, options))))];
    await crowd(range(4 * count), 20, async (turn) => {
      await record(sites[turn % 2] ?? first, apiKey, via, turn % count);
    });
    // A call in code finds what the API has recorded.
    for (const number of range(count)) {
      const recorded = await shortener.conversions.record({via}, {name: 'order', id: number, value: 1});
      t.is(recorded?.link.shortUrl, link);
    }
    t.log(`${lost} answers were lost`);
    const conversions = [{name: 'order', conversions: count, value: (count * (count - 1)) / 2}];
    t.deepEqual((await shortener.links.stats('ann', link)).conversions, conversions);
    t.deepEqual((await shortener.accounts.stats('ann')).conversions, conversions);
    t.is((await shortener.links.stats('ann', link)).totalVisits, 1);
  });
});
