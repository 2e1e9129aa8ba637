import {randomInt} from 'node:crypto';
import type {Counters, Increments} from '../port.ts';

/**
 * The rows in which an SQL engine stores counters. A visit raises several counters by the same amount. They share a joint
 * row, whose name is a space and their names with spaces between them, so a visit writes one row instead of three. Reads
 * add both kinds of rows. A key that has many joint rows is folded: their amounts move to rows of the single counters.
 */

/** Joint names sort before it, and all others behind it, because they are printable. */
export const endOfJoint = '!';

/** The longest name of a row, in characters. */
export const maxName = 640;

/** The maximum number of joint rows of a key that a read leaves. */
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
  #joint = 0;
  readonly #names: readonly string[] | undefined;

  /** @param names the counters to read; by default all of them */
  constructor(names?: readonly string[]) {
    this.#names = names;
  }

  get counters(): Counters {
    return {counts: this.#counts, at: this.#at};
  }

  /** Whether the key has so many joint rows that a read folds it. */
  get isFull(): boolean {
    return this.#joint > maxJoint;
  }

  add(row: string, n: number, at: number | undefined): void {
    const isJoint = row.startsWith(' ');
    if (isJoint) this.#joint += 1;
    let isAdded = false;
    for (const name of isJoint ? row.slice(1).split(' ') : [row]) {
      if (this.#names?.includes(name) === false) continue;
      this.#counts.set(name, (this.#counts.get(name) ?? 0) + n);
      isAdded = true;
    }
    if (isAdded && at !== undefined) this.#at = Math.max(this.#at ?? 0, at);
  }
}

/** The additions between two reads by which a writer folds keys that nobody else reads. */
const minAdditions = 256;

/** Chooses the keys that a writer reads, so that the number of joint rows stays bounded. */
export class FoldTurns {
  #left = minAdditions;

  /** A key of the batch, if it is time for a read. */
  next(added: ReadonlyArray<{readonly key: string}>): string | undefined {
    this.#left -= added.length;
    if (this.#left > 0) return undefined;
    this.#left = minAdditions + randomInt(minAdditions);
    return added[randomInt(added.length)]?.key;
  }
}
