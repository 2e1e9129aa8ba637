import test from 'ava';
import {type Batches, countUnchanged, type AllOrNothing} from '../../../../src/store/batching/batches.ts';
import type {Addition} from '../../../../src/store/port.ts';

const one = {v: 1};

function visit(key: string, revision: string, at = 1): Addition {
  return {
    link: {key, revision},
    keys: [`of ${key}`, 'total'],
    adds: [one, one],
    at,
  };
}

/** An engine with these records, which remembers what it was asked. */
function engineWith(
  records: Record<string, string>,
): Batches & {asked: AllOrNothing[]; reads: Array<readonly string[]>} {
  const asked: AllOrNothing[] = [];
  const reads: Array<readonly string[]> = [];
  return {
    asked,
    reads,
    store: (batch) => {
      asked.push(batch);
      const isUnchanged = batch.links.every(({key, revision}) => records[key] === revision);
      return Promise.resolve(isUnchanged ? batch.indexes : undefined);
    },
    read: (keys) => {
      reads.push(keys);
      return Promise.resolve(keys.map((key) => records[key]));
    },
  };
}

test('a batch whose links are unchanged is stored in one step, with one sum for each key', async (t) => {
  const engine = engineWith({a: '1', b: '1'});
  t.deepEqual(await countUnchanged([visit('a', '1', 5), visit('b', '1', 7)], engine), [true, true]);
  t.deepEqual(engine.reads, []);
  const [{links, added, increments} = {links: [], added: [], increments: []}] = engine.asked;
  const compared = links.map(({key}) => key);
  t.deepEqual(compared, ['a', 'b']);
  t.deepEqual(
    added.map(({key, increment, at}) => [key, increments[increment]?.['v'], at]),
    [
      ['of a', 1, 5],
      ['total', 2, 7],
      ['of b', 1, 7],
    ],
  );
});

test('the additions of a changed or removed link are left out, and the others are stored', async (t) => {
  const engine = engineWith({a: '1', b: '2'});
  const additions = [visit('b', '1'), visit('a', '1'), visit('c', '1'), {keys: ['d'], adds: [one], at: 1}];
  t.deepEqual(await countUnchanged(additions, engine), [false, true, false, true]);
  t.deepEqual(
    engine.asked.map(({indexes}) => indexes),
    [
      [0, 1, 2, 3],
      [1, 3],
    ],
  );
  const again = engine.asked[1]?.added.map(({key}) => key);
  t.deepEqual(again, ['of a', 'total', 'd']);
});

test('a batch that is still being stored is sent again after a pause, and gets the result of the first attempt', async (t) => {
  const steps: string[] = [];
  const engine: Batches = {
    store: ({indexes}) => {
      steps.push(`store ${indexes.join()}`);
      return Promise.resolve(steps.length < 3 ? undefined : [1]);
    },
    read: (keys) => Promise.resolve(keys.map(() => '1')),
    pause: () => {
      steps.push('pause');
      return Promise.resolve();
    },
  };
  t.deepEqual(await countUnchanged([visit('a', '1'), visit('b', '1')], engine), [false, true]);
  t.deepEqual(steps, ['store 0,1', 'pause', 'store 0,1']);
});
