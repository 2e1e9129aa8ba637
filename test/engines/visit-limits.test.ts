import '../support/quick-scrypt.ts';
import {crowd, inTurn, range} from '../support/engines/crowd.ts';
import {eachOf, protocolEngines, racingEngines} from '../support/engines/each.ts';
import {isNight} from '../support/night.ts';
import {unlessKilled} from '../support/engines/load.ts';
import {type SiteProcess, siteProcesses} from '../support/engines/site-processes.ts';
import {together} from '../support/engines/together.ts';
import {viaOf} from '../support/visitor.ts';

const onEach = await eachOf(racingEngines);
const onSome = await eachOf(protocolEngines);
const start = siteProcesses();
const account = 'ann';
const url = 'https://destination.example/page';

/** How a visitor opens a link, and the status of the redirect. */
const ways = isNight ? ['GET', 'POST'] : ['GET'];

onSome((check) => {
  for (const method of ways)
    check(
      `${method}: no more visitors are redirected than the limit allows when processes are killed`,
      async (t, engine) => {
        const {sites, shortener} = await together(t, engine, {start, size: 6, account});
        const {shortUrl} = await shortener.links.create(account, {url, maxVisits: 300, confirm: method === 'POST'});
        let redirects = 0;
        const visit = async (site: SiteProcess): Promise<void> => {
          const {status} = await site.visit(shortUrl, {method});
          if (status === 302 || status === 303) redirects += 1;
          else t.is(status, 410);
          if (redirects === 50 || redirects === 100 || redirects === 150) await sites[redirects / 50]?.kill();
        };
        await crowd(range(1200), 60, (visitor) => visit(inTurn(sites, visitor)).catch(unlessKilled));
        t.true(redirects <= 300, `${redirects} redirects`);
        t.true(redirects > 200, `${redirects} redirects`);
        const {totalVisits, status} = await shortener.links.info(account, shortUrl);
        t.true(totalVisits >= redirects && totalVisits <= 300, `${redirects} redirects, ${totalVisits} visits`);
        t.is(status, 'expired');
      },
    );
});

onEach((check) => {
  check('of fifty scanners and three persons one person opens a link with one visit', async (t, engine) => {
    const limits = {confirm: 'limited', attribution: {}} as const;
    const {sites, shortener} = await together(t, engine, {start, size: 2, account, limits});
    for (const round of range(4)) {
      const {shortUrl} = await shortener.links.create(account, {url, maxVisits: 1});
      const page = await inTurn(sites, round).visit(shortUrl);
      const [, path = ''] = /action="([^"]+)"/.exec(page.text) ?? [];
      const scan = (turn: number) => inTurn(sites, turn).visit(shortUrl, {method: turn % 3 === 0 ? 'HEAD' : 'GET'});
      const press = (turn: number) => inTurn(sites, turn).request({method: 'POST', path});
      const scans = [...range(25).map(scan)];
      const presses = Promise.all(range(3).map(press));
      scans.push(...range(25).map(scan));
      for (const {status, headers} of [page, ...(await Promise.all(scans))]) {
        t.true(status === 200 || status === 410, String(status));
        t.is(headers.location, undefined);
        t.is(headers['set-cookie'], undefined);
      }
      const pressed = await presses;
      t.deepEqual(pressed.map(({status}) => status).sort(), [303, 410, 410]);
      const [cookie, ...others] = pressed.flatMap(({headers}) => headers['set-cookie'] ?? []);
      t.truthy(viaOf(cookie));
      t.deepEqual(others, []);
      t.like(await shortener.links.info(account, shortUrl), {totalVisits: 1, status: 'expired'});
    }
  });
});
