import {RowSums} from '../batching/joint-counters.ts';
import type {CounterRows} from '../driver.ts';
import type {Counters, KeyPart} from '../port.ts';

/** Keys in one part of a listing. */
export const keysAtOnce = 1000;

/** The end of the keys that begin with `prefix`: keys are printable ASCII, and the engines sort them by their bytes. */
export function endOf(prefix: string): string {
  return `${prefix}\x7f`;
}

export function keyPart(keys: readonly string[]): KeyPart {
  return {keys, next: keys.length === keysAtOnce ? keys.at(-1) : undefined};
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

/** The counters in the order of the keys, from rows with the columns `key`, `name`, `n` and `at`. */
export function countersOf(
  keys: readonly string[],
  rows: ReadonlyArray<Readonly<Record<string, unknown>>>,
  names: readonly string[] | undefined,
): Counters[] {
  const found = new Map(keys.map((key) => [key, new RowSums(names)]));
  for (const {key, name, n, at} of rows) {
    found.get(String(key))?.add(String(name), Number(n), at === null ? undefined : Number(at));
  }
  return Array.from(found.values(), ({counters}) => counters);
}
