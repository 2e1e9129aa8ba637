import {randomInt} from 'node:crypto';
import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {ExecutionContext} from 'ava';
import {importLinks} from '../../src/tools/import/import-links.ts';
import type {ImportOptions} from '../../src/tools/import/import-options.ts';
import {collect} from '../support/collect.ts';
import {compiled} from '../support/engines/compiled.ts';
import {eachOf, protocolEngines, sharedEngines} from '../support/engines/each.ts';
import {type EngineOptions, freshOn} from '../support/engines/engines.ts';
import {runFor} from '../support/tools/killed.ts';
import {type RunningSite, runSite} from '../support/tools/world.ts';

const onEach = await eachOf(sharedEngines);
const onSome = await eachOf(protocolEngines);
const script = compiled('test/support/tools/import-process.ts');

const number = 600;
const visitsOf = (index: number): number => (index % 3 === 0 ? 0 : index);

/** A dump of YOURLS in a file, removed after the test. */
async function dumpFile(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'koa-short-url-'));
  t.teardown(() => rm(folder, {recursive: true, force: true}));
  const rows = Array.from({length: number}, (_, index) => {
    const seconds = String(index % 60).padStart(2, '0');
    const minutes = String(Math.floor(index / 60)).padStart(2, '0');
    const date = `2020-01-01 10:${minutes}:${seconds}`;
    return `('n${index}','https://destination.example/${index}','Title ''${index}''','${date}','::1',${visitsOf(index)})`;
  });
  const file = join(folder, 'dump.sql');
  await writeFile(file, `INSERT INTO \`yourls_url\` VALUES ${rows.join(',')};\n`);
  return file;
}

const optionsOn = ({store, namespace}: EngineOptions, file: string): ImportOptions => ({
  ...{store, namespace, account: 'ann', baseUrl: 'https://example.com', format: 'yourls', file},
});

/** Checks that every link was imported once, with its visits. */
async function findLinks(t: ExecutionContext, {shortener}: RunningSite): Promise<void> {
  const links = await collect(shortener.links.list('ann'));
  const byPart = new Map(links.map((link) => [link.shortUrlPart, link]));
  t.is(links.length, number);
  t.is(byPart.size, number);
  t.is(new Set(links.map(({urlId}) => urlId)).size, number);
  for (let index = 0; index < number; index += 1) {
    t.like(byPart.get(`n${index}`), {
      originalUrl: `https://destination.example/${index}`,
      title: `Title '${index}'`,
      totalVisits: visitsOf(index),
      status: 'active',
    });
  }
}

async function findEverything(t: ExecutionContext, site: RunningSite): Promise<void> {
  await findLinks(t, site);
  const sum = Array.from({length: number}, (_, index) => visitsOf(index)).reduce((one, other) => one + other);
  t.like(await site.shortener.accounts.stats('ann'), {links: number, totalVisits: sum});
}

onEach((check) => {
  check('an import adds every link with its visits, and a second import changes nothing', async (t, engine) => {
    const place = await freshOn(engine, t);
    const site = await runSite(t, place);
    await site.shortener.accounts.create('ann');
    const options = optionsOn(place, await dumpFile(t));
    t.like(await importLinks(options), {read: number, imported: number, rejected: 0});
    await findEverything(t, site);
    t.like(await importLinks(options), {read: number, imported: 0, unchanged: number, rejected: 0});
    await findEverything(t, site);
    t.is((await site.visit('https://example.com/n7')).headers.location, 'https://destination.example/7');
    t.is((await site.shortener.links.info('ann', 'https://example.com/n7')).totalVisits, 8);
  });
});

onSome((check) => {
  check('an import that was killed several times ends with the same result', async (t, engine) => {
    const place = await freshOn(engine, t);
    const site = await runSite(t, place);
    await site.shortener.accounts.create('ann');
    const options = optionsOn(place, await dumpFile(t));
    let kills = 0;
    let isDone = false;
    for (let longest = 150; !isDone; longest *= 1.3) {
      isDone = await runFor(t, await script(), options, randomInt(Math.round(longest)));
      kills += isDone ? 0 : 1;
    }
    t.log(`${kills} imports were killed`);
    t.like(await importLinks(options), {read: number, imported: 0, unchanged: number, rejected: 0});
    // The totals of the account may lack the last batch of each killed run.
    await findLinks(t, site);
  });
});
