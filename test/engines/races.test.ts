import '../support/quick-scrypt.ts';
import type {ShortUrl} from '../../src/index.ts';
import {collect} from '../support/collect.ts';
import {crowd, inTurn, range} from '../support/engines/crowd.ts';
import {eachOf, protocolEngines, racingEngines} from '../support/engines/each.ts';
import {type SiteProcess, siteProcesses} from '../support/engines/site-processes.ts';
import {together} from '../support/engines/together.ts';

const onEach = await eachOf(racingEngines);
const onSome = await eachOf(protocolEngines);
const start = siteProcesses();
const url = 'https://destination.example/page';
const names = 60;

async function listed(shortener: ShortUrl, account: string): Promise<string[]> {
  return (await collect(shortener.links.list(account))).map(({shortUrl}) => shortUrl);
}

onEach((check) => {
  check('when processes race for a custom URL one gets it, and the others leave nothing behind', async (t, engine) => {
    const {sites, shortener} = await together(t, engine, {start, size: 3});
    // An account for each process, and one for all: there the winner and the losers share a list.
    const accounts = [...range(sites.length).map((index) => `own-${index}`), 'shared'];
    const keys = await Promise.all(accounts.map(async (account) => (await shortener.accounts.create(account)).apiKey));
    const accountOf = (name: number, site: number): number => (name % 4 === 0 ? sites.length : site);
    const expected = accounts.map((): string[] => []);
    const numbers: number[] = [];
    await crowd(range(names), 8, async (name) => {
      const custom_url = `wanted-${name}`;
      const replies = await Promise.all(
        sites.map((site, index) => site.api(keys[accountOf(name, index)] ?? '', 'create', {url, custom_url})),
      );
      for (const [index, reply] of replies.entries()) {
        if (reply.status !== 200) continue;
        numbers.push(reply.json().data.url_id);
        expected[accountOf(name, index)]?.push(`https://example.com/${custom_url}`);
      }
      t.deepEqual(
        replies.map(({status}) => status).sort(),
        [200, ...range(sites.length - 1).map(() => 409)],
        replies.map(({text}) => text).join(),
      );
    });
    t.is(new Set(numbers).size, names);
    t.true(Math.max(...numbers) > names, 'some creates lost only after they had taken an id');
    for (const [index, account] of accounts.entries()) {
      t.deepEqual((await listed(shortener, account)).sort(), expected[index]?.sort());
    }
    const everywhere = await Promise.all(sites.map((site) => site.data(keys.at(-1) ?? '', 'list_active_urls')));
    for (const {urls} of everywhere) t.is(urls.length, (expected.at(-1) ?? []).length);
  });
});

onSome((check) => {
  check('no url_id and no generated short part is given twice', async (t, engine) => {
    const {sites, shortener} = await together(t, engine, {start, size: 3});
    const {apiKey} = await shortener.accounts.create('ann');
    const made = await crowd(range(200), 20, async (index) => inTurn(sites, index).data(apiKey, 'create', {url}));
    t.is(new Set(made.map(({url_id}) => url_id)).size, 200);
    t.is(new Set(made.map(({short_url}) => short_url)).size, 200);
    t.deepEqual((await listed(shortener, 'ann')).sort(), made.map(({short_url}) => short_url).sort());
  });

  check('a rotated key stops in every process once its rotation is acknowledged', async (t, engine) => {
    const {sites, shortener} = await together(t, engine, {start, size: 3});
    const keys = [(await shortener.accounts.create('ann')).apiKey];
    // The numbers of keys whose rotation has begun, and has ended.
    let ending = 0;
    let ended = 0;
    let isOver = false;
    const use = async (site: SiteProcess): Promise<void> => {
      for (let turn = 0; !isOver; turn++) {
        const index = Math.max(0, keys.length - 1 - (turn % 2));
        const hadEnded = index < ended;
        const {status} = await site.api(keys[index] ?? '', 'list_active_urls');
        if (hadEnded) t.is(status, 401);
        else if (index >= ending) t.is(status, 200);
        else t.true(status === 200 || status === 401);
      }
    };
    const uses = sites.map(use);
    for (const round of range(12)) {
      ending += 1;
      const key = await inTurn(sites, round).rotate('ann');
      ended += 1;
      const previous = keys.at(-1) ?? '';
      keys.push(key);
      const answers = await Promise.all(
        sites.flatMap((site) => [site.api(previous, 'list_active_urls'), site.api(key, 'list_active_urls')]),
      );
      t.deepEqual(
        answers.map(({status}) => status),
        sites.flatMap(() => [401, 200]),
      );
    }
    isOver = true;
    await Promise.all(uses);
  });

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

  check(
    'of many calls with `reuse` at once, in several processes, one creates and all get its link',
    async (t, engine) => {
      const {sites, shortener} = await together(t, engine, {start, size: 2});
      const {apiKey} = await shortener.accounts.create('ann');
      for (const round of range(5)) {
        const body = {
          url: `https://destination.example/${round}`,
          reuse: true,
          ...(round > 2 && {custom_url: `part-${round}`}),
        };
        const replies = await Promise.all(range(20).map((turn) => inTurn(sites, turn).post(apiKey, 'create', body)));
        t.deepEqual(new Set(replies.map(({status}) => status)), new Set([200]));
        t.is(new Set(replies.map((reply) => reply.json().data.url_id)).size, 1);
        t.is((await shortener.accounts.stats('ann')).links, round + 1);
      }
    },
  );
});
