import type {KeyKind, ToolStore} from '../store/port.ts';

/** All keys that begin with the prefix, some hundred at a time. An engine may list a key twice. */
export async function* listKeys(
  store: Pick<ToolStore, 'keys'>,
  kind: KeyKind,
  prefix = '',
): AsyncGenerator<readonly string[]> {
  let cursor: string | undefined;
  do {
    const {keys, next} = await store.keys(kind, prefix, cursor);
    if (keys.length > 0) yield keys;
    cursor = next;
  } while (cursor !== undefined);
}

/**
 * Whether a listing may miss keys that are there all the time: on a Redis Cluster whose slots move meanwhile. No engine
 * tells a cluster from a single Redis here.
 */
export function mayMissKeys({engine}: Pick<ToolStore, 'engine'>): boolean {
  return engine === 'redis';
}

/** All keys that begin with the prefix, listed twice where one listing may miss some. */
export async function* listSurely(
  store: Pick<ToolStore, 'engine' | 'keys'>,
  kind: KeyKind,
  prefix = '',
): AsyncGenerator<readonly string[]> {
  yield* listKeys(store, kind, prefix);
  if (mayMissKeys(store)) yield* listKeys(store, kind, prefix);
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
