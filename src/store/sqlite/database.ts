import {mkdirSync, statSync} from 'node:fs';
import {dirname, resolve} from 'node:path';
import {setImmediate, setTimeout as delay} from 'node:timers/promises';
import type Libsql from 'libsql';
import {type Deadline, noAnswer} from '../failing/deadline.ts';
import type {Answer} from '../driver.ts';
import {importPackage} from '../failing/failure.ts';

/** A prepared statement; rows come as arrays. The client takes longer for parameters that are not in an array. */
export interface Statement {
  run(parameters: readonly unknown[]): {readonly changes: number};
  get(parameters: readonly unknown[]): unknown[] | undefined;
  all(parameters: readonly unknown[]): unknown[][];
}

/** Returns the statement of a text. It is prepared once for each connection. */
export type Prepare = (sql: string) => Statement;

/** Work on the database. It may run again from the start, so it must not change anything else. */
export type Work<Result> = (prepare: Prepare) => Result;

interface Connection {
  readonly database: Libsql.Database;
  readonly prepare: Prepare;
  /** The identities of the file and its log when they were opened. */
  readonly file: string;
  readonly log: string;
}

/** The tables: a query that has a row if they exist, and statements that create them. */
interface Schema {
  readonly isCreated: string;
  readonly create: string;
}

interface Write {
  readonly work: Work<unknown>;
  readonly deadline: Deadline;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** The maximum number of writes in one commit, so that a commit blocks the event loop for only a few milliseconds. */
const groupSize = 64;

/**
 * Files whose log was deleted while this process had it open. A new connection of the process would share the index of
 * the deleted log, and damage the file.
 */
const abandoned = new Set<string>();

/**
 * One SQLite file. The client is synchronous and would block the event loop while another process has the lock. So it
 * never waits for a lock, but retries a little later. Writes that arrive while one waits or runs are stored in one
 * commit.
 */
export class SqliteDatabase {
  readonly #path: string;
  readonly #schema: Schema;
  readonly #writes: Write[] = [];
  #connection: Connection | undefined;
  #opening: Promise<Connection> | undefined;
  #writing: Promise<void> | undefined;
  #closed = false;
  /** A value of SQLite that changes when another connection commits. */
  #dataVersion: unknown;
  #version = 0;
  #wasOpened = false;

  /**
   * @param path a file, relative to the working directory and created when absent, or `:memory:`
   */
  constructor(path: string, schema: Schema) {
    this.#path = path === ':memory:' ? path : resolve(path);
    this.#schema = schema;
  }

  /** The absolute path, or `:memory:`. */
  get path(): string {
    return this.#path;
  }

  /**
   * The version of the records in the write that is running. While it stays the same, a record that was compared with the
   * stored one still equals it, so it need not be compared again.
   */
  get version(): number {
    return this.#version;
  }

  /** Called by a write that changes or removes a record. */
  changeVersion(): void {
    this.#version += 1;
  }

  /** Reads the stored data. */
  read<Result>(work: Work<Result>, deadline: Deadline): Answer<Result> {
    if (this.#connection) {
      try {
        return this.#read(this.#connection, work);
      } catch (error) {
        this.#check(error);
      }
    }
    return this.#untilFree(async () => this.#read(await this.#open(deadline), work), deadline);
  }

  /** Runs `work` in an exclusive write transaction, and resolves when it is on the disk. */
  write<Result>(work: Work<Result>, deadline: Deadline): Promise<Result> {
    return new Promise<unknown>((resolve, reject) => {
      this.#writes.push({work, deadline, resolve, reject});
      this.#writing ??= this.#writeAll();
    }) as Promise<Result>;
  }

  /** Resolves when the current writes are stored. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#writing;
    await this.#opening?.catch(() => undefined);
    this.#drop();
  }

  async #writeAll(): Promise<void> {
    for (let size = 1; this.#writes.length > 0; size = groupSize) {
      const group = this.#writes.splice(0, size);
      await this.#store(group).catch((error: unknown) => this.#storeEach(group, error));
      // Other work has waited too, so let the event loop run.
      if (this.#writes.length > 0) await setImmediate();
    }
    // Runs in the same turn as the last check. A write that arrived in between would wait for ever.
    this.#writing = undefined;
  }

  /** Stores each write alone after one of them has made the group fail. */
  async #storeEach(group: readonly Write[], error: unknown): Promise<void> {
    if (group.length === 1) group[0]?.reject(error);
    else for (const write of group) await this.#store([write]).catch(write.reject);
  }

