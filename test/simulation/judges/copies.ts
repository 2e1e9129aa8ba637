import {isDeepStrictEqual} from 'node:util';
import {ToolError} from '../../../src/tools/tool-error.ts';
import {copy} from '../../../src/tools/copy/copy.ts';
import type {Server} from '../server.ts';
import type {Story} from '../story.ts';
import type {Site} from '../world.ts';

/** What describes a store itself, and is not copied. */
const ofStore = ['s:format'];

/** A copy continues one that was interrupted, and then the stores are equal. */
export async function copies({seen, world}: Story, {store, openTarget}: Site): Promise<string[]> {
  if (!seen.some((each) => each.do === 'copy')) return [];
  try {
    await copy({store, unreadable: []}, {store: openTarget(), unreadable: []}, {});
  } catch (error) {
    if (error instanceof ToolError) return [`The last copy is refused: ${error.message}`];
    throw error;
  }
  const [copied, original] = [world.target, world.server].map((server) => contentOf(server, world.timeline.date));
  return isDeepStrictEqual(copied, original) ? [] : ['The copy differs'];
}

/** The server may still have expired records. */
function isCopied(key: string, text: string, now: number): boolean {
  const expiry = text.startsWith('{') ? (JSON.parse(text) as {readonly expires?: number}).expires : undefined;
  return !ofStore.includes(key) && (expiry ?? Infinity) > now;
}

export function contentOf({records, counters}: Server, now: number) {
  const counts = Array.from(counters, ([key, {counts: some}]) => [key, some] as const);
  return {
    records: new Map(Array.from(records).filter(([key, text]) => isCopied(key, text, now))),
    counters: new Map(counts.filter(([, some]) => Object.keys(some).length > 0)),
  };
}
