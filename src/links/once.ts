import {markCounter} from '../link/counters.ts';
import type {Increments, Store} from '../store/port.ts';

export interface Once {
  /** Names it, and is the same for each repeat. */
  readonly id: string;
  readonly keys: readonly string[];
  readonly add: (key: string) => Increments;
}

/**
 * Adds to counters once, however often the call is repeated, also on a copy of the store or after an import. Each key gets
 * a mark in the same step, which a repeat finds. Two calls at once both find none, and send the same batch, which the
 * store accepts once.
 *
 * @param isNew whether nobody can have counted it before
 */
export async function countOnce(store: Store, {id, keys, add}: Once, isNew: boolean): Promise<void> {
  const left = isNew ? keys : await markedOrNot(store, id, keys, false);
  if (left.length === 0) return;
  // No time, because that of the counters is the time of the last visit. On a cluster each key is a batch of its own.
  const additions = left.map((key) => ({keys: [key], adds: [{...add(key), [markCounter(id)]: 1}], at: 0}));
  await store.count({writer: id, number: 1, additions});
}

/** Removes the marks, once a record says that it was counted. */
export async function clearMarks(store: Store, {id, keys}: Pick<Once, 'id' | 'keys'>): Promise<void> {
  const marked = await markedOrNot(store, id, keys, true);
  await Promise.all(marked.map((key) => store.removeCounters(key, [markCounter(id)])));
}

/** The keys that have the mark, or those that lack it. */
async function markedOrNot(
  store: Store,
  id: string,
  keys: readonly string[],
  isMarked: boolean,
): Promise<readonly string[]> {
  const mark = markCounter(id);
  const found = await store.getCounters(keys, [mark]);
  return keys.filter((_, index) => (found[index]?.counts.has(mark) ?? false) === isMarked);
}
