import type {KeyKind, ToolStore} from '../store/port.ts';

/**
 * All keys that begin with the prefix, a few hundred at a time. An engine may list a key twice.
 *
 * @param onAgain called when the listing begins again, because the keys of the engine have moved
 */
export async function* listKeys(
  store: Pick<ToolStore, 'keys'>,
  kind: KeyKind,
  prefix = '',
  onAgain: () => void = () => undefined,
): AsyncGenerator<readonly string[]> {
  let cursor: string | undefined;
  do {
    const {keys, next, beginsAgain} = await store.keys(kind, prefix, cursor);
    if (keys.length > 0) yield keys;
    if (beginsAgain === true) onAgain();
    cursor = next;
  } while (cursor !== undefined);
}

/** Whether the store has no data. */
export async function isEmpty(store: ToolStore): Promise<boolean> {
  for (const kind of ['records', 'counters'] as const) {
    for await (const keys of listKeys(store, kind)) if (keys.length > 0) return false;
  }
  return true;
}

/**
 * Runs `work` for each item, several at once, so that one store reads while the other writes. After a failure no
 * further work starts.
 */
export async function inParallel<Item>(
  items: AsyncIterable<Item>,
  width: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const underWay = new Set<Promise<void>>();
  const failures: unknown[] = [];
  try {
    for await (const item of items) {
      const task = work(item)
        .catch((error: unknown) => void failures.push(error))
        .finally(() => underWay.delete(task));
      underWay.add(task);
      if (underWay.size >= width) await Promise.race(underWay);
      if (failures.length > 0) break;
    }
  } finally {
    await Promise.all(underWay);
  }
  if (failures.length > 0) throw failures[0];
}
