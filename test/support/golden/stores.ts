import {readFile, writeFile} from 'node:fs/promises';
import {setImmediate} from 'node:timers/promises';
import {createClient} from '@keyv/redis';
import type {KeyvStoreAdapter} from 'keyv';
import {mysqlTables} from '../../../src/store/engines/mysql/tables.ts';
import {postgresTables} from '../../../src/store/engines/postgres/tables.ts';
import {missingOf, type Table} from '../../../src/store/engines/sql/schema.ts';
import {sqlTables} from '../../../src/store/engines/sql/driver.ts';
import {importLinks} from '../../../src/tools.ts';
import {engineNamed, freshOn} from '../engines/engines.ts';
import type {Owner} from '../owner.ts';
import {askMysql, askPostgres} from '../engines/servers.ts';
import {FailingAdapter} from '../failing-adapter.ts';
import {connectTo} from '../store/sqlite-connection.ts';
import {exported, partsOf} from '../tools/text.ts';
import type {Place} from './observe.ts';

/**
 * A form in which the content of a store is kept as a file. It leaves out when the engine may remove a record, so that a
 * test reads the records that were there.
 */
export interface GoldenForm {
  /** The name of the file in the folder of a version. */
  readonly file: string;
  readonly fresh: (owner: Owner) => Promise<Place>;
  /** The content of a closed store. */
  readonly save: (place: Place) => Promise<string | Buffer>;
  /** Puts a content into an empty store. */
  readonly load: (content: Buffer, place: Place) => Promise<void>;
}

/** The namespace of the stores that are kept. Redis is shared, so there each store has its own. */
const namespace = 'shorturl';

const placeOn =
  (name: string) =>
  async (owner: Owner): Promise<Place> => {
    const {store, storeTimeout, namespace: own} = await freshOn(engineNamed(name), owner);
    return {store, storeTimeout, namespace: name === 'redis' ? own : namespace};
  };

const sqlite: GoldenForm = {
  file: 'sqlite.db',
  fresh: placeOn('sqlite'),
  save: ({store}) => {
    // A client may leave the log beside the file.
    const database = connectTo(fileOf(store));
    database.exec('update short_url set expires = null');
    database.prepare('pragma wal_checkpoint(truncate)').get([]);
    database.close();
    return readFile(fileOf(store));
  },
  load: (content, {store}) => writeFile(fileOf(store), content),
};

/** An export, which is put into an SQLite file. */
export const ndjson: GoldenForm = {
  file: 'export.ndjson',
  fresh: placeOn('sqlite'),
  save: async ({store, namespace: own}) => (await exported({store, namespace: own})).text,
  load: async (content, {store, namespace: own}) => {
    await importLinks({format: 'ndjson', store, namespace: own, file: partsOf(content.toString())});
  },
};

/** It answers after other events of the process, as an engine does. */
class SlowAdapter extends FailingAdapter {
  async *iterator(): AsyncGenerator<[key: string, value: unknown]> {
    await this.answer();
    yield* this.values;
  }

  protected override answer(): Promise<void> {
    return setImmediate();
  }
}

/** The entries of a Keyv adapter. */
const keyv: GoldenForm = {
  file: 'keyv.json',
  fresh: async () => ({store: new SlowAdapter() as unknown as KeyvStoreAdapter, namespace, storeTimeout: 20_000}),
  save: async ({store}) => {
    const entries: unknown[] = [];
    for await (const entry of (store as KeyvStoreAdapter).iterator?.() ?? []) entries.push(entry);
    return lines(entries.sort(byKey));
  },
  load: async (content, {store}) => {
    for (const [key, value] of JSON.parse(content.toString()) as Array<[key: string, value: unknown]>) {
      await (store as KeyvStoreAdapter).set(key, value);
    }
  },
};

