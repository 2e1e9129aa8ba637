/**
 * Holds the connections to a real server, in a thread of its own, so that the simulation can wait for an answer within one turn
 * of its event loop. A reply comes when every statement has been answered, or waits for a lock of a session that is idle.
 */
import {setTimeout as delay} from 'node:timers/promises';
import {URL} from 'node:url';
import {workerData} from 'node:worker_threads';
import {createConnection} from 'mysql2/promise';
import pg from 'pg';

const {url, port, signal} = workerData;
const turns = new Int32Array(signal);

/** In milliseconds. Afterwards the engine is asked whether a statement waits for a lock. */
const patience = 4;

/** The functions that the statements call for the time are those of the simulation. */
const simulatedTime = `
  create schema if not exists simulated;
  create or replace function simulated.clock_timestamp() returns timestamptz language sql as
    $$ select to_timestamp(current_setting('simulated.now')::float8 / 1000) $$;
  create or replace function simulated.now() returns timestamptz language sql as
    $$ select to_timestamp(current_setting('simulated.now')::float8 / 1000) $$`;

const postgres = {
  async connect() {
    const client = new pg.Client({connectionString: url});
    client.on('error', () => undefined);
    await client.connect();
    // A deadlock is told before the next statement begins.
    await client.query('set deadlock_timeout = 1; set search_path = simulated, pg_catalog, public');
    const {rows} = await client.query('select pg_backend_pid() as id');
    return {
      id: rows[0].id,
      query: async ({text, values, name}) => ({rows: (await client.query({text, values, name})).rows}),
      setTime: (now) => client.query('select set_config($1, $2, false)', ['simulated.now', String(now)]),
      end: () => client.end(),
    };
  },
  prepare: (monitor) => monitor.query({text: simulatedTime}),
  async waiting(monitor, ids) {
    const text = 'select pid, pg_blocking_pids(pid) as blockers from unnest($1::int[]) as pid';
    const {rows} = await monitor.query({text, values: [ids]});
    return new Map(rows.filter(({blockers}) => blockers.length > 0).map(({pid, blockers}) => [pid, blockers]));
  },
  kill: (monitor, id) => monitor.query({text: 'select pg_terminate_backend($1, 5000)', values: [id]}),
  untilGone: () => undefined,
  async empty(monitor) {
    const {rows} = await monitor.query({text: "select tablename as name from pg_tables where schemaname = 'public'"});
    for (const {name} of rows) await monitor.query({text: `delete from public.${name}`});
  },
};

const mysql = {
  async connect() {
    const client = await createConnection({uri: url, charset: 'utf8mb4', flags: ['-FOUND_ROWS']});
    client.on('error', () => undefined);
    await client.query('set session transaction isolation level read committed');
    await client.query("set session sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION', time_zone = '+00:00'");
    return {
      id: client.threadId,
      async query({text, values}) {
        const [result] = await client.query(text, values);
        return Array.isArray(result) ? result : {affectedRows: result.affectedRows};
      },
      setTime: (now) => client.query(`set timestamp = ${now / 1000}`),
      end: () => client.end(),
    };
  },
  /** InnoDB counts the rows of a table again at a moment of its choice, and may then read it in another way. */
  async prepare(monitor) {
    for (const table of await tablesOf(monitor)) {
      await monitor.query({text: `alter table ${table} stats_persistent = 1, stats_auto_recalc = 0`});
    }
  },
  /** The tables of information_schema are up to 100 ms old. InnoDB ends deadlocks itself, so each wait is for an idle session. */
  async waiting(monitor) {
    const [{Status: status}] = await monitor.query({text: 'show engine innodb status'});
    const transactions = status.split('---TRANSACTION').slice(1);
    const ids = transactions.filter((each) => each.includes('LOCK WAIT')).map((each) => /thread id (\d+)/.exec(each));
    return new Map(ids.map((found) => [Number(found?.[1]), []]));
  },
  kill: (monitor, id) => monitor.query({text: `kill ${id}`}).catch(() => undefined),
  /** The server closes a connection before it undoes its transaction, for whose locks others still wait. */
  async untilGone(monitor, id) {
    const text = 'select id from information_schema.processlist where id = ?';
    while ((await monitor.query({text, values: [id]})).length > 0);
  },
  /**
   * A deleted row stays, with its locks, until the engine purges it, sooner or later. Then whoever waits for it goes on, in
   * one run and not in another. So no deleted row outlives a run, and a snapshot keeps all of them until the run ends.
   */
  async empty(monitor) {
    for (const table of await tablesOf(monitor)) await monitor.query({text: `truncate table ${table}`});
    await monitor.query({text: 'set transaction isolation level repeatable read'});
    await monitor.query({text: 'start transaction with consistent snapshot'});
  },
};

