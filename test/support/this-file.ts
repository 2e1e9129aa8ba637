import test from 'ava';
import type {Owner} from './owner.ts';

/** The owner of what the tests of a file share, until the last of them is over. Call this while tests are declared. */
export function thisFile(): Owner {
  const undos: Array<() => unknown> = [];
  test.after.always(async () => {
    for (const undo of undos.splice(0).reverse()) await undo();
  });
  return {teardown: (undo) => void undos.push(undo)};
}