/** Commands, with their key without the namespace as the second word. */
const redis: GoldenForm = {
  file: 'redis.json',
  fresh: placeOn('redis'),
  save: ({store, namespace: own}) =>
    withRedis(store, async (client) => {
      const prefix = `short_url::${own}:`;
      const keys = new Set<string>();
      for await (const some of client.scanIterator({MATCH: `${prefix}*`, COUNT: 1000})) {
        for (const key of some) keys.add(key);
      }
      const commands: string[][] = [];
      for (const key of Array.from(keys).sort()) {
        const name = key.slice(prefix.length);
        const fields = (await client.type(key)) === 'hash' ? Object.entries(await client.hGetAll(key)) : undefined;
        commands.push(fields ? ['HSET', name, ...fields.sort().flat()] : ['SET', name, (await client.get(key)) ?? '']);
        const seconds = await client.ttl(key);
        // To the hour, so that the file does not depend on how long its making took.
        if (seconds >= 0) commands.push(['EXPIRE', name, String(Math.ceil(seconds / 3600) * 3600)]);
      }
      return lines(commands);
    }),
  load: (content, {store, namespace: own}) =>
    withRedis(store, async (client) => {
      for (const [command = '', name = '', ...rest] of JSON.parse(content.toString()) as string[][]) {
        await client.sendCommand([command, `short_url::${own}:${name}`, ...rest]);
      }
    }),
};

const postgres: GoldenForm = {
  file: 'postgres.sql',
  fresh: placeOn('postgres'),
  save: async ({store}) => {
    const tables = sqlTables('public.short_url');
    const {records, counters, batches} = tables;
    const rows = (table: string, columns: readonly string[]): Promise<string> => {
      const form = columns.map(() => '%L').join();
      const text = `select format('(${form})', ${columns.join()}) as line from ${table} order by 1`;
      return insertion(table, columns, askPostgres(urlOf(store), text));
    };
    return [
      ...creationOf(postgresTables(tables)),
      await rows(records, ['key', 'value']),
      await rows(counters, ['key', 'name', 'n', 'at']),
      await rows(batches, ['writer', 'number', 'counted']),
    ].join('');
  },
  load: async (content, {store}) => {
    await askPostgres(urlOf(store), content.toString());
  },
};

const mysql: GoldenForm = {
  file: 'mysql.sql',
  fresh: placeOn('mysql'),
  save: async ({store}) => {
    const tables = sqlTables('short_url');
    const rows = (table: string, columns: readonly string[]): Promise<string> => {
      const values = columns.map((column) => `quote(${column})`).join(", ',', ");
      const text = `select concat('(', ${values}, ')') as line from ${table} order by 1`;
      return insertion(table, columns, askMysql(urlOf(store), text));
    };
    return [
      ...creationOf(mysqlTables(tables)),
      await rows(tables.records, ['id', 'value']),
      await rows(tables.counters, ['id', 'name', 'n', 'at']),
      await rows(tables.batches, ['writer', 'number', 'counted']),
    ].join('');
  },
  load: async (content, {store}) => {
    await askMysql(`${urlOf(store)}?multipleStatements=true`, content.toString());
  },
};

/** The forms that need no server. */
export const localForms: readonly GoldenForm[] = [sqlite, ndjson, keyv];

/** The forms by the name of the engine that they need. */
export const formsOfEngines: Readonly<Record<string, GoldenForm>> = {redis, postgres, mysql};

function urlOf(store: Place['store']): string {
  if (typeof store === 'string') return store;
  throw new TypeError('Expected a connection string');
}

function fileOf(store: Place['store']): string {
  return urlOf(store).replace('sqlite:', '');
}

function creationOf(tables: readonly Table[]): string[] {
  return missingOf(tables, []).map((text) => `${text};\n`);
}

/** An array in JSON, each item on its own line. */
function lines(items: readonly unknown[]): string {
  return `[\n${items.map((item) => JSON.stringify(item)).join(',\n')}\n]\n`;
}

function byKey(one: unknown, other: unknown): number {
  return String((one as unknown[])[0]) < String((other as unknown[])[0]) ? -1 : 1;
}

/** The time of a batch is left out: it is that of the server. */
async function insertion(
  table: string,
  columns: readonly string[],
  rows: ReturnType<typeof askPostgres>,
): Promise<string> {
  const lines = (await rows).map(({line}) => String(line));
  return `insert into ${table} (${columns.join(', ')}) values\n${lines.join(',\n')};\n`;
}

const redisAt = (store: Place['store']) => createClient({url: urlOf(store)});

async function withRedis<Result>(
  store: Place['store'],
  work: (client: ReturnType<typeof redisAt>) => Promise<Result>,
): Promise<Result> {
  const client = redisAt(store);
  await client.connect();
  try {
    return await work(client);
  } finally {
    client.destroy();
  }
}
