/** A key and its record. */
export type Row = readonly [key: string, record: unknown];

/**
 * Inserts rows through a driver, which takes distinct keys. If several callers insert the same key, the first one
 * succeeds, and the others get false.
 */
export async function insertDistinct(
  rows: readonly Row[],
  insert: (rows: readonly Row[]) => Promise<ReadonlyArray<boolean | Error>>,
): Promise<ReadonlyArray<boolean | Error>> {
  const first = new Map<string, Row>();
  for (const row of rows) if (!first.has(row[0])) first.set(row[0], row);
  const distinct = Array.from(first.values());
  const inserted = await insert(distinct);
  const results = new Map(distinct.map(([key], index) => [key, inserted[index] ?? false]));
  return rows.map((row) => {
    const result = results.get(row[0]) ?? false;
    return first.get(row[0]) === row || result instanceof Error ? result : false;
  });
}

/** Increments sequences through a driver, which takes distinct keys. Each caller gets a number of its own. */
export async function incrementDistinct(
  keys: readonly string[],
  increment: (steps: ReadonlyArray<readonly [key: string, by: number]>) => Promise<readonly number[]>,
): Promise<readonly number[]> {
  const steps = new Map<string, number>();
  for (const key of keys) steps.set(key, (steps.get(key) ?? 0) + 1);
  const ends = await increment(Array.from(steps));
  const next = new Map(Array.from(steps, ([key, by], index) => [key, Number(ends[index]) - by]));
  return keys.map((key) => {
    const value = (next.get(key) ?? 0) + 1;
    next.set(key, value);
    return value;
  });
}
