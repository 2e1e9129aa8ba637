import {randomInt} from 'node:crypto';
import {setTimeout as delay} from 'node:timers/promises';
import type {ExecutionContext} from 'ava';
import {crowd, inTurn, range} from './crowd.ts';
import type {SiteProcess} from './site-processes.ts';

/** The number of processes that are killed on each engine. */
const kills = Number(process.env['KILLS'] ?? 3);

/**
 * Sends so many different calls to a process, each several times, and kills it after some answers; and so on with the
 * next processes, two at a time. Two more processes answer each call in the end. Returns the number of calls without an
 * answer.
 *
 * @param send rejects with a message that begins with a status if the answer was none that the test expects
 */
export async function killWhileCalling(
  t: ExecutionContext,
  start: () => Promise<SiteProcess>,
  count: number,
  send: (site: SiteProcess, number: number) => Promise<void>,
): Promise<number> {
  let lost = 0;
  await crowd(range(kills), 2, async (_, index) => {
    const site = await start();
    // Most processes are killed before calls that no other one has answered.
    const first = Math.floor((index * count) / kills);
    let answersLeft = randomInt(1, count);
    let enough = (): void => undefined;
    const killing = new Promise<void>((resolve) => {
      enough = resolve;
    });
    const work = crowd(range(3 * count), 20, async (turn) => {
      await send(site, (first + turn) % count).then(
        () => {
          if (--answersLeft === 0) enough();
        },
        (error: unknown) => {
          if (/^\d{3} /.test((error as Error).message)) throw error;
          lost += 1;
        },
      );
    });
    await Promise.race([killing, work]);
    // Not only right after an answer, also where one takes several calls.
    await delay(randomInt(40));
    await site.kill();
    await work;
    t.deepEqual(site.failures, []);
  });
  const sites = [await start(), await start()];
  await crowd(range(2 * count), 20, (turn) => send(inTurn(sites, Math.floor(turn / count)), turn % count));
  t.log(`${lost} answers were lost`);
  return lost;
}
