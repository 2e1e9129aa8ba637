import {crowd, inTurn, range} from '../support/engines/crowd.ts';
import {eachOf, protocolEngines} from '../support/engines/each.ts';
import {unlessKilled} from '../support/engines/load.ts';
import {type SiteProcess, siteProcesses} from '../support/engines/site-processes.ts';
import {together} from '../support/engines/together.ts';

const onEach = await eachOf(protocolEngines);
const start = siteProcesses();
const account = 'ann';
const url = 'https://destination.example/page';

onEach((check) => {
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
