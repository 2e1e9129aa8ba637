import {randomInt} from 'node:crypto';
import type {Counters, Increments} from '../port.ts';

/**
 * The rows in which an SQL engine stores counters. A visit raises several counters by the same amount. They share a joint
 * row, whose name is a space and their names with spaces between them, so a visit writes one row instead of three. Reads
 * add both kinds of rows. A writer splits a key that has many joint rows: their amounts move to rows of the single counters.
 */

/** Joint names sort before it, and all others behind it, because they are printable. */
export const endOfJoint = '!';

/** The longest name of a row, in characters. */
export const maxName = 640;

/** The number of joint rows of a key above which a writer splits it. */
export const maxJoint = 64;

/** The rows of an addition: one for all counters with the largest amount, and one for each of the others. */
export function rowsOf(add: Increments): Array<readonly [name: string, n: number]> {
  const rows: Array<readonly [name: string, n: number]> = [];
  const most = Math.max(...Object.values(add));
  let joint = '';
  for (const [name, n] of Object.entries(add)) {
    if (n === most && joint.length + 1 + name.length <= maxName) joint += ` ${name}`;
    else rows.push([name, n]);
  }
  const isSingle = !joint.includes(' ', 1);
  if (joint !== '') rows.push([isSingle ? joint.slice(1) : joint, most]);
  return rows;
}

/** Adds up the rows of one key. */
export class RowSums {
  readonly #counts = new Map<string, number>();
  #at: number | undefined;
  readonly #names: ReadonlySet<string> | undefined;

  /** @param names the counters to read; by default all of them */
  constructor(names?: ReadonlySet<string>) {
    this.#names = names;
  }

  get counters(): Counters {
    return {counts: this.#counts, at: this.#at};
  }

  add(row: string, n: number, at: number | undefined): void {
    let isAdded = false;
    for (const name of row.startsWith(' ') ? row.slice(1).split(' ') : [row]) {
      if (this.#names?.has(name) === false) continue;
      this.#counts.set(name, (this.#counts.get(name) ?? 0) + n);
      isAdded = true;
    }
    if (isAdded && at !== undefined) this.#at = Math.max(this.#at ?? 0, at);
  }
}

/** How many additions a writer stores, on average, before it looks at one more key. */
const additionsPerLook = 256;

/**
 * The key of a batch whose joint rows the writer counts, so that their number stays bounded. Mostly there is none. It is
 * drawn, so that the keys with the most additions are looked at most often.
 */
export function keyToSplit(added: ReadonlyArray<{readonly key: string}>): string | undefined {
  return randomInt(additionsPerLook) < added.length ? added[randomInt(added.length)]?.key : undefined;
}
