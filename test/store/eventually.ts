import {setTimeout as delay} from 'node:timers/promises';

/** Asks again until the answer is no failure; for what another program does in its own time. Gives up after 20 seconds. */
export async function eventually<Result>(question: () => Promise<Result>): Promise<Result> {
  const end = performance.now() + 20_000;
  for (;;) {
    try {
      return await question();
    } catch (error) {
      if (performance.now() > end) throw error;
      await delay(20);
    }
  }
}
