import {importPackage} from '../failing/failure.ts';

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

/** A client of SQLite. */
export interface Client {
  readonly name: string;
  /** @param path a file, or `:memory:` */
  readonly open: (path: string) => Connection;
}

/** The parts of `node:sqlite` that are used here. Node.js 22.13 has no more of them. */
interface NodeSqlite {
  readonly DatabaseSync: new (path: string) => {
    exec(sql: string): unknown;
    prepare(sql: string): {
      run(...parameters: readonly unknown[]): {readonly changes: number};
      get(...parameters: readonly unknown[]): Record<string, unknown> | undefined;
      all(...parameters: readonly unknown[]): Array<Record<string, unknown>>;
    };
    close(): unknown;
  };
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
  const open = (path: string): Connection => {
    const database = new sqlite.DatabaseSync(path);
    return {
      exec: (sql) => database.exec(sql),
      prepare(sql) {
        const statement = database.prepare(sql);
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
  };
  return {name: 'Node.js', open};
}

/** @throws {MissingPackageError} if the package is not installed */
export async function libsqlClient(): Promise<Client> {
  const {default: Database} = await importPackage('libsql', () => import('libsql'));
  const open = (path: string): Connection => {
    const database = new Database(path, {timeout: 0});
    return {
      exec: (sql) => database.exec(sql),
      prepare(sql) {
        const prepared = database.prepare(sql);
        return (prepared.reader ? prepared.raw(true) : prepared) as Statement;
      },
      close: () => database.close(),
    };
  };
  return {name: 'libsql', open};
}

/** The client that needs no package, if there is one. */
export async function anyClient(): Promise<Client> {
  return nodeClient() ?? (await libsqlClient());
}

/** Gives the error of a client its name in SQLite, such as `SQLITE_BUSY`, which libsql gives it by itself. */
export function withSqliteCode(error: unknown): {readonly code?: unknown} {
  const {errcode} = error as {errcode?: unknown};
  // The upper bits have details.
  if (typeof errcode !== 'number') return error as {code?: unknown};
  return Object.assign(error as Error, {code: `SQLITE_${codes[errcode & 255] ?? 'ERROR'}`});
}
