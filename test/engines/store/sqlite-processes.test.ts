import {fork} from 'node:child_process';
import {once} from 'node:events';
import {join, resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import test from 'ava';
import {nodeClient} from '../../../src/store/engines/sqlite/client.ts';
import {openStore} from '../../../src/store/opening/open.ts';
import {compiled} from '../../support/engines/compiled.ts';
import {temporaryDirectory} from '../../support/store/temporary.ts';
import type {Report, Work} from '../../support/store/worker.ts';

const processes = 4;
const rounds = 60;
const namespace = 'processes';

const directory = temporaryDirectory();
const script = compiled('test/support/store/worker.ts');
const withoutNodeSqlite = pathToFileURL(resolve('test/support/store/without-node-sqlite.ts')).href;

/** Starts all processes before any begins, because opening a new file is part of the race. */
async function together(store: string, first: (worker: number) => string[]): Promise<Report[]> {
  const file = await script();
  const children = Array.from({length: processes}, (_, worker) => fork(file, {execArgv: first(worker)}));
  await Promise.all(children.map((child) => once(child, 'message')));
  return Promise.all(
    children.map(async (child, worker) => {
      const report = once(child, 'message') as Promise<[Report]>;
      const exit = once(child, 'exit');
      // `exit` may come before the last message; `disconnect` does not.
      const end = once(child, 'disconnect').then(() => Promise.reject(new Error('A worker ended early')));
      child.send({store, namespace, worker, rounds} satisfies Work);
      const [reported] = await Promise.race([report, end]);
      await exit;
      return reported;
    }),
  );
}

for (const [title, name, first] of [
  ['with one client', 'shared.db', []],
  ['with both clients', 'both.db', ['--import', 'tsx', '--import', withoutNodeSqlite]],
] as const) {
  const check = first.length === 0 || nodeClient() ? test : test.skip;
  check(`${title}: four concurrent processes lose nothing and get nothing twice`, async (t) => {
    const option = `sqlite:${join(directory, name)}`;
    const reports = await together(option, (worker) => (worker % 2 === 1 ? [...first] : []));
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
    const expected = reports.map((_, worker) => [`worker-${worker}`, 2 * rounds] as const);
    t.deepEqual(Object.fromEntries(counters?.counts ?? []), {
      visits: 2 * processes * rounds,
      ...Object.fromEntries(expected),
    });
  });
}
