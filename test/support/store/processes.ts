import {fork} from 'node:child_process';
import {once} from 'node:events';
import test from 'ava';
import {openStore} from '../../../src/store/opening/open.ts';
import {compiled} from '../engines/compiled.ts';
import {run} from './run.ts';
import type {Report, Work} from './worker.ts';

const processes = 4;
const rounds = 60;

export interface Processes {
  readonly title: string;
  readonly option: string;
  readonly skip?: string | undefined;
  /** A module that every second process imports first. */
  readonly everySecondImports?: string;
}

/** Lets several processes race for the same records, and checks the results. */
export function testProcesses({title, option, skip, everySecondImports}: Processes): void {
  const check = skip === undefined ? test : test.skip;
  const script = compiled('test/support/store/worker.ts');

  check(`${title}: four concurrent processes lose nothing and get nothing twice`, async (t) => {
    const namespace = `${run}-processes`;
    const reports = await Promise.all(await together(await script(), {store: option, namespace}, everySecondImports));
    const store = openStore(option, {namespace});
    t.teardown(() => store.close());

    const won = reports.flatMap((report) => report.won);
    t.is(won.length, rounds, 'each record was inserted once');
    for (const [worker, report] of reports.entries()) {
      const entries = await store.getMany<{worker: number}>(report.won);
      t.true(
        entries.every((entry) => entry?.value.worker === worker),
        'and holds what its inserter wrote',
      );
    }
    const numbers = reports.flatMap((report) => report.numbers).toSorted((a, b) => a - b);
    t.deepEqual(
      numbers,
      Array.from({length: processes * rounds}, (_, index) => index + 1),
    );
    t.deepEqual((await store.get('counter'))?.value, {count: processes * rounds});
    const [counters] = await store.getCounters(['visits']);
    t.is(counters?.at, rounds - 1);
    t.is(counters?.counts.get('visits'), 2 * processes * rounds);
    for (let worker = 0; worker < processes; worker += 1) t.is(counters?.counts.get(`worker-${worker}`), 2 * rounds);
  });

  check(`${title}: an acknowledged write outlasts the killing of its process`, async (t) => {
    const namespace = `${run}-killed`;
    const child = start(await script());
    await once(child, 'message');
    child.send({store: option, namespace, worker: 0, rounds: 0, untilKilled: true} satisfies Work);
    let told = -1;
    child.on('message', (index: number) => {
      told = index;
      if (index === 100) child.kill('SIGKILL');
    });
    await once(child, 'exit');
    t.true(told >= 100);
    const store = openStore(option, {namespace});
    t.teardown(() => store.close());
    const entries = await store.getMany<number>(Array.from({length: told + 1}, (_, index) => `told-${index}`));
    t.deepEqual(
      entries.map((entry) => entry?.value),
      Array.from({length: told + 1}, (_, index) => index),
    );
    t.true(await store.insert('afterwards', true), 'no lock is left behind');
  });
}

/** Starts all processes before any begins: opening a new engine is part of the race. */
async function together(
  script: string,
  work: Pick<Work, 'store' | 'namespace'>,
  everySecondImports?: string,
): Promise<Array<Promise<Report>>> {
  const children = Array.from({length: processes}, (_, index) =>
    start(script, index % 2 === 1 ? everySecondImports : undefined),
  );
  await Promise.all(children.map((child) => once(child, 'message')));
  return children.map(async (child, worker) => {
    const report = once(child, 'message');
    const exit = once(child, 'exit');
    // `exit` may come before the last message; `disconnect` does not.
    const end = once(child, 'disconnect');
    child.send({...work, worker, rounds} satisfies Work);
    const first = await Promise.race([report, end.then(() => Promise.reject(new Error('A worker ended early')))]);
    await exit;
    return (first as [Report])[0];
  });
}

function start(script: string, first?: string): ReturnType<typeof fork> {
  return fork(script, {execArgv: first === undefined ? [] : ['--import', 'tsx', '--import', first]});
}
