import test, {type ExecutionContext} from 'ava';
import {VisitLog} from '../../src/links/visit-log.ts';
import {openStore, type StoreOption} from '../../src/store/open.ts';
import type {Store, VisitBatch} from '../../src/store/port.ts';
import {run} from './conformance.ts';
import {eventually} from './eventually.ts';
import * as mysql from './mysql-server.ts';
import * as postgres from './postgres-server.ts';

interface Session {
  query(text: string, values?: unknown[]): Promise<unknown>;
  end(): Promise<void>;
}

interface SqlEngine {
  readonly title: string;
  readonly skip: string | undefined;
  readonly url: string;
  /** A store whose statements the server goes on with when the time limit is over and their connection is gone. */
  readonly patient: (t: ExecutionContext) => StoreOption;
  readonly connect: () => Promise<Session>;
  /** Selects the rows of some keys, given as one value. */
  readonly select: string;
  /** Begins a transaction that the server spares when it finds a deadlock. */
  readonly beginSpared: (session: Session) => Promise<unknown>;
}

const noPostgres = await postgres.missingPostgres();
const noMysql = await mysql.missingMysql();
const postgresUrl = postgres.ownPostgres('locks', noPostgres);
const mysqlUrl = mysql.ownMysql('locks', noMysql);

const engines: readonly SqlEngine[] = [
  {
    title: 'postgres:',
    skip: noPostgres,
    url: postgresUrl,
    patient: (t) => {
      // One connection for each statement: a server that is told to give up late would keep the next one waiting.
      const adapter = postgres.hostPostgres(postgresUrl, {maxUses: 1});
      t.teardown(() => adapter.disconnect());
      return adapter;
    },
    connect: () => postgres.connection(postgresUrl),
    select: 'select value from keyv where key = any($1)',
    // It looks for one after this time, and the first that looks is the one that gives way.
    beginSpared: (session) => session.query("set deadlock_timeout = '10min'; begin"),
  },
  {
    title: 'mysql:',
    skip: noMysql,
    url: mysqlUrl,
    patient: () => mysqlUrl,
    connect: () => mysql.connection(mysqlUrl),
    select: 'select value from keyv where id in (?)',
    // The one that has changed less gives way.
    beginSpared: async (session) => {
      await session.query('create table ballast (number int)');
      await session.query('begin');
      await session.query('insert into ballast values ?', [Array.from({length: 5000}, (_, index) => [index])]);
    },
  },
];

const namespace = `${run}-locks`;
/** More than one statement takes. */
const many = 600;
let batches = 0;

/** A batch of a writer of its own, for keys that stand in their order. */
function batch(number = 1, writer = `writer-${(batches += 1)}`): VisitBatch {
  const name = (index: number): string => `${writer}-${String(index).padStart(3, '0')}`;
  return {
    writer,
    number,
    additions: Array.from({length: many}, (_, index) => ({key: name(index), visits: 1, lastVisit: 1})),
  };
}

/** The whole key of one of the batch. */
function keyOf({additions}: VisitBatch, index: number): string {
  return `${namespace}:${additions[index]?.key ?? ''}`;
}

async function counts(store: Store, {additions}: VisitBatch): Promise<Set<number>> {
  return new Set((await store.getTallies(additions.map(({key}) => key))).map(({visits}) => visits));
}

for (const {title, skip, url, patient, connect, select, beginSpared} of engines) {
  const check = skip === undefined ? test.serial : test.serial.skip;

  const open = (t: ExecutionContext, option: StoreOption, timeout: number): Store => {
    const store = openStore(option, {namespace, timeout});
    t.teardown(() => store.close());
    return store;
  };

  const session = async (t: ExecutionContext): Promise<Session> => {
    const opened = await connect();
    t.teardown(() => opened.end());
    return opened;
  };

  /** Resolves when somebody else holds the row. */
  const isHeld = async (t: ExecutionContext, key: string): Promise<void> => {
    const other = await session(t);
    await eventually(async () => {
      await other.query('begin');
      const refusal = await other.query(`${select} for update nowait`, [[key]]).then(
        () => undefined,
        (error: unknown) => error,
      );
      await other.query('rollback');
      if (refusal === undefined) throw new Error(`Nobody holds ${key}`);
    });
  };

  check(`${title} a batch that the server carries out long after its writer gave up counts once`, async (t) => {
    const steady = open(t, url, 20_000);
    const store = open(t, patient(t), 300);
    const first = batch();
    await steady.addVisits(first);
    const holder = await session(t);
    await holder.query('begin');
    await holder.query(`${select} for update`, [[keyOf(first, many - 1)]]);

    const second = batch(2, first.writer);
    await t.throwsAsync(store.addVisits(second), {code: 'store_unavailable'});
    // The statement that nobody waits for any more still waits for the row, and holds others.
    await isHeld(t, keyOf(second, many - 2));
    t.is((await steady.getTallies([second.additions[0]?.key ?? '']))[0]?.visits, 2, 'the first statement is through');
    const again = steady.addVisits(second);
    const third = again.then(() => steady.addVisits(batch(3, first.writer)));
    await holder.query('commit');
    await Promise.all([again, third]);
    t.deepEqual(await counts(steady, second), new Set([3]));
  });

  check(`${title} a batch of which one statement met a deadlock counts once`, async (t) => {
    const store = open(t, url, 20_000);
    const first = batch();
    await store.addVisits(first);
    const holder = await session(t);
    await beginSpared(holder);
    await holder.query(`${select} for update`, [[keyOf(first, many - 1)]]);
    const second = store.addVisits(batch(2, first.writer));
    await isHeld(t, keyOf(first, many - 2));
    // Each holds what the other wants; the server takes the batch's rows away from it.
    await t.notThrowsAsync(holder.query(`${select} for update`, [[keyOf(first, many - 2)]]));
    await holder.query('commit');
    await second;
    t.deepEqual(await counts(store, first), new Set([2]));
  });

  check(
    `${title} visits of a link whose row somebody holds wait, those of others do not, and all count once`,
    async (t) => {
      const steady = open(t, url, 20_000);
      const log = new VisitLog(open(t, url, 300), () => undefined);
      t.teardown(() => log.close(0));
      const [held, free] = [`held-${(batches += 1)}`, `free-${batches}`];
      const visit = (at: number): Promise<unknown> => Promise.all([log.add(held, at), log.add(free, at)]);
      const visits = async (key: string): Promise<number> => (await steady.getTallies([key]))[0]?.visits ?? 0;
      await visit(1);
      const holder = await session(t);
      await holder.query('begin');
      await holder.query(`${select} for update`, [[`${namespace}:${held}`]]);
      for (const at of [2, 3]) {
        await visit(at);
        await eventually(async () => {
          if ((await visits(free)) < at) throw new Error('The other link waits too');
        });
      }
      t.is(await visits(held), 1);
      await holder.query('commit');
      t.is(await log.close(20_000), 0);
      t.deepEqual([await visits(held), await visits(free)], [3, 3]);
    },
  );
}
