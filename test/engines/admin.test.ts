import {randomInt} from 'node:crypto';
import type {OwnedLink, ShortUrl} from '../../src/index.ts';
import {collect} from '../support/collect.ts';
import {crowd, inTurn, range} from '../support/engines/crowd.ts';
import {eachOf, protocolEngines} from '../support/engines/each.ts';
import {unlessKilled} from '../support/engines/load.ts';
import {type SiteProcess, siteProcesses} from '../support/engines/site-processes.ts';
import {together} from '../support/engines/together.ts';

const onEach = await eachOf(protocolEngines);
const start = siteProcesses();
const account = 'ann';
const url = 'https://destination.example/page';

const rounds = 8;
const owners = 40;
const creations = 150;
const registrations = 80;
const kills = 2;

async function accountsOf({admin}: ShortUrl): Promise<string[]> {
  return (await collect(admin.accounts())).map(({account}) => account);
}

onEach((check) => {
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

  check(
    'the list of all links has each once, the newest first, in full pages, while processes write',
    async (t, engine) => {
      const {shortener, sites} = await together(t, engine, {start, size: 3});
      const {accounts, admin} = shortener;
      const keys = await Promise.all(range(owners).map(async (owner) => accounts.create(`owner-${owner}`)));
      const kept = new Set<string>();
      await crowd(range(creations), 12, async (number) => {
        const {apiKey} = inTurn(keys, number);
        const {short_url} = await inTurn(sites, number).data(apiKey, 'create', {url});
        if (number % 5 > 0) kept.add(short_url);
        else await inTurn(sites, number + 1).data(apiKey, 'remove', {short_url});
      });
      const pages: OwnedLink[][] = [];
      for (let cursor: string | undefined; pages.length === 0 || cursor !== undefined;) {
        const page = await admin.pageLinks({limit: 50, cursor});
        pages.push([...page.links]);
        cursor = page.nextCursor;
      }
      t.deepEqual(
        pages.map(({length}) => length),
        [50, 50, 20],
      );
      const ids = pages.flat().map(({link}) => link.urlId);
      t.deepEqual(
        ids,
        ids.toSorted((one, other) => other - one),
      );
      const listed = pages.flat().map(({link}) => link.shortUrl);
      t.deepEqual(listed.toSorted(), Array.from(kept).toSorted());
      t.is((await admin.stats()).links, kept.size);
    },
  );

  check('every account is listed once, also if the process that registered it was killed', async (t, engine) => {
    t.timeout(600_000);
    const {shortener, sites, options} = await together(t, engine, {start, size: 3});
    const answered = new Set<string>();
    const work = [...range(registrations).keys()];
    const register = async (site: SiteProcess): Promise<void> => {
      for (let number = work.pop(); number !== undefined; number = work.pop()) {
        // Some are registered by several processes at once.
        const name = `account-${number >> 1}`;
        const before = number % 20 === 0 ? [...answered] : [];
        await site.register(name);
        answered.add(name);
        // Every account that was answered before the listing began is in it.
        if (before.length === 0) continue;
        const listed = new Set(await accountsOf(shortener));
        t.true(before.every((each) => listed.has(each)));
      }
    };
    const surviving = Promise.all(sites.flatMap((site) => [register(site), register(site)]));
    await crowd(range(kills), 2, async () => {
      const site = await start(t, options);
      const dying = register(site).catch(unlessKilled);
      await crowd(range(randomInt(1, 6)), 1, () => site.register(`early-${randomInt(1e9)}`));
      await site.kill();
      await dying;
    });
    await surviving;
    const listed = await accountsOf(shortener);
    t.is(new Set(listed).size, listed.length, 'none is listed twice');
    for (const name of answered) t.true(listed.includes(name), `${name} was registered and is not listed`);
    for (const name of listed) t.not(await shortener.accounts.apiKey(name), undefined);
  });
});
