import {setTimeout as delay} from 'node:timers/promises';

/**
 * Retries until the answer is not a failure. For things that another program does in its own time.
 *
 * @param timeout milliseconds after which to give up
 */
export async function eventually<Result>(question: () => Promise<Result>, timeout = 20_000): Promise<Result> {
  const end = performance.now() + timeout;
  for (;;) {
    try {
      return await question();
    } catch (error) {
      if (performance.now() > end) throw error;
      await delay(20);
    }
  }
}
