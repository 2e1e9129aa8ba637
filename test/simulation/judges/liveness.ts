import {inspect} from 'node:util';
import type {Story} from '../story.ts';

/** In milliseconds, some times as much as any request of thousands of plans has needed, with all of its deadlines. */
const patience = 30_000;

/** Once the last fault is over, each request ends soon, and soon after that nothing waits for anything. */
export function liveness({plan, unfinished, ended, quietAt, world}: Story): string[] {
  const problems: string[] = [];
  if (unfinished.size > 0) problems.push(`These never ended: ${inspect(unfinished)}`);
  // Postgres in WebAssembly has timers of its own, such as that of its statistics, and they wait for its clock.
  const isOurs = world.engine === undefined;
  const isTimed = isOurs || world.clockDifference === 0;
  const calm = Math.max(0, ...plan.faults.map((fault) => fault.at + ('duration' in fault ? fault.duration : 0)));
  for (const {action, from, until} of ended) {
    const took = until - Math.max(from, calm);
    if (isTimed && took > patience) problems.push(`${inspect(action)} took ${took} ms`);
  }
  const rest = quietAt - Math.max(calm, ...ended.map(({until}) => until));
  if (isOurs && rest > patience) problems.push(`Something was done ${rest} ms after the last request`);
  for (const {process, log} of world.running) {
    if (log.unstored > 0) problems.push(`${process.name} keeps ${log.unstored} visits although the store answers`);
  }
  return problems;
}

/** Whoever is closed when all is quiet has nothing to wait for, and leaves no timer and no connection. */
export async function closing({world}: Story): Promise<string[]> {
  const {timeline, running} = world;
  await world.wait(Math.max(0, ...running.map(({process}) => process.stalledUntil - timeline.now)));
  const before = timeline.now;
  for (const site of running) {
    await world.calmly(site, async () => {
      await site.log.close(patience);
      await site.store.close(patience);
    });
  }
  const inUse = world.engine?.inUse?.() ?? 0;
  if (inUse > 0) return [`${inUse} connections were left`];
  // The simulated connections of an engine do not tell a request that they were ended, so its driver waits for it.
  const isQuiet = world.engine !== undefined || timeline.now === before;
  return isQuiet ? [] : [`Something was done ${timeline.now - before} ms after the end`];
}
