/** A counter written by hand, with the least that a stored visit costs on each engine. */
import {dayLength} from '../src/values/calendar.ts';
import {dayCounter} from '../src/link/counters.ts';
import {setImmediate as turn} from 'node:timers/promises';
import {createClient} from '@keyv/redis';
import type {Middleware} from 'koa';
import mysql from 'mysql2/promise';
import pg from 'pg';
import {connectTo} from '../test/support/store/sqlite-connection.ts';
import {host, type MeasuredLinks, target} from './measured-links.ts';

/** The visits of a group by the key of their link. */
type Visits = ReadonlyMap<string, number>;

/** Two counters for each link: all visits, and those of a day. */
interface Counters {
  /** Resolves when the visits are stored. */
  add(visits: Visits, day: string): Promise<unknown>;
  /** The visits of all links. */
  total(keys: readonly string[]): Promise<number>;
  close(): unknown;
}

/**
 * The links are in the memory of the process, and visits are stored in groups, with one command or statement for each
 * group. It does not notice that another process has changed a link, and loses or doubles visits when a reply is lost.
 *
 * @param paths the paths of all links. Their slugs must be as random as those of the package. With slugs in sequence,
 *   the counters of popular links would share pages of the engine's tables, and SQLite wrote a third less for a visit.
 */
export async function handWritten(
  {store, namespace}: {store: string; namespace: string},
  paths: readonly string[],
): Promise<MeasuredLinks> {
  const open = openerOf(store);
  if (open === undefined) throw new Error(`No counter is written for ${store}`);
  const counters = await open(store);
  const keys = new Map(paths.map((path) => [path, `${namespace}:visits:${path.slice(1)}`]));
  let group: {readonly visits: Map<string, number>; readonly stored: Promise<void>} | undefined;
  let last: Promise<void> | undefined;

  async function storeAfter(previous: Promise<void> | undefined, visits: Visits): Promise<void> {
    await previous;
    // The visitors of the previous group are answered, and further requests are read, as in the package.
    await turn();
    await turn();
    group = undefined;
    await counters.add(visits, dayCounter(Math.floor(Date.now() / dayLength)));
  }

  function count(key: string): Promise<void> {
    if (group === undefined) {
      const visits = new Map<string, number>();
      last = storeAfter(last, visits);
      group = {visits, stored: last};
    }
    group.visits.set(key, (group.visits.get(key) ?? 0) + 1);
    return group.stored;
  }

  const middleware: Middleware = async (ctx, next) => {
    const key = ctx.host === host ? keys.get(ctx.path) : undefined;
    if (key === undefined) {
      await next();
      return;
    }
    await count(key);
    ctx.redirect(target);
  };

  return {
    middleware,
    visits: () => counters.total(Array.from(keys.values())),
    close: async () => {
      await counters.close();
    },
  };
}

type Open = (store: string) => Promise<Counters> | Counters;

const openers: Readonly<Record<string, Open>> = {
  'memory:': openMemory,
  'redis:': openRedis,
  'sqlite:': openSqlite,
  'postgres:': openPostgres,
  'mysql:': openMysql,
};

function openerOf(store: string): Open | undefined {
  return openers[store.slice(0, store.indexOf(':') + 1)];
}

/** Whether there is such a counter for a store. */
export function isWrittenFor(store: string): boolean {
  return openerOf(store) !== undefined;
}

function openMemory(): Counters {
  const stored = new Map<string, Map<string, number>>();
  return {
    add: (visits, day) => {
      for (const [key, n] of visits) {
        const counts = stored.get(key) ?? new Map<string, number>();
        for (const name of ['visits', day]) counts.set(name, (counts.get(name) ?? 0) + n);
        stored.set(key, counts);
      }
      return Promise.resolve();
    },
    total: (keys) => Promise.resolve(sum(keys.map((key) => stored.get(key)?.get('visits')))),
    close: () => undefined,
  };
}

async function openRedis(url: string): Promise<Counters> {
  const client = createClient({url});
  await client.connect();
  const script = await client.scriptLoad(`
    for place = 2, #ARGV do
      redis.call('HINCRBY', KEYS[place - 1], 'visits', ARGV[place])
      redis.call('HINCRBY', KEYS[place - 1], ARGV[1], ARGV[place])
    end`);
  return {
    add: (visits, day) =>
      client.sendCommand([
        ...['EVALSHA', script, String(visits.size), ...visits.keys()],
        ...[day, ...Array.from(visits.values(), String)],
      ]),
    total: async (keys) => sum(await Promise.all(keys.map((key) => client.hGet(key, 'visits')))),
    close: () => {
      client.destroy();
    },
  };
}

async function openPostgres(connectionString: string): Promise<Counters> {
  const client = new pg.Client({connectionString});
  await client.connect();
  await client.query(
    'create table if not exists counters (key text, name text, n bigint not null, primary key (key, name))',
  );
  const text = `
    insert into counters as stored
    select key, name, n from unnest($1::text[], $2::bigint[]) as added (key, n) cross join unnest($3::text[]) as name
    on conflict (key, name) do update set n = stored.n + excluded.n`;
  return {
    add: (visits, day) =>
      client.query({
        name: 'add',
        text,
        values: [`{${Array.from(visits.keys()).join()}}`, `{${Array.from(visits.values()).join()}}`, `{visits,${day}}`],
      }),
    total: async () => totalOf((await client.query<Total>(totalText)).rows),
    close: () => client.end(),
  };
}

async function openMysql(uri: string): Promise<Counters> {
  const connection = await mysql.createConnection({uri});
  await connection.query(`
    create table if not exists counters (
      id varchar(255), name varchar(100), n bigint not null, primary key (id, name)
    ) character set ascii collate ascii_bin`);
  return {
    add: (visits, day) =>
      connection.query('insert into counters values ? on duplicate key update n = n + values(n)', [
        Array.from(visits).flatMap(([key, n]) => [
          [key, 'visits', n],
          [key, day, n],
        ]),
      ]),
    total: async () => totalOf((await connection.query<Array<Total & mysql.RowDataPacket>>(totalText))[0]),
    close: () => connection.end(),
  };
}

/** With the settings of the package: each commit is on the disk when it returns. */
function openSqlite(store: string): Counters {
  const database = connectTo(store.slice('sqlite:'.length));
  database.exec('pragma page_size = 2048');
  database.prepare('pragma journal_mode = wal').get([]);
  database.exec('pragma wal_autocheckpoint = 4000; pragma synchronous = full');
  database.exec(
    'create table if not exists counters (key text, name text, n integer not null, primary key (key, name)) without rowid',
  );
  const add = database.prepare(`
    insert into counters values (?, 'visits', ?), (?, ?, ?)
    on conflict (key, name) do update set n = n + excluded.n`);
  return {
    add: (visits, day) => {
      database.exec('begin immediate');
      for (const [key, n] of visits) add.run([key, n, key, day, n]);
      database.exec('commit');
      return Promise.resolve();
    },
    total: () => Promise.resolve(totalOf([{total: database.prepare(totalText).get([])?.[0]}])),
    close: () => {
      database.close();
    },
  };
}

interface Total {
  readonly total: unknown;
}

const totalText = `select sum(n) as total from counters where name = 'visits'`;

function totalOf([row]: readonly Total[]): number {
  return Number(row?.total ?? 0);
}

function sum(numbers: readonly unknown[]): number {
  return numbers.reduce<number>((total, number) => total + Number(number ?? 0), 0);
}
