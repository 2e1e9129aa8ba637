import {importFailure} from '../../failing/failure.ts';

/** A prepared statement; rows come as arrays. */
export interface Statement {
  run(parameters: readonly unknown[]): {readonly changes: number};
  get(parameters: readonly unknown[]): unknown[] | undefined;
  all(parameters: readonly unknown[]): unknown[][];
}

/** A connection to a file. It never waits for a lock. */
export interface Connection {
  exec(sql: string): unknown;
  prepare(sql: string): Statement;
  close(): unknown;
}

export interface Client {
  readonly name: string;
  /** Whether its connection is the host's, whose settings stay as they are, and which other stores may use too. */
  readonly isHost?: boolean;
  /** @param path a file, or `:memory:` */
  readonly open: (path: string) => Connection;
}

/** The parts of `node:sqlite` that are used here. Node.js 22.13 has no more of them. */
export interface NodeDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): {
    run(...parameters: readonly unknown[]): {readonly changes: number};
    get(...parameters: readonly unknown[]): Record<string, unknown> | undefined;
    all(...parameters: readonly unknown[]): Array<Record<string, unknown>>;
    setReadBigInts(enabled: boolean): unknown;
  };
  close(): unknown;
}

export interface LibsqlDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): Statement & {
    readonly reader: boolean;
    raw(enabled: boolean): unknown;
    safeIntegers(enabled: boolean): unknown;
  };
  close(): unknown;
}

interface NodeSqlite {
  readonly DatabaseSync: new (path: string) => NodeDatabase;
}

/** SQLite's names of its result codes, by number. */
const codes =
  'OK ERROR INTERNAL PERM ABORT BUSY LOCKED NOMEM READONLY INTERRUPT IOERR CORRUPT NOTFOUND FULL CANTOPEN PROTOCOL EMPTY SCHEMA TOOBIG CONSTRAINT MISMATCH MISUSE NOLFS AUTH FORMAT RANGE NOTADB'.split(
    ' ',
  );

/** The client that comes with Node.js; undefined on Node.js 20. */
export function nodeClient(): Client | undefined {
  // An import would fail on Node.js 20, and be resolved by bundlers.
  const sqlite = process.getBuiltinModule('node:sqlite') as NodeSqlite | undefined;
  if (sqlite === undefined) return undefined;
  return {name: 'Node.js', open: (path) => nodeConnection(new sqlite.DatabaseSync(path))};
}

export function nodeConnection(database: NodeDatabase): Connection {
  return {
    exec: (sql) => database.exec(sql),
    prepare(sql) {
      const statement = database.prepare(sql);
      statement.setReadBigInts(false);
      return {
        run: (parameters) => statement.run(...parameters),
        get(parameters) {
          const row = statement.get(...parameters);
          return row && Object.values(row);
        },
        all: (parameters) => statement.all(...parameters).map((row) => Object.values(row)),
      };
    },
    close: () => database.close(),
  };
}

async function libsqlPackage() {
  try {
    return (await import('libsql')).default;
  } catch (error) {
    throw importFailure('libsql', error);
  }
}

/** @throws {MissingPackageError} if the package is not installed */
export async function libsqlClient(): Promise<Client> {
  const Database = await libsqlPackage();
  const open = (path: string): Connection =>
    libsqlConnection(new Database(path, {timeout: 0}) as unknown as LibsqlDatabase);
  return {name: 'libsql', open};
}

export function libsqlConnection(database: LibsqlDatabase): Connection {
  return {
    exec: (sql) => database.exec(sql),
    prepare(sql) {
      const prepared = database.prepare(sql);
      prepared.safeIntegers(false);
      if (prepared.reader) prepared.raw(true);
      return prepared;
    },
    close: () => database.close(),
  };
}

/** The client that needs no package, if there is one. */
export async function anyClient(): Promise<Client> {
  return nodeClient() ?? (await libsqlClient());
}

/** Gives the error of a client its name in SQLite, such as `SQLITE_BUSY`, which libsql gives most errors by itself. */
export function withSqliteCode(error: unknown): {readonly code?: unknown} {
  const {code, errcode, rawCode} = error as {code?: unknown; errcode?: unknown; rawCode?: unknown};
  const number = String(code).startsWith('UNKNOWN_SQLITE_ERROR') ? rawCode : errcode;
  if (typeof number !== 'number') return error as {code?: unknown};
  // The upper bits have details.
  return Object.assign(error as Error, {code: `SQLITE_${codes[number & 255] ?? 'ERROR'}`});
}
