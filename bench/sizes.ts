/** Measures the size of a link in the store, in bytes: `npm run bench:sizes`. */
import {spawn} from 'node:child_process';
import {randomBytes} from 'node:crypto';
import {once} from 'node:events';
import {statSync} from 'node:fs';
import {type AddressInfo} from 'node:net';
import {createClient} from '@keyv/redis';
import Koa from 'koa';
import Database from 'libsql';
import {createConnection} from 'mysql2/promise';
import pg from 'pg';
import {type ShortUrl, shortUrl} from '../src/index.ts';
import {range, crowd} from '../test/support/engines/crowd.ts';
import {type EngineOptions, engines, freshOn} from '../test/support/engines/engines.ts';

const links = Number(process.env['SIZES_LINKS'] ?? 20_000);
const names = (process.env['SIZES_ENGINES'] ?? 'redis,sqlite,postgres,mysql').split(',');
const atOnce = 50;
const domain = 'example.com';

/** Returns the current size of all records and counters, in bytes. */
type Measure = () => Promise<Readonly<Record<string, number>>>;

interface Place {
  readonly options: Omit<EngineOptions, 'secret' | 'storeTimeout'>;
  readonly measure: Measure;
}

type Undo = (undo: () => unknown) => void;

/** A long URL of 60 characters. */
function longUrl(index: number): string {
  return `https://destination.example/a/page?number=${String(index).padStart(18, '0')}`;
}

async function fill(shortener: ShortUrl, account: string, count: number): Promise<string[]> {
  await shortener.accounts.create(account);
  const slugs: string[] = [];
  const inputs = Array.from({length: count}, (_, index) => ({url: longUrl(index)}));
  for await (const {link, error} of shortener.links.createMany(account, inputs)) {
    if (error) throw error;
    slugs.push(link.shortUrlPart);
  }
  return slugs;
}

/** Visits each link once, without a `Referer`. */
async function visit(shortener: ShortUrl, slugs: readonly string[]): Promise<void> {
  const app = new Koa();
  app.proxy = true;
  const server = app.use(shortener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const {port} = server.address() as AddressInfo;
  // The agent of `fetch` is known as a bot, whose visits do not count.
  const headers = {'X-Forwarded-Host': domain, 'User-Agent': ''};
  await crowd(range(slugs.length), atOnce, async (index) => {
    const url = `http://127.0.0.1:${port}/${slugs[index]}`;
    const answer = await fetch(url, {headers, redirect: 'manual'});
    await answer.arrayBuffer();
    if (answer.status !== 302) throw new Error(`A visit was answered with the status ${answer.status}`);
  });
  server.close();
  server.closeAllConnections();
}

/** A separate server, because `used_memory` includes all data of a server. */
async function redis(undo: Undo): Promise<Place> {
  const url = `redis://127.0.0.1:${process.env['SIZES_REDIS_PORT'] ?? 16_379}`;
  const server = spawn('redis-server', ['--port', new URL(url).port, '--save', '', '--appendonly', 'no']);
  const exit = once(server, 'exit');
  undo(async () => {
    server.kill('SIGKILL');
    await exit;
  });
  let output = '';
  for await (const text of server.stdout) if ((output += String(text)).includes('Ready to accept connections')) break;
  const client = createClient({url});
  await client.connect();
  undo(() => {
    client.destroy();
  });
  const measure = async (): Promise<Record<string, number>> => {
    let keys = 0;
    for await (const some of client.scanIterator({COUNT: 1000})) {
      for (const size of await Promise.all(some.map((key) => client.memoryUsage(key)))) keys += size ?? 0;
    }
    const used = Number(/^used_memory:(\d+)/m.exec(await client.info('memory'))?.[1]);
    return {'MEMORY USAGE': keys, used_memory: used};
  };
  return {options: {store: url, namespace: 'shorturl'}, measure};
}

async function sqlite(undo: Undo): Promise<Place> {
  const options = await fresh('sqlite', undo);
  const path = options.store.slice('sqlite:'.length);
  const measure = async (): Promise<Record<string, number>> => {
    const database = new Database(path);
    database.exec('pragma wal_checkpoint(truncate); vacuum; pragma wal_checkpoint(truncate)');
    database.close();
    return {'file after VACUUM': statSync(path).size};
  };
  return {options, measure};
}

async function postgres(undo: Undo): Promise<Place> {
  const options = await fresh('postgres', undo);
  const client = new pg.Client(options.store);
  await client.connect();
  undo(() => client.end());
  const total = async (): Promise<number> => {
    const text = `select coalesce(sum(pg_total_relation_size(oid)), 0) as bytes from pg_class
      where relkind = 'r' and relname like 'short_url%'`;
    const {rows} = (await client.query(text)) as {rows: Array<{bytes: string}>};
    return Number(rows[0]?.bytes);
  };
  const measure = async (): Promise<Record<string, number>> => {
    const beforeVacuum = await total();
    await client.query('vacuum full');
    return {'after VACUUM FULL': await total(), 'before VACUUM FULL': beforeVacuum};
  };
  return {options, measure};
}

async function mysql(undo: Undo): Promise<Place> {
  const options = await fresh('mysql', undo);
  const client = await createConnection(options.store);
  undo(() => client.end());
  const measure = async (): Promise<Record<string, number>> => {
    const tables = ['short_url', 'short_url_counters', 'short_url_batches'];
    await client.query(`optimize table ${tables.join(', ')}`).catch(() => undefined);
    await client.query(`analyze table ${tables.join(', ')}`).catch(() => undefined);
    const [rows] = (await client.query(`select coalesce(sum(data_length + index_length), 0) as bytes
      from information_schema.tables where table_schema = database()`)) as unknown as [Array<{bytes: string}>];
    return {'data and indexes': Number(rows[0]?.bytes)};
  };
  return {options, measure};
}

async function fresh(name: string, undo: Undo): Promise<Place['options']> {
  const engine = engines.find((one) => one.name === name);
  if (engine === undefined) throw new Error(`There is no engine ${name}`);
  return {...(await freshOn(engine, {teardown: undo})), namespace: 'shorturl'};
}

const places: Readonly<Record<string, (undo: Undo) => Promise<Place>>> = {redis, sqlite, postgres, mysql};

for (const name of names) {
  const undos: Array<() => unknown> = [];
  try {
    const place = await places[name]?.((undo) => void undos.push(undo));
    if (place === undefined) throw new Error(`There is no engine ${name}`);
    const {store, namespace} = place.options;
    const secret = randomBytes(24).toString('base64url');
    const shortener = shortUrl({baseUrl: `https://${domain}`, store, namespace, secret, storeTimeout: 20_000});
    undos.push(() => shortener.close());
    // Create tables, scripts and buffers of connections before the first measured link.
    await visit(shortener, await fill(shortener, 'first', 100));
    const empty = await place.measure();
    const slugs = await fill(shortener, 'user-42', links);
    const created = await place.measure();
    await visit(shortener, slugs);
    const visited = await place.measure();
    for (const [way, before] of Object.entries(empty)) {
      const each = (bytes = 0): number => Math.round((bytes - before) / links);
      console.log(`${name}, ${way}: ${each(created[way])} bytes a link, ${each(visited[way])} after its first visit`);
    }
  } finally {
    for (const undo of undos.reverse()) await undo();
  }
}
