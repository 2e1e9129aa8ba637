import {shortUrl} from '../../src/index.ts';
import {crowd, range} from '../support/engines/crowd.ts';
import {eachOf, protocolEngines} from '../support/engines/each.ts';
import {freshOn} from '../support/engines/engines.ts';
import {killWhileCalling} from '../support/engines/killing.ts';
import {type SiteProcess, siteProcesses} from '../support/engines/site-processes.ts';

const onEach = await eachOf(protocolEngines);
const start = siteProcesses();

const urlOf = (number: number): string => `https://destination.example/${number}`;

interface Answer {
  readonly url_id: number;
  readonly short_url: string;
}

/** Creates with a key by POST. */
async function create(site: SiteProcess, apiKey: string, number: number): Promise<Answer> {
  const reply = await site.request({
    method: 'POST',
    path: '/api/v1/shorturl/create',
    headers: {
      Authorization: `Bearer ${apiKey}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': `call-${number}`,
    },
    body: JSON.stringify({url: urlOf(number), ...(number % 3 === 0 && {custom_url: `custom-${number}`})}),
  });
  if (reply.status !== 200) throw new Error(`${reply.status} ${reply.text}`);
  return reply.json().data;
}

onEach((check) => {
  check(
    'processes that are killed and repeat their creates with the same keys make each link once',
    async (t, engine) => {
      const options = await freshOn(engine, t);
      const shortener = shortUrl({baseUrl: 'https://example.com', ...options});
      t.teardown(() => shortener.close());
      const {apiKey} = await shortener.accounts.create('ann');
      const count = 40;
      const answers = new Map<number, Set<string>>();
      const keep = (number: number, {url_id, short_url}: Answer): void => {
        answers.set(number, (answers.get(number) ?? new Set()).add(`${url_id} ${short_url}`));
      };
      const lost = await killWhileCalling(
        t,
        () => start(t, options),
        count,
        async (site, number) => {
          keep(number, await create(site, apiKey, number));
        },
      );
      const sites = await Promise.all(range(2).map(() => start(t, options)));
      await crowd(range(count), 10, async (number) => {
        for (const site of sites) keep(number, await create(site, apiKey, number));
      });
      t.log(`${lost} answers were lost`);
      t.true(lost > 0);
      for (const [number, distinct] of answers) t.is(distinct.size, 1, `${number}: ${[...distinct].join()}`);
      const listed: string[] = [];
      for await (const {originalUrl, urlId, shortUrl: short} of shortener.links.list('ann')) {
        listed.push(originalUrl);
        t.true(answers.get(Number(originalUrl.split('/').at(-1)))?.has(`${urlId} ${short}`));
      }
      t.deepEqual(listed.sort(), range(count).map(urlOf).sort());
      t.is((await shortener.accounts.stats('ann')).links, count);
    },
  );
});
