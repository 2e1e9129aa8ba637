import test from 'ava';
import {Deadline} from '../../../../src/store/failing/deadline.ts';
import {SqliteDriver} from '../../../../src/store/sqlite/driver.ts';

const deadline = new Deadline(20_000);

test('a long read lets the event loop run, and a short one does not wait for it', async (t) => {
  const driver = new SqliteDriver(':memory:');
  t.teardown(() => driver.close());
  await driver.ping(deadline);
  for (const [count, waits] of [
    [0, false],
    [2, false],
    [400, false],
    [401, true],
  ] as const) {
    const keys = Array.from({length: count}, (_, index) => `key-${index}`);
    for (const read of [() => driver.read(keys, deadline), () => driver.getCounters(keys, undefined, deadline)]) {
      let hadTurn = false;
      const turn = setImmediate(() => (hadTurn = true));
      const found = await read();
      clearImmediate(turn);
      t.is(found.length, count);
      t.is(hadTurn, waits, `${count} keys`);
    }
  }
});
