import {existsSync, statSync} from 'node:fs';
import {dirname, resolve} from 'node:path';
import {setImmediate, setTimeout as delay} from 'node:timers/promises';
import {type Deadline, noAnswer} from '../../failing/deadline.ts';
import type {Answer} from '../../driver.ts';
import {missingOf, type Table} from '../sql/schema.ts';
import {anyClient, type Client, type Connection, type Statement, withSqliteCode} from './client.ts';

/** Returns the statement of a text. It is prepared once for each connection. */
export type Prepare = (sql: string) => Statement;

/** Work on the database. It may run again from the start, so it must not change anything else. */
export type Work<Result> = (prepare: Prepare) => Result;

interface OpenFile {
  readonly connection: Connection;
  readonly client: Client;
  readonly prepare: Prepare;
  /** The identities of the file, its log, and the index of the log, when they were opened. */
  readonly file: string;
  readonly log: string;
  readonly index: string;
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
 * Files whose log, or its index, was deleted while this process had it open. A new connection of the process would share
 * the old index, and damage the file.
 */
const abandoned = new Set<string>();

/**
 * The connections to abandoned files whose log is there. They stay open until the process ends: when SQLite closes the last
 * connection, it writes what this one knows of the log into the file, and deletes what others have added to the log.
 */
const kept = new Set<Connection>();

/**
 * One SQLite file. The client is synchronous and would block the event loop while another process has the lock. So it
 * never waits for a lock, but retries a little later. Writes that arrive while one waits or runs are stored in one
 * commit.
 */
export class SqliteDatabase {
  readonly #path: string;
  readonly #tables: readonly Table[];
  readonly #clientOf: () => Promise<Client>;
  readonly #writes: Write[] = [];
  #open: OpenFile | undefined;
  #opening: Promise<OpenFile> | undefined;
  #writing: Promise<void> | undefined;
  #closed = false;
  /** A value of SQLite that changes when another connection commits. */
  #dataVersion: unknown;
  #version = 0;
  #last: Pick<OpenFile, 'file' | 'log'> | undefined;

  /**
   * @param path a file in an existing folder, relative to the working directory and created when absent, or `:memory:`
   * @param client default the one that needs no package
   */
  constructor(path: string, tables: readonly Table[], client?: Client) {
    this.#clientOf = client ? () => Promise.resolve(client) : anyClient;
    this.#path = path === ':memory:' ? path : resolve(path);
    this.#tables = tables;
  }

  /** The absolute path, or `:memory:`. */
  get path(): string {
    return this.#path;
  }

