import type {Socket} from 'node:net';
import {
  SqlConnection,
  type SqlFailure,
  type SqlReply,
  type SqlRequest,
  type SqlRow,
  type SqlStatement,
} from '../sql/connection.ts';
import {clock} from './statements.ts';

export type Callback<Result> = (error: Error | null, result: Result) => void;

export interface Connection {
  readonly stream: Socket;
  query(statement: object, callback: Callback<unknown>): void;
  release(): void;
  destroy(): void;
  on(event: 'error', listener: (error: Error) => void): void;
  off(event: 'error', listener: (error: Error) => void): void;
}

/**
 * A deadlock, a lock timeout, a row changed since the snapshot, a commit that the group refused, and a column that another
 * connection has added meanwhile.
 */
const conflicts: readonly number[] = [1213, 1205, 1020, 3101, 1060];

/** No connection is left on the server, or for the user. */
const full: readonly number[] = [1040, 1203, 1226];

/** A value outside the character set of a column, and more rows than fit into one packet. */
const refusals: readonly number[] = [1366, 1153];

/**
 * Fails after the time limit, because the sum exceeds the largest integer. Then the client ends the transaction. Without the
 * name, that of the column would have the time, and the client compiles a parser for each set of names.
 */
const timely = `select ~0 + (${clock} >= ?) as timely`;

/** Null for a column that allows none. */
const nullRefused = 1048;

/** Sends requests to MySQL or MariaDB. Where its connections come from is decided by the classes below it. */
export abstract class MysqlSessions<Pool> extends SqlConnection<Pool, Connection> {
  /** @param timeout how long connecting, and a statement in the server, may take, in milliseconds */
  constructor(timeout: number, maxConnections: number) {
    super('MySQL', timeout, maxConnections);
  }

  protected failureOf(error: unknown): SqlFailure {
    const {errno, sqlState} = error as {errno?: unknown; sqlState?: unknown};
    const number = Number(errno);
    if (conflicts.includes(number)) return 'conflict';
    // Our statements compute only in `timely`.
    if (number === 1690) return 'late';
    if (full.includes(number)) return 'full';
    if (number === 1146 || number === 1054) return 'missing table';
    // The classes "data exception" and "integrity constraint violation".
    return /^(22|23)/.test(String(sqlState)) || refusals.includes(number) ? 'refusal' : 'failure';
  }

  /** A timed request is a transaction that fails at its end, after the time limit. */
  protected async query(
    connection: Connection,
    {statements, isTimed}: SqlRequest,
    limit: number,
  ): Promise<readonly SqlReply[]> {
    const all: typeof statements = isTimed ? [...statements, [timely, [limit]]] : statements;
    const [[sql, values = []] = ['']] = all;
    if (all.length === 1) return [replyOf(await queried(connection, {sql, values}))];
    try {
      return (await this.transact(connection, all)).slice(0, statements.length).map(replyOf);
    } catch (error) {
      if ((error as {errno?: unknown}).errno !== nullRefused) throw error;
      await queried(connection, {sql: 'rollback'});
      return [];
    }
  }

  /** Runs a transaction in one round trip, and returns the replies to its statements. */
  protected async transact(connection: Connection, statements: readonly SqlStatement[]): Promise<unknown[]> {
    const sql = ['start transaction', ...statements.map(([text]) => text), 'commit'].join('; ');
    const values = statements.flatMap(([, some = []]) => some);
    return ((await queried(connection, {sql, values})) as unknown[]).slice(1, -1);
  }

  protected async clock(connection: Connection): Promise<number> {
    return Number(replyOf(await queried(connection, {sql: `select ${clock} as time`})).rows[0]?.['time']);
  }
}

/** The client gives rows, or how many were changed. */
export function replyOf(reply: unknown): SqlReply {
  if (Array.isArray(reply)) return {rows: reply as readonly SqlRow[], changed: 0};
  return {rows: [], changed: (reply as {readonly affectedRows: number}).affectedRows};
}

/** The form of results, whatever the options of the connection are. */
const results = {rowsAsArray: false, nestTables: false, typeCast: true};

export function queried(connection: Connection, statement: object): Promise<unknown> {
  return called((callback) => {
    connection.query({...results, ...statement}, callback);
  });
}

export function called<Result>(call: (callback: Callback<Result>) => void): Promise<Result> {
  return new Promise((resolve, reject) => {
    call((error, result) => {
      if (error) reject(error);
      else resolve(result);
    });
  });
}
