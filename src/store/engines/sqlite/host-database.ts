import {existsSync} from 'node:fs';
import {
  type Client,
  type Connection,
  type LibsqlDatabase,
  libsqlConnection,
  type NodeDatabase,
  nodeConnection,
} from './client.ts';

/** The part of a `DatabaseSync` of `node:sqlite`, or of a `Database` of `libsql`, that is used here. */
export interface HostDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): unknown;
  close(): unknown;
}

/** A file, or `:memory:`, and how to connect to it. */
export interface HostFile {
  readonly path: string;
  readonly client: Client;
}

/** Files that libsql has beside a replica of a database on a server. */
const replicaFiles = ['-info', '-client_wal_index'];

/**
 * The file that a database of the host has open. The connection to it is our own, so that neither side is in a transaction
 * of the other, and no setting of the host applies. It is one of the same class, because two SQLites in a process would
 * drop each other's locks. A database in memory is only in the host's connection, which is shared then.
 *
 * @returns undefined for any other value
 * @throws {TypeError} for a database that is not open, or not on this machine
 */
export function hostFileOf(value: object): HostFile | undefined {
  const kind = kinds.find((each) => each.holds(value as Record<string, unknown>));
  if (kind === undefined) return undefined;
  const {name, connectionOf} = kind;
  const database = value as HostDatabase;
  const Database = value.constructor as Constructor;
  const path = fileOf(connectionOf(database));
  if (path === '') return {path: ':memory:', client: {name, isHost: true, open: () => shared(connectionOf(database))}};
  if (!existsSync(path) || replicaFiles.some((suffix) => existsSync(path + suffix))) {
    throw new TypeError('Expected the database of the store to be a file on this machine, and no replica of another');
  }
  return {path, client: {name, open: (file) => connectionOf(new Database(file, {timeout: 0}))}};
}

interface Kind {
  readonly name: string;
  readonly holds: (value: Record<string, unknown>) => boolean;
  readonly connectionOf: (database: HostDatabase) => Connection;
}

/** With the time that a statement waits for a lock. */
type Constructor = new (path: string, options: {readonly timeout: number}) => HostDatabase;

const kinds: readonly Kind[] = [
  {
    name: 'Node.js',
    holds: (value) => areMethods(value, ['exec', 'prepare', 'open', 'createSession', 'applyChangeset']),
    connectionOf: (database) => nodeConnection(database as NodeDatabase),
  },
  {
    name: 'libsql',
    holds: (value) => areMethods(value, ['exec', 'prepare', 'pragma', 'syncUntil']),
    connectionOf: (database) => libsqlConnection(database as LibsqlDatabase),
  },
];

function areMethods(value: Record<string, unknown>, names: readonly string[]): boolean {
  return names.every((name) => typeof value[name] === 'function');
}

/** The absolute path of an open file; empty for a database in memory. */
function fileOf(connection: Connection): string {
  try {
    const [[file] = []] = connection.prepare("select file from pragma_database_list where name = 'main'").all([]);
    return typeof file === 'string' ? file : '';
  } catch (error) {
    throw new TypeError('Expected the database of the store to be open', {cause: error});
  }
}

/** The connection of the host. It stays open, and a transaction of the host is a lock. */
function shared(connection: Connection): Connection {
  return {
    prepare: (sql) => withHostReason(() => connection.prepare(sql)),
    exec: (sql) => withHostReason(() => connection.exec(sql)),
    close: () => undefined,
  };
}

function withHostReason<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const {message} = error;
    if (message.includes('within a transaction')) {
      throw Object.assign(new Error('The site has a transaction open', {cause: error}), {code: 'SQLITE_BUSY'});
    }
    // Of libsql it is a TypeError, which would look like a bug.
    throw message.includes('is not open') ? new Error(message) : error;
  }
}
