import {accounts, slugs} from '../seen.ts';
import type {Shard} from '../server.ts';
import type {Story} from '../story.ts';
import {accountBlocks, keys, removals, scopes, shownKeys} from './accounts.ts';
import {conversions, customers} from './conversions.ts';
import {healing} from './clocks.ts';
import {copies} from './copies.ts';
import {answersOnce, creates, linksOnce, reuses, usedQuota} from './creates.ts';
import {exports} from './exports.ts';
import {leftovers} from './leftovers.ts';
import {closing, liveness} from './liveness.ts';
import {completeLists, destinations, linearizability, loops} from './links.ts';
import {references} from './references.ts';
import {content, listings} from './store.ts';
import {attempts, counts, dates, imports, limits, outages} from './visits.ts';

/** Why a story breaks a promise; empty if it does not. Called when nothing happens any more. */
export async function judge(story: Story): Promise<readonly string[]> {
  const problems = liveness(story).concat(await judgeAll(story));
  return problems.concat(await closing(story));
}

async function judgeAll(story: Story): Promise<readonly string[]> {
  const {world} = story;
  const problems: string[] = [];
  // No client can repair what a failover has lost. The program only has to go on.
  if (['server', 'slots', 'pointers'].some((shard) => world.lost.has(shard as Shard)))
    return [...world.faults, ...problems];
  const site = world.open();
  // Numbers may have been given twice, and visits be lost, but every link is in its lists.
  if (world.lost.size > 0) {
    problems.push(...(await world.calmly(site, () => listings(story, site))));
    return [...world.faults, ...problems];
  }
  for (const link of slugs.keys()) {
    for (const account of [0, 1, 2]) await story.calmly(site, {do: 'info', account, link});
    await story.calmly(site, {do: 'visit', link});
  }
  const account = accounts.findIndex((name) =>
    story.seen.some((each) => each.do === 'import' && each.account === name),
  );
  if (account >= 0) await story.calmly(site, {do: 'import', account});
  for (const action of story.plan.clients.flat()) {
    if (['createOnce', 'convert', 'refund'].includes(action.do)) await story.calmly(site, action);
    // The customer may have been forgotten since.
    else if (action.do === 'renew') await story.calmly(site, {...action, do: 'convert'});
  }
  // Each key that an account ever got.
  for (const account of accounts.keys()) {
    const issued = story.seen.filter((each) => each.account === accounts[account] && each.do === 'issueKey');
    for (const variant of issued.keys()) await story.calmly(site, {do: 'authenticate', account, variant});
  }
  for (const judgement of [
    counts,
    imports,
    shownKeys,
    content,
    leftovers,
    linksOnce,
    reuses,
    usedQuota,
    references,
    conversions,
    customers,
    copies,
    exports,
  ]) {
    problems.push(...(await world.calmly(site, () => judgement(story, site))));
  }
  const promises = [
    linearizability,
    completeLists,
    destinations,
    loops,
    creates,
    answersOnce,
    limits,
    dates,
    outages,
    attempts,
    keys,
    scopes,
    removals,
    accountBlocks,
  ];
  for (const judgement of promises) {
    problems.push(...judgement(story));
  }
  problems.push(...(await healing(story)));
  return [...world.faults, ...problems];
}