  async #store(group: readonly Write[]): Promise<void> {
    const live = group.filter(({deadline}) => !deadline.isExpired);
    const [first] = live;
    if (first === undefined) return;
    const results = await this.#untilFree(
      async () => this.#transact(this.#connection ?? (await this.#open(first.deadline)), live),
      first.deadline,
      live,
    );
    for (const [index, {resolve}] of live.entries()) resolve(results[index]);
  }

  /** Retries while another process has the lock. The pauses are random, so that no process is always late. */
  async #untilFree<Result>(
    attempt: () => Promise<Result>,
    deadline: Deadline,
    group: readonly Write[] = [],
  ): Promise<Result> {
    for (let longest = 2; !deadline.isExpired; longest = Math.min(longest * 2, 4)) {
      try {
        return await attempt();
      } catch (error) {
        this.#check(error);
        deadline.note(error);
        for (const write of [...group, ...this.#writes]) write.deadline.note(error);
      }
      await delay(1 + Math.random() * longest);
    }
    throw noAnswer(deadline.timeout);
  }

  /** Throws the error again unless it was a lock. Except after a refused row, the connection is not used again. */
  #check(error: unknown): void {
    const {code} = error as {code?: unknown};
    if (typeof code !== 'string' || code === '') throw error;
    if (/^SQLITE_(BUSY|LOCKED)/.test(code)) return;
    if (!/^SQLITE_(CONSTRAINT|FULL|TOOBIG|MISMATCH)/.test(code)) this.#drop();
    throw error;
  }

  #open(deadline: Deadline): Promise<Connection> {
    if (this.#connection) return Promise.resolve(this.#connection);
    if (this.#closed) return Promise.reject(new Error('The database is closed'));
    this.#opening ??= this.#connect(deadline).finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #connect(deadline: Deadline): Promise<Connection> {
    const {default: Database} = await importPackage('libsql', () => import('libsql'));
    this.#prepareFile();
    const database = new Database(this.#path, {timeout: 0});
    try {
      // Processes that open a new file at the same time also block each other here.
      await this.#untilFree(async () => {
        // Only a new file accepts the size. The log stores whole pages, and a visit changes few bytes, so pages are small.
        database.exec('pragma page_size = 2048');
        database.prepare('pragma journal_mode = wal').get();
        database.exec('pragma wal_autocheckpoint = 4000; pragma synchronous = full');
        const {isCreated, create} = this.#schema;
        if (database.prepare(isCreated).get() === undefined) database.exec(create);
      }, deadline);
    } catch (error) {
      database.close();
      throw error;
    }
    const statements = new Map<string, Statement>();
    const prepare: Prepare = (sql) => {
      let statement = statements.get(sql);
      if (!statement) {
        const prepared = database.prepare(sql);
        statement = (prepared.reader ? prepared.raw(true) : prepared) as Statement;
        statements.set(sql, statement);
      }
      return statement;
    };
    this.changeVersion();
    this.#connection = {database, prepare, file: this.#identityOf(''), log: this.#identityOf('-wal')};
    this.#wasOpened = true;
    return this.#connection;
  }

  /** Never creates a file again that existed before, because the new one would have none of its links. */
  #prepareFile(): void {
    if (this.#path === ':memory:') return;
    const file = this.#identityOf('');
    if (abandoned.has(file)) throw refusedFile('lost its log while this process used it: restart the process');
    if (this.#wasOpened && file === '') throw refusedFile('is gone');
    if (!this.#wasOpened) mkdirSync(dirname(this.#path), {recursive: true});
  }

  /** Looks at the log alone, which costs half as much: a file is usually removed with its log. */
  #read<Result>(connection: Connection, work: Work<Result>): Result {
    if (this.#identityOf('-wal') !== connection.log) this.#compare(connection);
    return work(connection.prepare);
  }

  /** Takes the lock first. If a write met a lock later, its statement would stay in a state that breaks later commits. */
  #transact(connection: Connection, group: readonly Write[]): unknown[] {
    const {database, prepare} = connection;
    database.exec('begin immediate');
    try {
      this.#compare(connection);
      const [dataVersion] = prepare('pragma data_version').get([]) ?? [];
      if (dataVersion !== this.#dataVersion) this.changeVersion();
      this.#dataVersion = dataVersion;
      const results = group.map(({work}) => work(prepare));
      database.exec('commit');
      this.#compare(connection);
      return results;
    } catch (error) {
      this.changeVersion();
      if (database.inTransaction) database.exec('rollback');
      throw error;
    }
  }

  /**
   * Compares the open files with those at the path. POSIX drops all locks of a process on a file when the process closes
   * any descriptor of it, for example after a copy. Then another process may delete the log, and commits into a deleted
   * log succeed and are lost.
   */
  #compare({file, log}: Connection): void {
    const current = this.#identityOf('');
    if (current === file && this.#identityOf('-wal') === log) return;
    if (current === file) abandoned.add(file);
    throw refusedFile('was replaced, or its log was deleted, while it was open');
  }

  /** Identifies a file; empty for a missing one. */
  #identityOf(suffix: '' | '-wal'): string {
    if (this.#path === ':memory:') return '';
    const {dev, ino} = statSync(this.#path + suffix, {throwIfNoEntry: false}) ?? {};
    return ino === undefined ? '' : `${dev}:${ino}`;
  }

  #drop(): void {
    const {database} = this.#connection ?? {};
    this.#connection = undefined;
    database?.close();
  }
}

function refusedFile(reason: string): Error {
  return Object.assign(new Error(`The database file ${reason}`), {code: 'SQLITE_CANTOPEN'});
}
