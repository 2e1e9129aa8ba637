import {setImmediate} from 'node:timers/promises';
import type {Item} from '../envelope.ts';

/** How many links are written at once: a long URL may have thousands of characters, and each may take five in XML. */
const linksInPart = 10;

/** Waits between the parts, so that writing many links does not block other requests. */
export async function* inParts<Value>(
  values: readonly Value[],
  toItem: (value: Value) => Item,
): AsyncGenerator<Item[]> {
  for (let start = 0; start < values.length; start += linksInPart) {
    if (start > 0) await setImmediate();
    yield values.slice(start, start + linksInPart).map(toItem);
  }
}
