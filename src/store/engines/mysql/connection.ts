import {importFailure} from '../../failing/failure.ts';
import {type Callback, called, type Connection, MysqlSessions} from './sessions.ts';

interface MysqlPackage {
  readonly createPool: (options: object) => Pool;
}

interface Pool {
  getConnection(callback: Callback<Connection>): void;
  end(callback: Callback<unknown>): void;
  on(event: 'connection', listener: (connection: Connection) => void): void;
}

/** The options of the pool, as `mysql2` names them. */
export interface MysqlOptions {
  readonly host: string;
  readonly port: number;
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly database: string;
  readonly connectionLimit: number;
  readonly socketPath?: string | undefined;
  readonly ssl?: {readonly rejectUnauthorized: boolean; readonly verifyIdentity: boolean} | undefined;
}

const statementOptions = {
  charset: 'utf8mb4',
  multipleStatements: true,
  // `affectedRows` counts the rows that a statement changed, not the matching rows.
  flags: ['-FOUND_ROWS'],
};

/** Connections to MySQL or MariaDB on a pool of our own. */
export class MysqlConnection extends MysqlSessions<Pool> {
  readonly #options: MysqlOptions;

  constructor(options: MysqlOptions, timeout: number) {
    super(timeout, options.connectionLimit);
    this.#options = options;
  }

  protected async open(): Promise<Pool> {
    const {createPool} = await mysqlPackage();
    const pool = createPool({
      ...this.#options,
      ...statementOptions,
      connectTimeout: this.timeout,
    });
    pool.on('connection', (connection) => {
      this.#begin(connection);
    });
    return pool;
  }

  protected connect(pool: Pool): Promise<Connection> {
    return called((callback) => {
      pool.getConnection(callback);
    });
  }

  protected release(connection: Connection, isUsable: boolean): void {
    if (isUsable) {
      connection.release();
      return;
    }
    connection.destroy();
    // The client's own `destroy` waits until the server closes the connection.
    connection.stream.destroy();
  }

  protected end(pool: Pool): Promise<unknown> {
    return called((callback) => {
      pool.end(callback);
    });
  }

  #begin(connection: Connection): void {
    const {stream} = connection;
    this.sockets.add(stream);
    stream.once('close', () => this.sockets.delete(stream));
    // The pool drops a lost connection itself; without a listener a second error would end the process.
    connection.on('error', () => undefined);
    const seconds = Math.max(1, Math.floor(this.timeout / 1000));
    // Without strict mode, a server truncates values that do not fit into a column. "Read committed" locks no gaps between rows.
    // The server cancels a statement that waits for a lock longer than its caller does. The timeouts of locks are whole
    // seconds. So below one second every statement has a limit. Only MariaDB reads this comment.
    const limit = this.timeout < 1000 ? ` /*M!100100 , max_statement_time = ${this.timeout / 1000} */` : '';
    const sql =
      'set session transaction isolation level read committed; ' +
      "set session sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION', autocommit = 1, time_zone = '+00:00', " +
      `innodb_lock_wait_timeout = ${seconds}, lock_wait_timeout = ${seconds}${limit}`;
    connection.query({sql}, (error) => {
      if (error) this.release(connection, false);
    });
  }
}

async function mysqlPackage(): Promise<MysqlPackage> {
  try {
    const {default: client} = await import('mysql2');
    return client as unknown as MysqlPackage;
  } catch (error) {
    throw importFailure('mysql2', error);
  }
}