  get client(): string | undefined {
    return this.#open?.client.name;
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

  read<Result>(work: Work<Result>, deadline: Deadline): Answer<Result> {
    if (this.#open) {
      try {
        return this.#read(this.#open, work);
      } catch (error) {
        this.#check(error);
      }
    }
    return this.#untilFree(async () => this.#read(await this.#opened(deadline), work), deadline);
  }

  /** Runs `work` in an exclusive write transaction, and resolves when it is on the disk. */
  write<Result>(work: Work<Result>, deadline: Deadline): Promise<Result> {
    return new Promise<unknown>((resolve, reject) => {
      this.#writes.push({work, deadline, resolve, reject});
      this.#writing ??= this.#writeAll();
    }) as Promise<Result>;
  }

  /** The statements that the file lacks, as `Driver.plan` returns them. It opens the file for itself, and creates none. */
  async plan(): Promise<readonly string[]> {
    if (this.#path !== ':memory:' && !existsSync(this.#path)) return missingOf(this.#tables, []);
    const connection = (await this.#clientOf()).open(this.#path);
    try {
      return this.#missingIn(connection);
    } finally {
      connection.close();
    }
  }

  /** Resolves when the current writes are stored. */
  async close(): Promise<void> {
    await this.#writing;
    this.#closed = true;
    await this.#opening?.catch(() => undefined);
    this.#drop();
  }

  async #writeAll(): Promise<void> {
    while (this.#writes.length > 0) {
      // Writes of the same turn share the commit, and work that has waited for the last one gets its turn.
      await setImmediate();
      const group = this.#writes.splice(0, groupSize);
      await this.#store(group).catch((error: unknown) => this.#storeEach(group, error));
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
      async () => this.#transact(this.#open ?? (await this.#opened(first.deadline)), live),
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
    const {code} = withSqliteCode(error);
    if (typeof code !== 'string' || code === '') throw error;
    if (/^SQLITE_(BUSY|LOCKED)/.test(code)) return;
    if (!/^SQLITE_(CONSTRAINT|FULL|TOOBIG|MISMATCH)/.test(code)) this.#drop();
    throw error;
  }

  #opened(deadline: Deadline): Promise<OpenFile> {
    if (this.#open) return Promise.resolve(this.#open);
    if (this.#closed) return Promise.reject(new Error('The database is closed'));
    this.#opening ??= this.#connect(deadline).finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #connect(deadline: Deadline): Promise<OpenFile> {
    const client = await this.#clientOf();
    this.#prepareFile();
    const connection = client.open(this.#path);
    try {
      // Processes that open a new file at the same time also block each other here.
      await this.#untilFree(async () => {
        if (client.isHost !== true) setUp(connection);
        if (this.#missingIn(connection).length > 0) this.#createTables(connection);
      }, deadline);
    } catch (error) {
      connection.close();
      throw error;
    }
    const statements = new Map<string, Statement>();
    const prepare: Prepare = (sql) => {
      let statement = statements.get(sql);
      if (!statement) {
        statement = connection.prepare(sql);
        statements.set(sql, statement);
      }
      return statement;
    };
    this.changeVersion();
    this.#open = {
      connection,
      client,
      prepare,
      file: this.#identityOf(''),
      log: this.#identityOf('-wal'),
      index: this.#identityOf('-shm'),
    };
    // Without the statements: libsql closes a file when the last of them was collected.
    this.#last = {file: this.#open.file, log: this.#open.log};
    return this.#open;
  }

  /** Processes that open a new file at the same time may all come here. */
  #createTables(connection: Connection): void {
    connection.exec('begin immediate');
    try {
      for (const statement of this.#missingIn(connection)) connection.exec(statement);
      connection.exec('commit');
    } catch (error) {
      rollBack(connection);
      throw error;
    }
  }

  #missingIn(connection: Connection): string[] {
    const existing = this.#tables.flatMap(({name}) =>
      columnsOf(connection, name).map((column) => ({table: name, column})),
    );
    return missingOf(this.#tables, existing);
  }

  /**
   * Never creates a file again that existed before, because the new one would have none of its links. SQLite would empty
   * a log without its file, and damage a file beside the log of another one.
   */
  #prepareFile(): void {
    if (this.#path === ':memory:') return;
    // A new file has no log until it is written, so this comes before the look at the file.
    const log = this.#identityOf('-wal');
    const file = this.#identityOf('');
    if (abandoned.has(file)) throw refusedFile('lost its log while this process used it: restart the process');
    if (file === '' && log !== '')
      throw refusedFile('is gone, but its log is there: bring the file back, or remove the log (-wal) too');
    if (this.#last && file === '') throw refusedFile('is gone');
    if (this.#last && file !== this.#last.file && log !== '' && log === this.#last.log) {
      throw refusedFile('was replaced, but not its log: stop each process, and remove the files with -wal and -shm');
    }
    // A mistyped path would begin an empty site.
    if (!existsSync(dirname(this.#path))) throw refusedFile('has no folder');
  }

  /** Looks at the log alone, which costs half as much: a file is usually removed with its log. */
  #read<Result>(open: OpenFile, work: Work<Result>): Result {
    if (this.#identityOf('-wal') !== open.log) this.#compare(open);
    return work(open.prepare);
  }

  /** Takes the lock first. If a write met a lock later, its statement would stay in a state that breaks later commits. */
  #transact(open: OpenFile, group: readonly Write[]): unknown[] {
    const {connection, client, prepare} = open;
    connection.exec('begin immediate');
    try {
      this.#compare(open);
      const [dataVersion] = prepare('pragma data_version').get([]) ?? [];
      if (dataVersion !== this.#dataVersion || client.isHost === true) this.changeVersion();
      this.#dataVersion = dataVersion;
      const results = group.map(({work}) => work(prepare));
      connection.exec('commit');
      this.#compare(open);
      return results;
    } catch (error) {
      this.changeVersion();
      rollBack(connection);
      throw error;
    }
  }

  /**
   * Compares the open files with those at the path. POSIX drops all locks of a process on a file when the process closes
   * any descriptor of it, for example after a copy. Then another process may delete the log, and commits into a deleted
   * log succeed and are lost. So are commits by processes that do not share the index of the log.
   */
  #compare({connection, file, log, index}: OpenFile): void {
    const current = this.#identityOf('');
    const currentLog = this.#identityOf('-wal');
    if (current === file && currentLog === log && this.#identityOf('-shm') === index) return;
    if (current === file) {
      abandoned.add(file);
      if (currentLog !== '') kept.add(connection);
    }
    throw refusedFile('was replaced, or a file beside it was deleted, while it was open');
  }

  /** Identifies a file; empty for a missing one. */
  #identityOf(suffix: '' | '-wal' | '-shm'): string {
    if (this.#path === ':memory:') return '';
    const {dev, ino} = statSync(this.#path + suffix, {throwIfNoEntry: false}) ?? {};
    return ino === undefined ? '' : `${dev}:${ino}`;
  }

  #drop(): void {
    const {connection} = this.#open ?? {};
    this.#open = undefined;
    if (connection !== undefined && !kept.has(connection)) connection.close();
  }
}

function setUp(connection: Connection): void {
  // Only a new file accepts the size. The log stores whole pages, and a visit changes few bytes, so pages are small.
  connection.exec('pragma page_size = 2048');
  connection.prepare('pragma journal_mode = wal').get([]);
  connection.exec('pragma wal_autocheckpoint = 4000; pragma synchronous = full');
}

/** The columns of a table; none if there is no such table. */
function columnsOf(connection: Connection, table: string): string[] {
  return connection
    .prepare(`select name from pragma_table_info('${table}')`)
    .all([])
    .map(([name]) => String(name));
}

/** Some errors have already ended the transaction. If it goes on, the next write fails and replaces the connection. */
function rollBack(connection: Connection): void {
  try {
    connection.exec('rollback');
  } catch {
    // The error that led here is thrown.
  }
}

function refusedFile(reason: string): Error {
  return Object.assign(new Error(`The database file ${reason}`), {code: 'SQLITE_CANTOPEN'});
}