async function tablesOf(monitor) {
  const rows = await monitor.query({text: 'show tables'});
  return rows.map((row) => `\`${Object.values(row)[0]}\``);
}

/** It has no locks. Its clock is the real one, and only ends lives of records, of which the shortest has minutes. */
const redis = {
  async connect() {
    const {createClient} = await import('@keyv/redis');
    const client = createClient({url});
    client.on('error', () => undefined);
    await client.connect();
    return {
      query: ({values}) => client.sendCommand(values),
      setTime: () => undefined,
      end: () => client.close(),
    };
  },
  prepare: () => undefined,
  waiting: () => new Map(),
  kill: () => undefined,
  untilGone: () => undefined,
  empty: (monitor) => monitor.query({values: ['FLUSHALL']}),
};

const engine = {'postgres:': postgres, 'mysql:': mysql, 'redis:': redis}[new URL(url).protocol];
const monitor = await engine.connect();
await engine.prepare(monitor);

/** By number. */
const sessions = new Map();
/** The statements that have not been answered, by the number of their session. */
const running = new Map();
let answers = [];

async function run(number, statements, now) {
  let session = sessions.get(number);
  if (session === undefined) sessions.set(number, (session = await engine.connect()));
  let answer;
  try {
    if (session.now !== now) await session.setTime(now);
    session.now = now;
    let result;
    for (const statement of statements) result = await session.query(statement);
    answer = {number, result};
  } catch (error) {
    const {message, code, errno, sqlState} = error;
    answer = {number, error: {message, code, errno, sqlState}};
  }
  running.delete(number);
  answers.push(answer);
}

async function end(number) {
  const session = sessions.get(number);
  sessions.delete(number);
  if (session === undefined) return;
  if (running.has(number)) {
    await engine.kill(monitor, session.id);
    await running.get(number);
  } else await session.end().catch(() => undefined);
  await engine.untilGone(monitor, session.id);
}

/**
 * Whether a session waits for one that has nothing to do, at the end of a chain of waits. The engine ends a circle, and its
 * own processes, such as a vacuum, end by themselves.
 */
function isStuck(id, waiting, busy, chain = [id]) {
  const blockers = waiting.get(id);
  const isOurs = (blocker) => Array.from(sessions.values()).some((session) => session.id === blocker);
  const isIdle = (blocker) =>
    busy.has(blocker)
      ? !chain.includes(blocker) && isStuck(blocker, waiting, busy, [...chain, blocker])
      : isOurs(blocker);
  return blockers !== undefined && blockers.every(isIdle);
}

async function settle() {
  for (;;) {
    await Promise.race([Promise.all(running.values()), delay(patience)]);
    if (running.size === 0) return;
    const numbers = Array.from(running.keys());
    const ids = numbers.map((number) => sessions.get(number)?.id ?? 0);
    const waiting = await engine.waiting(monitor, ids);
    // A statement that was answered meanwhile may have given up the lock for which another one was still waiting then.
    if (!numbers.every((number) => running.has(number))) continue;
    const busy = new Set(ids);
    if (Array.from(busy).every((id) => isStuck(id, waiting, busy))) return;
  }
}

const commands = {
  async run({number, statements, now, ended}) {
    for (const each of ended) await end(each);
    running.set(number, run(number, statements, now));
    await settle();
  },
  async end({number}) {
    await end(number);
    await settle();
  },
  async empty() {
    for (const number of Array.from(sessions.keys())) await end(number);
    await engine.empty(monitor);
    answers = [];
  },
};

port.on('message', async ({command, ...rest}) => {
  let failure;
  try {
    await commands[command](rest);
  } catch (error) {
    failure = String(error?.stack);
  }
  // Two statements that waited for one lock are answered in an order that a run repeats.
  answers.sort((one, other) => one.number - other.number);
  port.postMessage({answers, failure});
  answers = [];
  Atomics.add(turns, 0, 1);
  Atomics.notify(turns, 0);
});
