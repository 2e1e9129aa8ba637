import test from 'ava';
import {ShortUrlError} from '../../src/errors.ts';
import {Turns} from '../../src/turns.ts';
import {range} from '../support/engines/crowd.ts';

const refusal = (): ShortUrlError => new ShortUrlError('too_many_requests', 'Too many.', {retryAfter: 5});

/** Work of several accounts that ends when the test says so. */
function start(bounds: ConstructorParameters<typeof Turns>[0]) {
  const turns = new Turns(bounds, refusal);
  const underWay: Array<{account: string; end: () => void}> = [];
  const begun: string[] = [];
  const run = (account: string): Promise<void> =>
    turns.run({account}, () => {
      begun.push(account);
      return new Promise((resolve) => underWay.push({account, end: resolve}));
    });
  /** Lets the work end that began first, until none is under way. */
  const endAll = async (): Promise<void> => {
    for (let rounds = 0; rounds < 3; rounds++) {
      await new Promise((resolve) => setImmediate(resolve));
      for (const {end} of underWay.splice(0, 1)) {
        end();
        rounds = -1;
      }
    }
  };
  return {turns, run, begun, underWay, endAll};
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

test('an account runs two at once, and others begin beside it', async (t) => {
  const {run, begun, endAll} = start({running: 4, runningOfAccount: 2, all: 100, ofClient: 100});
  const all = [...range(20).map(() => run('greedy')), run('one'), run('two')];
  await settled();
  t.deepEqual(begun.toSorted(), ['greedy', 'greedy', 'one', 'two']);
  await endAll();
  await Promise.all(all);
  t.is(begun.length, 22);
});

test('an account that waits gets the next turn, however much another one waits for', async (t) => {
  const {run, begun, endAll} = start({running: 1, all: 100, ofClient: 100});
  const flood = range(20).map(() => run('flood'));
  const all = [...flood, run('visitor')];
  await endAll();
  await Promise.all(all);
  t.true(begun.indexOf('visitor') <= 2, begun.join());
});

test('a failure ends a turn', async (t) => {
  const turns = new Turns({running: 1, all: 10, ofClient: 10}, refusal);
  await t.throwsAsync(
    turns.run({account: 'a'}, () => Promise.reject(new Error('broken'))),
    {message: 'broken'},
  );
  t.is(await turns.run({account: 'a'}, async () => 42), 42);
});

test('beyond the places, work is refused and does not begin', async (t) => {
  const {run, begun, endAll} = start({running: 1, all: 3, ofClient: 3});
  const all = range(3).map(() => run('a'));
  await t.throwsAsync(run('a'), {code: 'too_many_requests'});
  await endAll();
  await Promise.all(all);
  t.is(begun.length, 3);
});

test('accounts that have taken all places leave some for each other account, and for none of its clients', async (t) => {
  const {turns, run, begun, endAll} = start({running: 2, all: 40, ofClient: 20});
  const all = ['a', 'b'].flatMap((account) => range(20).map(() => run(account)));
  all.push(...range(10).map(() => run('c')));
  await t.throwsAsync(run('c'), {code: 'too_many_requests'});
  await t.throwsAsync(
    turns.run({account: 'd', client: '192.0.2.1'}, async () => undefined),
    {code: 'too_many_requests'},
  );
  all.push(...range(35).flatMap((other) => range(10).map(() => run(`other ${other}`))));
  await t.throwsAsync(run('e'), {code: 'too_many_requests'});
  await endAll();
  await Promise.all(all);
  t.is(begun.length, 400);
});

test('other events come between two turns that do not wait', async (t) => {
  const turns = new Turns({running: 1, all: 100, ofClient: 100}, refusal);
  let done = 0;
  const seen: number[] = [];
  const look = (): void => {
    seen.push(done);
    if (done < 10) setImmediate(look);
  };
  setImmediate(look);
  await Promise.all(range(10).map(() => turns.run({account: 'a'}, async () => void (done += 1))));
  t.true(seen.length >= 10, seen.join());
});

test('the reader of a generator takes no turn between two steps', async (t) => {
  const turns = new Turns({running: 1, all: 10, ofClient: 10}, refusal);
  let isClosed = false;
  async function* numbers(): AsyncGenerator<number> {
    try {
      yield 1;
      yield 2;
    } finally {
      isClosed = true;
    }
  }
  const read: number[] = [];
  for await (const each of turns.each({account: 'a'}, numbers())) {
    read.push(await turns.run({account: 'a'}, async () => each));
  }
  t.deepEqual(read, [1, 2]);
  t.true(isClosed);
  isClosed = false;
  for await (const each of turns.each({account: 'a'}, numbers())) {
    t.is(each, 1);
    break;
  }
  t.true(isClosed);
});
