import '../support/quick-scrypt.ts';
import type {ExecutionContext} from 'ava';
import {importLinks} from '../../src/tools/import/import-links.ts';
import {collect} from '../support/collect.ts';
import {range} from '../support/engines/crowd.ts';
import {eachOf, sharedEngines} from '../support/engines/each.ts';
import {freshOn} from '../support/engines/engines.ts';
import {type RunningSite, runSite} from '../support/tools/world.ts';

const onEach = await eachOf(sharedEngines);

const number = 600;
const visitsOf = (index: number): number => (index % 3 === 0 ? 0 : index);

/** A dump of YOURLS. */
const rows = range(number).map((index) => {
  const [minutes, seconds] = [Math.floor(index / 60), index % 60].map((part) => String(part).padStart(2, '0'));
  const date = `2020-01-01 10:${minutes}:${seconds}`;
  return `('n${index}','https://destination.example/${index}','Title ''${index}''','${date}','::1',${visitsOf(index)})`;
});
const dump = `INSERT INTO \`yourls_url\` VALUES ${rows.join(',')};\n`;

/** Checks that every link was imported once, with its visits. */
async function findEverything(t: ExecutionContext, {shortener}: RunningSite): Promise<void> {
  const links = await collect(shortener.links.list('ann'));
  t.is(links.length, number);
  t.is(new Set(links.map(({urlId}) => urlId)).size, number);
  const byPart = new Map(links.map((link) => [link.shortUrlPart, link]));
  for (const index of range(number)) {
    t.like(byPart.get(`n${index}`), {
      originalUrl: `https://destination.example/${index}`,
      title: `Title '${index}'`,
      totalVisits: visitsOf(index),
      status: 'active',
    });
  }
  const totalVisits = range(number).reduce((sum, index) => sum + visitsOf(index), 0);
  t.like(await shortener.accounts.stats('ann'), {links: number, totalVisits});
}

onEach((check) => {
  check('an import adds every link with its visits, and a second import changes nothing', async (t, engine) => {
    const {store, namespace, secret} = await freshOn(engine, t);
    const site = await runSite(t, {store, namespace, secret});
    await site.shortener.accounts.create('ann');
    const place = {store, namespace, account: 'ann', baseUrl: 'https://example.com'};
    for (const imported of [number, 0]) {
      const summary = await importLinks({...place, format: 'yourls', file: [dump]});
      t.like(summary, {read: number, imported, unchanged: number - imported, rejected: 0});
      await findEverything(t, site);
    }
    t.is((await site.visit('https://example.com/n7')).headers.location, 'https://destination.example/7');
    t.is((await site.shortener.links.info('ann', 'https://example.com/n7')).totalVisits, 8);
  });
});
