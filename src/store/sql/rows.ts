import type {CounterRows} from '../driver.ts';
import type {Counters, KeyAddition, KeyPart} from '../port.ts';

/** Keys in one part of a listing. */
export const keysAtOnce = 1000;

/** The end of the keys that begin with `prefix`: keys are printable ASCII, and the engines sort them by their bytes. */
export function endOf(prefix: string): string {
  return `${prefix}\x7f`;
}

export function keyPart(keys: readonly string[]): KeyPart {
  return {keys, next: keys.length === keysAtOnce ? keys.at(-1) : undefined};
}

/** The increments of a batch, as rows. */
export function raisedRows(
  increments: ReadonlyArray<KeyAddition['add']>,
): ReadonlyArray<{readonly increment: number; readonly name: string; readonly n: number}> {
  return increments.flatMap((add, increment) => Object.entries(add).map(([name, n]) => ({increment, name, n})));
}

/** A counter to set. */
interface SetRow {
  readonly key: string;
  readonly name: string;
  readonly n: number;
  readonly at: number | undefined;
}

/** The rows for counters to set. */
export function setRows(rows: CounterRows): SetRow[] {
  return rows.flatMap(([key, {counts, at}]) => Array.from(counts, ([name, n]) => ({key, name, n, at})));
}

/** The counters of each key from rows with the columns `key`, `name`, `n` and `at`. */
export function countersOf(
  keys: readonly string[],
  rows: ReadonlyArray<Readonly<Record<string, unknown>>>,
): Counters[] {
  const found = new Map(
    keys.map((key) => [key, {counts: new Map<string, number>(), at: undefined as number | undefined}]),
  );
  for (const {key, name, n, at} of rows) {
    const counters = found.get(String(key));
    counters?.counts.set(String(name), Number(n));
    if (counters && at !== null) counters.at = Math.max(counters.at ?? 0, Number(at));
  }
  return keys.map((key) => found.get(key) as Counters);
}
