import {setImmediate} from 'node:timers/promises';
import test from 'ava';
import {Grouper, type GrouperOptions} from '../../../../src/store/batching/grouper.ts';

interface Request {
  readonly items: readonly number[];
  readonly answer: () => void;
  readonly fail: (error: Error) => void;
}

/** Requests that the test answers, with ten times each item. */
function start(options?: GrouperOptions) {
  const requests: Request[] = [];
  const grouper = new Grouper<number, number>(
    (items) =>
      new Promise((resolve, fail) => {
        const answer = (): void => {
          resolve(items.map((item) => item * 10));
        };
        requests.push({items: [...items], answer, fail});
      }),
    options,
  );
  return {grouper, requests};
}

function itemsOf(requests: readonly Request[]): Array<readonly number[]> {
  return requests.map(({items}) => items);
}

for (const isSerial of [false, true]) {
  const kind = isSerial ? 'serial' : 'parallel';
  test(`${kind} calls of one turn of the event loop share a request, and each gets its own result`, async (t) => {
    const {grouper, requests} = start({isSerial});
    const results = Promise.all([1, 2, 2, 3].map((item) => grouper.add(item)));
    t.is(requests.length, 0);
    await setImmediate();
    t.deepEqual(itemsOf(requests), [[1, 2, 2, 3]]);
    requests[0]?.answer();
    t.deepEqual(await results, [10, 20, 20, 30]);
  });

  test(`at most 500 ${kind} calls share a request`, async (t) => {
    const {grouper, requests} = start({isSerial});
    const calls = Array.from({length: 1001}, (_, index) => grouper.add(index));
    for (let round = 0; round < 3; round += 1) {
      await setImmediate();
      requests[round]?.answer();
      await setImmediate();
    }
    const lengths = requests.map(({items}) => items.length);
    t.deepEqual(lengths, [500, 500, 1]);
    t.deepEqual(
      await Promise.all(calls),
      calls.map((_, index) => index * 10),
    );
  });
}

test('a call during a request is sent in the next one without waiting', async (t) => {
  const {grouper, requests} = start();
  const first = grouper.add(1);
  await setImmediate();
  const second = grouper.add(1);
  await setImmediate();
  t.deepEqual(itemsOf(requests), [[1], [1]]);
  requests[1]?.answer();
  t.is(await second, 10);
  requests[0]?.answer();
  t.is(await first, 10);
});

test('a failed request fails all of its callers and no others', async (t) => {
  const {grouper, requests} = start();
  const failing = [1, 2].map((item) => grouper.add(item));
  await setImmediate();
  const next = grouper.add(3);
  const error = new Error('connection lost');
  requests[0]?.fail(error);
  for (const call of failing) await t.throwsAsync(call, {is: error});
  await setImmediate();
  requests[1]?.answer();
  t.is(await next, 30);
});

test('a serial request waits for the one before, and gathers calls meanwhile', async (t) => {
  const {grouper, requests} = start({isSerial: true, failsWaiting: true});
  const first = grouper.add(1);
  await setImmediate();
  const second = grouper.add(2);
  await setImmediate();
  const third = grouper.add(3);
  await setImmediate();
  t.deepEqual(itemsOf(requests), [[1]]);
  requests[0]?.answer();
  t.is(await first, 10);
  await setImmediate();
  t.deepEqual(itemsOf(requests), [[1], [2, 3]]);
  requests[1]?.answer();
  t.deepEqual(await Promise.all([second, third]), [20, 30]);
  const last = grouper.add(4);
  await setImmediate();
  requests[2]?.answer();
  t.is(await last, 40);
});

test('calls with different keys share no request and do not wait for each other', async (t) => {
  const {grouper, requests} = start({isSerial: true});
  const calls = [grouper.add(1, 'a'), grouper.add(2, 'b'), grouper.add(3, 'a')];
  await setImmediate();
  t.deepEqual(itemsOf(requests), [[1, 3], [2]]);
  for (const {answer} of requests) answer();
  t.deepEqual(await Promise.all(calls), [10, 20, 30]);
});
