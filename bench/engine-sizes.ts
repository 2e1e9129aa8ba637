import {statSync} from 'node:fs';
import {createClient} from '@keyv/redis';
import Database from 'libsql';
import {createConnection} from 'mysql2/promise';
import pg from 'pg';
import {engineNamed, type EngineOptions, freshOn} from '../test/support/engines/engines.ts';
import type {Owner} from '../test/support/owner.ts';
import {RedisServer} from '../test/support/store/redis-server.ts';

/** Sizes of all records and counters, in bytes, by the way in which they are measured. */
export type Sizes = Readonly<Record<string, number>>;

/** An empty place on an engine, and what it stores. */
export interface Place {
  readonly options: Omit<EngineOptions, 'secret' | 'storeTimeout'>;
  /** What the engine uses now, in bytes. */
  readonly used: () => Promise<number>;
  /** The smallest sizes: it makes the engine give back unused space first, which takes long for many links. */
  readonly compacted: () => Promise<Sizes>;
  /** The rows of the table of counters, or the fields of hashes. */
  readonly rows: () => Promise<number>;
}

const countRows = 'select count(*) as found from short_url_counters';

/** A separate server, because `used_memory` includes all data of a server. */
async function redis(owner: Owner): Promise<Place> {
  const {url} = await RedisServer.start(owner);
  const client = createClient({url});
  await client.connect();
  owner.teardown(() => {
    client.destroy();
  });
  const used = async (): Promise<number> => Number(/^used_memory:(\d+)/m.exec(await client.info('memory'))?.[1]);
  const compacted = async (): Promise<Sizes> => {
    let keys = 0;
    for await (const some of client.scanIterator({COUNT: 1000})) {
      for (const size of await Promise.all(some.map((key) => client.memoryUsage(key)))) keys += size ?? 0;
    }
    return {'MEMORY USAGE': keys, used_memory: await used()};
  };
  const rows = async (): Promise<number> => {
    let fields = 0;
    for await (const some of client.scanIterator({COUNT: 1000, TYPE: 'hash'})) {
      for (const length of await Promise.all(some.map((key) => client.hLen(key)))) fields += length;
    }
    return fields;
  };
  return {options: {store: url, namespace: 'shorturl'}, used, compacted, rows};
}

async function sqlite(owner: Owner): Promise<Place> {
  const options = await fresh('sqlite', owner);
  const path = options.store.slice('sqlite:'.length);
  const sizeAfter = (statements: string): number => {
    const database = new Database(path);
    database.exec(statements);
    database.close();
    return statSync(path).size;
  };
  // The log has a size of its own, so it is moved to the file.
  const checkpoint = 'pragma wal_checkpoint(truncate)';
  const used = async (): Promise<number> => sizeAfter(checkpoint);
  const compacted = async (): Promise<Sizes> => ({
    'file after VACUUM': sizeAfter(`${checkpoint}; vacuum; ${checkpoint}`),
  });
  const rows = async (): Promise<number> => {
    const database = new Database(path);
    const [count] = Object.values(database.prepare(countRows).get() as Record<string, number>);
    database.close();
    return count ?? Number.NaN;
  };
  return {options, used, compacted, rows};
}

async function postgres(owner: Owner): Promise<Place> {
  const options = await fresh('postgres', owner);
  const client = new pg.Client(options.store);
  await client.connect();
  owner.teardown(() => client.end());
  const used = async (): Promise<number> => {
    const text = `select coalesce(sum(pg_total_relation_size(oid)), 0) as bytes from pg_class
      where relkind = 'r' and relname like 'short_url%'`;
    const {rows} = (await client.query(text)) as {rows: Array<{bytes: string}>};
    return Number(rows[0]?.bytes);
  };
  const compacted = async (): Promise<Sizes> => {
    const beforeVacuum = await used();
    await client.query('vacuum full');
    return {'after VACUUM FULL': await used(), 'before VACUUM FULL': beforeVacuum};
  };
  const rows = async (): Promise<number> => {
    const found = (await client.query(countRows)) as {rows: Array<{found: string}>};
    return Number(found.rows[0]?.found);
  };
  return {options, used, compacted, rows};
}

async function mysql(owner: Owner): Promise<Place> {
  const options = await fresh('mysql', owner);
  const client = await createConnection(options.store);
  owner.teardown(() => client.end());
  const tables = ['short_url', 'short_url_counters', 'short_url_batches'];
  const used = async (): Promise<number> => {
    // The sizes of tables are estimates, which this renews. A table may not exist yet.
    await client.query(`analyze table ${tables.join(', ')}`).catch(() => undefined);
    const [rows] = (await client.query(`select coalesce(sum(data_length + index_length), 0) as bytes
      from information_schema.tables where table_schema = database()`)) as unknown as [Array<{bytes: string}>];
    return Number(rows[0]?.bytes);
  };
  const compacted = async (): Promise<Sizes> => {
    await client.query(`optimize table ${tables.join(', ')}`).catch(() => undefined);
    return {'data and indexes': await used()};
  };
  const rows = async (): Promise<number> => {
    const [found] = (await client.query(countRows)) as unknown as [Array<{found: string}>];
    return Number(found[0]?.found);
  };
  return {options, used, compacted, rows};
}

async function fresh(name: string, owner: Owner): Promise<Place['options']> {
  return {...(await freshOn(engineNamed(name), owner)), namespace: 'shorturl'};
}

const places: Readonly<Record<string, (owner: Owner) => Promise<Place>>> = {redis, sqlite, postgres, mysql};

/** An empty place on an engine that other processes can reach. */
export async function placeOn(name: string, owner: Owner): Promise<Place> {
  const place = await places[name]?.(owner);
  if (place === undefined) throw new Error(`There is no engine ${name}`);
  return place;
}
