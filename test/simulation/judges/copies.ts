import {isDeepStrictEqual} from 'node:util';
import {ToolError} from '../../../src/tools/tool-error.ts';
import {copy} from '../../../src/tools/copy/copy.ts';
import type {ToolStore} from '../../../src/store/port.ts';
import type {Story} from '../story.ts';
import type {Site} from '../world.ts';

/** What describes a store itself, and is not copied. */
const ofStore = ['format'];

/** A copy continues one that was interrupted, and then the stores are equal. */
export async function copies({seen}: Story, {store, openTarget, now}: Site): Promise<string[]> {
  if (!seen.some((each) => each.do === 'copy')) return [];
  try {
    await copy({store, unreadable: []}, {store: openTarget(), unreadable: []}, {});
  } catch (error) {
    if (error instanceof ToolError) return [`The last copy is refused: ${error.message}`];
    throw error;
  }
  const contents = [await contentOf(openTarget()), await contentOf(store)];
  // Both are read one after the other.
  const [copied, original] = contents.map(
    (content) => new Map(Array.from(content).filter(([, stored]) => !hasExpired(stored, now()))),
  );
  return isDeepStrictEqual(copied, original) ? [] : ['The copy differs'];
}

export function hasExpired(stored: unknown, now: number): boolean {
  const {expires = Infinity} = stored as {readonly expires?: number};
  return expires <= now;
}

/** The records and counters of a store by their keys. */
export async function contentOf(store: ToolStore): Promise<Map<string, unknown>> {
  const content = new Map<string, unknown>();
  for await (const keys of store.keys('records')) {
    const entries = await store.getMany(keys);
    for (const [index, key] of keys.entries()) {
      const {value, expires} = entries[index] ?? {};
      if (entries[index] && !ofStore.includes(key)) content.set(key, {value, expires});
    }
  }
  for await (const keys of store.keys('counters')) {
    const found = await store.getCounters(keys);
    for (const [index, key] of keys.entries()) {
      const {counts} = found[index] ?? {};
      if (counts !== undefined && counts.size > 0) content.set(`counters ${key}`, counts);
    }
  }
  return content;
}
