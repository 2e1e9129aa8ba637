import {type Way, waysTo} from '../support/engines/cuts.ts';
import {eachOf, sharedEngines} from '../support/engines/each.ts';
import {startSite} from '../support/site.ts';

/** On each way, in milliseconds: long enough for all sent at once to leave before an answer comes. */
const delay = 25;
const visits = 20;

// A file has no wire.
const onEach = await eachOf(sharedEngines.filter(({name}) => name !== 'sqlite'));

function roundTripsOf(ways: readonly Way[]): number {
  return ways.reduce((sum, {proxy}) => sum + (proxy?.roundTrips ?? 0), 0);
}

onEach((check) => {
  check('a redirect of a link seen lately takes one round trip, and two on a cluster', async (t, engine) => {
    // The totals of its account lie under another hash tag, and are added to once the link is known to be unchanged.
    const expected = engine.name === 'redis+cluster' ? 2 : 1;
    const {options, ways} = await waysTo(engine, t, 1);
    const site = await startSite(t, {shortUrl: {...options, store: ways[0]?.store ?? ''}});
    const {short_url} = await site.create();
    for (let seen = 0; seen < 3; seen++) t.is((await site.visit(short_url)).status, 302);

    for (const {proxy} of ways) proxy?.slow(delay);
    const before = roundTripsOf(ways);
    for (let visit = 0; visit < visits; visit++) t.is((await site.visit(short_url)).status, 302);
    const roundTrips = (roundTripsOf(ways) - before) / visits;
    for (const {proxy} of ways) proxy?.slow(0);
    t.log(`${roundTrips.toFixed(2)} round trips`);
    // Less would be an answer before the visit is stored.
    t.true(roundTrips > expected - 0.1);
    t.true(roundTrips < expected + 0.6);
    t.is((await site.info(short_url)).total_visits, visits + 3);
  });
});
