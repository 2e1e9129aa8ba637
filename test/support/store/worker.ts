/** One of several processes that use a store at once. It waits for its work, and reports when it is done. */
import {openStore} from '../../../src/store/opening/open.ts';
import {recordsIn} from '../../../src/store/records.ts';

export interface Work {
  readonly store: string;
  readonly namespace: string;
  readonly worker: number;
  /** How often each operation is done. */
  readonly rounds: number;
}

export interface Report {
  /** The shared records that this process inserted. */
  readonly won: readonly string[];
  readonly numbers: readonly number[];
}

process.on('unhandledRejection', (error) => {
  throw error;
});

process.once('message', (work: Work) => void race(work));
process.send?.('ready');

async function race({store: option, namespace, worker, rounds}: Work): Promise<void> {
  const store = openStore(option, {namespace, timeout: 20_000});
  const won: string[] = [];
  const numbers: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const key = `shared-${round}`;
    await store.insert('counter', {count: 0});
    const [inserted, number] = await Promise.all([
      store.insert(key, {worker}),
      store.increment('sequence'),
      recordsIn<{count: number}>(store).update('counter', ({count}) => ({count: count + 1})),
      addOnceAndAgain(round),
    ]);
    if (inserted) won.push(key);
    numbers.push(number);
  }
  await store.close();
  process.send?.({won, numbers} satisfies Report);
  process.disconnect();

  async function addOnceAndAgain(round: number): Promise<void> {
    const batch = {
      writer: `worker-${worker}`,
      number: round + 1,
      additions: [{keys: ['visits'], adds: [{visits: 2, [`worker-${worker}`]: 2}], at: round}],
    };
    await store.count(batch);
    await store.count(batch);
  }
}
