import '../support/quick-scrypt.ts';
import type {ExecutionContext} from 'ava';
import {type Way, waysTo} from '../support/engines/cuts.ts';
import {eachOf, sharedEngines} from '../support/engines/each.ts';
import type {Engine} from '../support/engines/engines.ts';
import {startSite} from '../support/site.ts';

/** Milliseconds in each direction; long enough for all commands sent together to leave before a reply comes. */
const delay = 75;
const visits = 10;

// A file has no round trips.
const onEach = await eachOf(sharedEngines.filter(({name}) => name !== 'sqlite'));

function roundTripsOf(ways: readonly Way[]): number {
  return ways.reduce((sum, {proxy}) => sum + (proxy?.roundTrips ?? 0), 0);
}

/** @param trips as many round trips a redirect takes, and one more on a cluster */
async function redirect(t: ExecutionContext, engine: Engine, trips: number, maxVisits: number | null): Promise<void> {
  const {options, ways} = await waysTo(engine, t, 1);
  const site = await startSite(t, {shortUrl: {...options, store: ways[0]?.store ?? ''}});
  const {short_url} = await site.create();
  // What decides costs nothing more.
  const rules = [{device: 'ios', url: 'https://phone.example/'}] as const;
  const deciding = {
    startDate: '2031-05-01',
    expiredUrl: 'https://over.example/',
    forwardQuery: true,
    rules,
    maxVisits,
  };
  await site.shortener.links.update('user-42', short_url, deciding);
  for (let seen = 0; seen < 3; seen++) t.is((await site.visit(short_url)).status, 302);

  for (const {proxy} of ways) proxy?.slow(delay);
  const before = roundTripsOf(ways);
  const start = performance.now();
  for (let visit = 0; visit < visits; visit++) t.is((await site.visit(short_url)).status, 302);
  const waited = (performance.now() - start) / (2 * delay);
  // The parts of a batch travel to the nodes of a cluster concurrently, so the proxies count too many there.
  const roundTrips = (ways.length > 1 ? waited : roundTripsOf(ways) - before) / visits;
  for (const {proxy} of ways) proxy?.slow(0);
  t.log(`${roundTrips.toFixed(2)} round trips`);
  // Less would mean an answer before the visit is stored.
  const expected = engine.name === 'redis+cluster' ? trips + 1 : trips;
  t.true(roundTrips > expected - 0.1);
  t.true(roundTrips < expected + 0.6);
  t.is((await site.info(short_url)).total_visits, visits + 3);
}

onEach((check) => {
  check('a redirect of a link seen lately takes one round trip, and two on a cluster', (t, engine) =>
    redirect(t, engine, 1, null),
  );
  check('a redirect of a link with a visit limit takes one round trip more', (t, engine) =>
    redirect(t, engine, 2, 1000),
  );
});
