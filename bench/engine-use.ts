import {readFileSync} from 'node:fs';
import {readFile} from 'node:fs/promises';
import {createClient} from '@keyv/redis';
import mysql from 'mysql2/promise';
import pg from 'pg';

/** What an engine has used since it was started. */
export interface EngineUse {
  /** CPU time in microseconds. */
  readonly cpu: number;
  /** The bytes of its write-ahead log; 0 if it writes none. */
  readonly bytes: number;
}

/** Asks an engine on this machine what it has used. */
export interface EngineMeter {
  use(): Promise<EngineUse>;
  close(): unknown;
}

/** The bytes that this process has written to files. */
export function writtenBytes(): number {
  return Number(/^write_bytes: (\d+)/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
}

/** The microseconds of a tick, in which Linux counts CPU time. */
const tick = 10_000;

/** The meter of the engine at a connection string; undefined for an engine that runs in the server itself. */
export async function engineMeter(store: string): Promise<EngineMeter | undefined> {
  if (store.startsWith('redis:')) return redisMeter(store);
  if (store.startsWith('postgres:')) return postgresMeter(store);
  if (store.startsWith('mysql:')) return mysqlMeter(store);
  return undefined;
}

/** Without a log, as Redis writes none by default. */
async function redisMeter(url: string): Promise<EngineMeter> {
  const client = createClient({url});
  await client.connect();
  const pid = /process_id:(\d+)/.exec(await client.info('server'))?.[1] ?? '';
  return {
    use: async () => ({cpu: await cpuOf([pid]), bytes: 0}),
    close: () => {
      client.destroy();
    },
  };
}

async function postgresMeter(store: string): Promise<EngineMeter> {
  // The measured database is dropped at the end.
  const client = new pg.Client({connectionString: new URL('/postgres', store).href});
  await client.connect();
  const text = `select array_agg(pid::text) as pids, (pg_current_wal_lsn() - '0/0')::float8 as bytes from pg_stat_activity`;
  return {
    use: async () => {
      const [row] = (await client.query<{pids: string[]; bytes: number}>(text)).rows;
      return {cpu: await cpuOf(row?.pids ?? []), bytes: row?.bytes ?? 0};
    },
    close: () => client.end(),
  };
}

async function mysqlMeter(store: string): Promise<EngineMeter> {
  const connection = await mysql.createConnection(new URL('/', store).href);
  const ask = async (text: string): Promise<unknown> =>
    Object.values((await connection.query<mysql.RowDataPacket[]>(text))[0][0] ?? {}).at(-1);
  const folder = String(await ask('select @@datadir'));
  const pid = (await readFile(new URL(String(await ask('select @@pid_file')), `file://${folder}`), 'utf8')).trim();
  return {
    use: async () => ({
      cpu: await cpuOf([pid]),
      bytes: Number(await ask(`show global status like 'Innodb_os_log_written'`)),
    }),
    close: () => connection.end(),
  };
}

/** The CPU time of processes in microseconds. One that has ended counts nothing. */
export async function cpuOf(pids: readonly string[]): Promise<number> {
  const times = pids.map(async (pid) => {
    const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    // The name of the program in brackets may contain spaces. User and system time are the fields 14 and 15.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return tick * (Number(fields[11] ?? 0) + Number(fields[12] ?? 0));
  });
  return (await Promise.all(times)).reduce((sum, time) => sum + time, 0);
}
