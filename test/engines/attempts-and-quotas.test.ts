import '../support/quick-scrypt.ts';
import {range} from '../support/engines/crowd.ts';
import {eachOf, protocolEngines} from '../support/engines/each.ts';
import {type SiteProcess, siteProcesses} from '../support/engines/site-processes.ts';
import {together} from '../support/engines/together.ts';
import type {Reply} from '../support/request.ts';

const onEach = await eachOf(protocolEngines);
const start = siteProcesses();
const url = 'https://destination.example/page';

/** Sends the request from all processes at once, so many times from each. */
function everywhere(
  sites: readonly SiteProcess[],
  times: number,
  ask: (site: SiteProcess) => Promise<Reply>,
): Promise<Reply[]> {
  return Promise.all(sites.flatMap((site) => range(times).map(() => ask(site))));
}

function statusesOf(replies: readonly Reply[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const {status} of replies) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

onEach((check) => {
  check('of concurrent wrong passwords in all processes only as many as the limit are compared', async (t, engine) => {
    const {sites, shortener} = await together(t, engine, {
      start,
      size: 4,
      account: 'ann',
      limits: {passwordAttempts: 6},
    });
    const link = await shortener.links.create('ann', {url, password: 's3cret'});
    const other = await shortener.links.create('ann', {url, password: 's3cret'});
    const right = await everywhere(sites, 2, (site) => site.submit(link.shortUrl, 's3cret'));
    t.deepEqual(
      statusesOf(right),
      {303: 8},
      'right passwords use up no attempts, not even while they are being compared',
    );
    const wrong = await everywhere(sites, 10, (site) => site.submit(link.shortUrl, 'wrong'));
    t.deepEqual(statusesOf(wrong), {401: 6, 429: 34});
    const late = await everywhere(sites, 1, (site) => site.submit(link.shortUrl, 's3cret'));
    t.deepEqual(statusesOf(late), {429: 4});
    for (const {headers} of late) {
      const seconds = Number(headers['retry-after']);
      t.true(seconds > 10 * 60 && seconds <= 15 * 60, `Retry-After: ${seconds}`);
    }
    t.deepEqual(statusesOf(await everywhere(sites, 1, (site) => site.submit(other.shortUrl, 's3cret'))), {303: 4});
    t.is((await shortener.links.info('ann', link.shortUrl)).totalVisits, 8);
  });

  check('of concurrent creates in all processes exactly as many succeed as the quota allows', async (t, engine) => {
    const {sites, shortener} = await together(t, engine, {start, size: 4, limits: {createQuota: 25}});
    const {apiKey} = await shortener.accounts.create('ann');
    const {apiKey: another} = await shortener.accounts.create('bob');
    const create = (site: SiteProcess): Promise<Reply> => site.api(apiKey, 'create', {url});
    const [first, ...others] = sites as [SiteProcess, ...SiteProcess[]];
    t.deepEqual(statusesOf(await everywhere([first], 5, create)), {200: 5});
    t.deepEqual(statusesOf(await everywhere(others, 20, create)), {200: 20, 429: 40});
    for (const reply of await everywhere(sites, 1, create)) {
      t.is(reply.json().data.error, 'too_many_requests');
      t.true(Number(reply.headers['retry-after']) >= 1 && Number(reply.headers['retry-after']) <= 86_400);
    }
    t.is((await first.data(apiKey, 'list_active_urls')).urls.length, 25);
    t.is((await first.api(another, 'create', {url})).status, 200);
  });
});
