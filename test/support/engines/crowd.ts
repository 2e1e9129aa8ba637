/** Runs `work` for each item, at most so many at once, and returns the results in order. */
export async function crowd<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  act: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const queue = items.entries();
  async function work(): Promise<void> {
    for (const [index, item] of queue) results[index] = await act(item, index);
  }
  await Promise.all(Array.from({length: atOnce}, work));
  return results;
}

export function range(length: number): number[] {
  return Array.from({length}, (_, index) => index);
}

/** One of the items, round robin. */
export function inTurn<Item>(items: readonly Item[], turn: number): Item {
  const item = items[turn % items.length];
  if (item === undefined) throw new RangeError('There is nothing to take from');
  return item;
}
