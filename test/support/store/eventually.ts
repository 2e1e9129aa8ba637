import {setTimeout as delay} from 'node:timers/promises';

/**
 * Asks again until the answer is no failure; for what another program does in its own time.
 *
 * @param patience after how many milliseconds to give up
 */
export async function eventually<Result>(question: () => Promise<Result>, patience = 20_000): Promise<Result> {
  const end = performance.now() + patience;
  for (;;) {
    try {
      return await question();
    } catch (error) {
      if (performance.now() > end) throw error;
      await delay(20);
    }
  }
}
