import '../support/quick-scrypt.ts';
import {crowd, inTurn, range} from '../support/engines/crowd.ts';
import {eachOf, protocolEngines} from '../support/engines/each.ts';
import {type Change, changeUnderVisits} from '../support/engines/period.ts';
import {type SiteProcess, siteProcesses} from '../support/engines/site-processes.ts';
import {together} from '../support/engines/together.ts';

const onEach = await eachOf(protocolEngines);
const start = siteProcesses();
const account = 'ann';
const url = 'https://destination.example/page';

const blocks = 3;
const rounds = 8;

onEach((check) => {
  check('no redirect begins after blockAccount was acknowledged, and each redirect counts once', async (t, engine) => {
    const {shortener, sites} = await together(t, engine, {start, size: 2});
    const {admin, accounts, links} = shortener;
    await accounts.create(account);
    const link = await links.create(account, {url});
    const changes = range(blocks).flatMap((): Change[] => [
      {apply: () => admin.blockAccount(account), status: 410},
      {apply: () => admin.unblockAccount(account), status: 302},
    ]);
    const redirects = await changeUnderVisits(t, {sites, shortUrl: link.shortUrl, changes});
    t.is((await admin.find(link.shortUrl))?.link.totalVisits, redirects);
  });

  check('no create that races with a block leaves a link that redirects', async (t, engine) => {
    const {shortener, sites} = await together(t, engine, {start, size: 2});
    const {admin, accounts} = shortener;
    const {apiKey} = await accounts.create(account);
    const codes = new Set<number>();
    for (const round of range(rounds)) {
      const creates = range(12).map(async (number) => {
        const reply = await inTurn(sites, number).api(apiKey, 'create', {url});
        codes.add(reply.status);
        return reply;
      });
      await Promise.race(creates.slice(0, 1 + (round % 6)));
      await admin.blockAccount(account);
      // Also the creates that are answered after the block.
      await Promise.all(creates);
      const {links} = await admin.pageLinks({account, limit: 1000});
      await crowd(links, 6, async ({link}, index) => {
        t.is((await inTurn(sites, index).visit(link.shortUrl)).status, 410);
      });
      await admin.unblockAccount(account);
      t.true((await admin.pageLinks({account, limit: 1000})).links.every(({link}) => link.status === 'active'));
    }
    t.deepEqual(new Set([...codes].filter((code) => code !== 200 && code !== 403)), new Set());
    t.true(codes.has(200));
  });

  check('a revoked key is unknown in every process, and a labelled key works in all of them', async (t, engine) => {
    const {shortener, sites} = await together(t, engine, {start, size: 2});
    const {accounts, keys} = shortener;
    await accounts.create(account);
    await crowd(range(rounds), 3, async () => {
      const {id, apiKey} = await keys.create(account, {label: 'Newsletter', scope: 'create'});
      for (const site of sites) t.is((await site.api(apiKey, 'create', {url})).status, 200);
      const uses = sites.map(async (site) => (await site.api(apiKey, 'list_urls', {})).status);
      await keys.revoke(account, id);
      for (const status of await Promise.all(uses)) t.true(status === 200 || status === 401, `${status}`);
      for (const site of sites) t.is((await site.api(apiKey, 'list_urls', {})).status, 401);
    });
    t.deepEqual(await keys.list(account), []);
  });

  check('a blocked link redirects no visitor until it is unblocked, whatever its account does', async (t, engine) => {
    const {shortener, sites} = await together(t, engine, {start, size: 3});
    const {admin, accounts, links} = shortener;
    const {apiKey} = await accounts.create(account);
    const outcomes = new Set<string>();
    await crowd(range(rounds), 3, async (round) => {
      const {shortUrl: short_url} = await links.create(account, {url});
      const change = async (site: SiteProcess, index: number): Promise<void> => {
        const operation = (index + round) % 2 === 0 ? 'disable' : 'enable';
        const {status} = await site.api(apiKey, operation, {short_url});
        t.true(status === 200 || (operation === 'enable' && status === 403), `${operation} answered ${status}`);
        await site.visit(short_url);
      };
      await Promise.all([admin.block(short_url), ...sites.map(change)]);
      for (const site of sites) {
        t.is((await site.visit(short_url)).status, 410);
        t.is((await site.data(apiKey, 'info', {short_url})).status, 'disabled');
        t.is((await site.api(apiKey, 'enable', {short_url})).status, 403);
      }
      if (round % 2 === 0) await inTurn(sites, round).data(apiKey, 'disable', {short_url});
      const {status} = (await admin.unblock(short_url)).link;
      if (round % 2 === 0) t.is(status, 'disabled');
      for (const site of sites) {
        t.is((await site.data(apiKey, 'info', {short_url})).status, status);
        t.is((await site.visit(short_url)).status, status === 'active' ? 302 : 410);
      }
      outcomes.add(status);
    });
    t.true(outcomes.has('disabled'));
  });
});
