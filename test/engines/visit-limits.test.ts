import {setTimeout as delay} from 'node:timers/promises';
import {crowd, inTurn, range} from '../support/engines/crowd.ts';
import {eachOf, sharedEngines} from '../support/engines/each.ts';
import {unlessKilled} from '../support/engines/load.ts';
import {type SiteProcess, siteProcesses} from '../support/engines/site-processes.ts';
import {together} from '../support/engines/together.ts';

const onEach = await eachOf(sharedEngines);
const start = siteProcesses();
const account = 'ann';
const url = 'https://destination.example/page';

/** The number of visitors for each status. */
async function visited(
  sites: readonly SiteProcess[],
  shortUrl: string,
  visitors: number,
): Promise<Map<number, number>> {
  const statuses = new Map<number, number>();
  await crowd(range(visitors), 200, async (visitor) => {
    const {status} = await inTurn(sites, visitor).visit(shortUrl);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  });
  return statuses;
}

onEach((check) => {
  check(
    'of a thousand visitors in eight processes exactly as many are redirected as the limit allows',
    async (t, engine) => {
      const {sites, shortener} = await together(t, engine, {start, size: 8, account});
      const {shortUrl} = await shortener.links.create(account, {url, maxVisits: 100});
      t.deepEqual(Object.fromEntries(await visited(sites, shortUrl, 1000)), {302: 100, 410: 900});
      t.like(await shortener.links.info(account, shortUrl), {totalVisits: 100, status: 'expired', maxVisits: 100});

      await shortener.links.update(account, shortUrl, {maxVisits: 150});
      t.deepEqual(Object.fromEntries(await visited(sites, shortUrl, 200)), {302: 50, 410: 150});
      await shortener.links.update(account, shortUrl, {maxVisits: null});
      t.deepEqual(Object.fromEntries(await visited(sites, shortUrl, 50)), {302: 50});
      t.like(await shortener.links.info(account, shortUrl), {totalVisits: 200, status: 'active', maxVisits: null});
    },
  );

  check('a limit set while a link is being visited counts the earlier visits', async (t, engine) => {
    const {sites, shortener} = await together(t, engine, {start, size: 4, account});
    const {shortUrl} = await shortener.links.create(account, {url});
    const [statuses] = await Promise.all([
      visited(sites, shortUrl, 1000),
      delay(50).then(() => shortener.links.update(account, shortUrl, {maxVisits: 500})),
    ]);
    const late = await visited(sites, shortUrl, 500);
    const redirects = (statuses.get(302) ?? 0) + (late.get(302) ?? 0);
    t.is(redirects, Math.max(500, statuses.get(302) ?? 0));
    t.like(await shortener.links.info(account, shortUrl), {totalVisits: redirects, status: 'expired'});
  });

  check('no more visitors are redirected than the limit allows when processes are killed', async (t, engine) => {
    const {sites, shortener} = await together(t, engine, {start, size: 6, account});
    const {shortUrl} = await shortener.links.create(account, {url, maxVisits: 300});
    let redirects = 0;
    const visit = async (site: SiteProcess): Promise<void> => {
      const {status} = await site.visit(shortUrl);
      if (status === 302) redirects += 1;
      else t.is(status, 410);
      if (redirects === 50 || redirects === 100 || redirects === 150) await sites[redirects / 50]?.kill();
    };
    await crowd(range(1200), 60, (visitor) => visit(inTurn(sites, visitor)).catch(unlessKilled));
    t.true(redirects <= 300, `${redirects} redirects`);
    t.true(redirects > 200, `${redirects} redirects`);
    const {totalVisits, status} = await shortener.links.info(account, shortUrl);
    t.true(totalVisits >= redirects && totalVisits <= 300, `${redirects} redirects, ${totalVisits} visits`);
    t.is(status, 'expired');
  });
});
