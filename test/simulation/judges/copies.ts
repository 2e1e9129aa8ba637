import {isDeepStrictEqual} from 'node:util';
import {ToolError} from '../../../src/tools/tool-error.ts';
import {copy} from '../../../src/tools/copy/copy.ts';
import type {Server} from '../server.ts';
import type {Story} from '../story.ts';
import type {Site} from '../world.ts';

/** What describes a store itself, and is not copied. */
const ofStore = ['s:arrival', 's:format'];

/** A copy continues one that was interrupted, and then the stores are equal. */
export async function copies({seen, world}: Story, {store, openTarget}: Site): Promise<string[]> {
  if (!seen.some((each) => each.do === 'copy')) return [];
  try {
    await copy({store, unreadable: []}, {store: openTarget(), unreadable: []}, {});
  } catch (error) {
    if (error instanceof ToolError) return [`The last copy is refused: ${error.message}`];
    throw error;
  }
  return isDeepStrictEqual(contentOf(world.target), contentOf(world.server)) ? [] : ['The copy differs'];
}

function contentOf({records, counters}: Server): unknown {
  const counts = Array.from(counters, ([key, {counts: some}]) => [key, some] as const);
  return {
    records: new Map(Array.from(records).filter(([key]) => !ofStore.includes(key))),
    counters: new Map(counts.filter(([, some]) => Object.keys(some).length > 0)),
  };
}
