import {Deadline} from '../../../src/store/failing/deadline.ts';
import type {Driver} from '../../../src/store/driver.ts';

const visits = 3000;
const values = 15;

/** The rows of two keys at most: their counters, and the combinations since the writer last looked at each, mostly 500. */
export const maxCombinedRows = 2 * (1 + 3 * values) + 3000;

/**
 * Makes visits whose details have almost never been together before.
 *
 * @returns the counters of each key
 */
export async function raiseCombinations(driver: Driver, keys: readonly string[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (let index = 0; index < visits; index += 1) {
    const details = ['a', 'b', 'c'].map((detail, place) => `${detail}:${Math.floor(index / values ** place) % values}`);
    const add = Object.fromEntries(['visits', ...details].map((name) => [name, 1])) as Record<string, number>;
    for (const name in add) counts[name] = (counts[name] ?? 0) + 1;
    const additions = keys.map((key) => ({keys: [key], adds: [add], at: index}));
    await driver.count({writer: `${keys.join()}:w`, number: index + 1, additions}, new Deadline(20_000));
  }
  return counts;
}
