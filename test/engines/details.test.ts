import type {VisitStats} from '../../src/index.ts';
import {crowd, inTurn, range} from '../support/engines/crowd.ts';
import {eachOf, protocolEngines} from '../support/engines/each.ts';
import {unlessKilled} from '../support/engines/load.ts';
import {siteProcesses} from '../support/engines/site-processes.ts';
import {together} from '../support/engines/together.ts';

const onEach = await eachOf(protocolEngines);
const start = siteProcesses();
const account = 'ann';
const url = 'https://destination.example/page';

function fromSite(index: number): {headers: {Referer: string}} {
  return {headers: {Referer: `https://site-${index}.example/`}};
}

function visitsOf({details}: VisitStats): Map<string, number> {
  return new Map(details['referrer']?.map(({value, visits}) => [value, visits]));
}

function sumOf(counts: ReadonlyMap<string, number>): number {
  return Array.from(counts.values()).reduce((sum, visits) => sum + visits, 0);
}

onEach((check) => {
  check(
    'four processes with 150 new values at once count about a hundred by themselves, and every visit once',
    async (t, engine) => {
      t.timeout(300_000);
      const {sites, shortener} = await together(t, engine, {start, size: 4, account});
      const link = await shortener.links.create(account, {url});
      // All begin with the same value, so each value is new to several processes.
      await Promise.all(
        sites.map((site) =>
          crowd(range(150), 15, async (index) => {
            t.is((await site.visit(link.shortUrl, fromSite(index))).status, 302);
          }),
        ),
      );
      for (const stats of [
        await shortener.links.stats(account, link.shortUrl),
        await shortener.accounts.stats(account),
      ]) {
        const told = visitsOf(stats);
        t.true(told.size > 100 && told.size <= 151, String(told.size));
        for (const [value, visits] of told) t.true(value === 'other' || visits <= sites.length, `${value}: ${visits}`);
        t.is(stats.totalVisits, 150 * sites.length);
        t.is(sumOf(told), stats.totalVisits);
      }
    },
  );

  check('every answered visit keeps its detail when processes are killed', async (t, engine) => {
    const {sites, shortener} = await together(t, engine, {start, size: 4, account});
    const link = await shortener.links.create(account, {url});
    const answered = new Map<string, number>();
    let redirects = 0;
    await crowd(range(400), 40, async (visit) => {
      const visited = async (): Promise<void> => {
        const {status} = await inTurn(sites, visit).visit(link.shortUrl, fromSite(visit % 7));
        t.is(status, 302);
        answered.set(`site-${visit % 7}.example`, (answered.get(`site-${visit % 7}.example`) ?? 0) + 1);
        redirects += 1;
        if (redirects === 100 || redirects === 200) await sites[redirects / 100]?.kill();
      };
      await visited().catch(unlessKilled);
    });
    const stats = await shortener.links.stats(account, link.shortUrl);
    const told = visitsOf(stats);
    t.is(sumOf(told), stats.totalVisits);
    t.true(stats.totalVisits >= redirects);
    for (const [value, visits] of answered) t.true((told.get(value) ?? 0) >= visits, value);
    const totals = await shortener.accounts.stats(account);
    // On a cluster, a visit that a killed process has not answered may be on one of the two nodes.
    const maxTotal = engine.name === 'redis+cluster' ? 400 : stats.totalVisits;
    t.true(totals.totalVisits >= redirects && totals.totalVisits <= maxTotal);
    t.is(sumOf(visitsOf(totals)), totals.totalVisits);
  });
});
