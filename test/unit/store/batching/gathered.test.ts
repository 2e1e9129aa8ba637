import {setImmediate} from 'node:timers/promises';
import test from 'ava';
import {Gathered} from '../../../../src/store/batching/gathered.ts';

interface Request {
  readonly items: readonly number[];
  readonly answer: () => void;
  readonly fail: (error: Error) => void;
}

/** Requests that the test answers, with ten times each item. */
function start(isExclusive: boolean) {
  const requests: Request[] = [];
  const gathered = new Gathered<number, number>(
    (items) =>
      new Promise((resolve, fail) => {
        const answer = (): void => {
          resolve(items.map((item) => item * 10));
        };
        requests.push({items: [...items], answer, fail});
      }),
    isExclusive,
  );
  return {gathered, requests};
}

function itemsOf(requests: readonly Request[]): Array<readonly number[]> {
  return requests.map(({items}) => items);
}

for (const isExclusive of [false, true]) {
  const kind = isExclusive ? 'exclusive' : 'other';
  test(`${kind} calls of one turn of the event loop share a request, and each gets its own result`, async (t) => {
    const {gathered, requests} = start(isExclusive);
    const results = Promise.all([1, 2, 2, 3].map((item) => gathered.add(item)));
    t.is(requests.length, 0);
    await setImmediate();
    t.deepEqual(itemsOf(requests), [[1, 2, 2, 3]]);
    requests[0]?.answer();
    t.deepEqual(await results, [10, 20, 20, 30]);
  });

  test(`at most 500 ${kind} calls share a request`, async (t) => {
    const {gathered, requests} = start(isExclusive);
    const calls = Array.from({length: 1001}, (_, index) => gathered.add(index));
    for (let round = 0; round < 3; round += 1) {
      await setImmediate();
      requests[round]?.answer();
      await setImmediate();
    }
    t.deepEqual(
      requests.map(({items}) => items.length),
      [500, 500, 1],
    );
    t.deepEqual(
      await Promise.all(calls),
      calls.map((_, index) => index * 10),
    );
  });
}

test('a call during a request is sent in the next one without waiting', async (t) => {
  const {gathered, requests} = start(false);
  const first = gathered.add(1);
  await setImmediate();
  const second = gathered.add(1);
  await setImmediate();
  t.deepEqual(itemsOf(requests), [[1], [1]]);
  requests[1]?.answer();
  t.is(await second, 10);
  requests[0]?.answer();
  t.is(await first, 10);
});

test('a failed request fails all of its callers and no others', async (t) => {
  const {gathered, requests} = start(false);
  const failing = [1, 2].map((item) => gathered.add(item));
  await setImmediate();
  const next = gathered.add(3);
  const error = new Error('connection lost');
  requests[0]?.fail(error);
  for (const call of failing) await t.throwsAsync(call, {is: error});
  await setImmediate();
  requests[1]?.answer();
  t.is(await next, 30);
});

test('a failed exclusive request also fails the callers that wait for it, without sending them', async (t) => {
  const {gathered, requests} = start(true);
  const first = gathered.add(1);
  await setImmediate();
  const second = gathered.add(2);
  const error = new Error('No answer');
  requests[0]?.fail(error);
  await t.throwsAsync(first, {is: error});
  await t.throwsAsync(second, {is: error});
  const third = gathered.add(3);
  await setImmediate();
  requests[1]?.answer();
  t.is(await third, 30);
  t.deepEqual(itemsOf(requests), [[1], [3]]);
});

test('an exclusive request waits for the one before, and gathers calls meanwhile', async (t) => {
  const {gathered, requests} = start(true);
  const first = gathered.add(1);
  await setImmediate();
  const second = gathered.add(2);
  await setImmediate();
  const third = gathered.add(3);
  await setImmediate();
  t.deepEqual(itemsOf(requests), [[1]]);
  requests[0]?.answer();
  t.is(await first, 10);
  await setImmediate();
  t.deepEqual(itemsOf(requests), [[1], [2, 3]]);
  requests[1]?.answer();
  t.deepEqual(await Promise.all([second, third]), [20, 30]);
  const last = gathered.add(4);
  await setImmediate();
  requests[2]?.answer();
  t.is(await last, 40);
});
