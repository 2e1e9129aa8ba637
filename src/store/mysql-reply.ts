import {asError} from './failure.ts';
import type {MysqlResult} from './mysql.ts';

/** What `mysql2` resolves with: rows, or what it calls a header. */
export type MysqlReply =
  | MysqlResult['rows']
  | {readonly affectedRows?: number; readonly insertId?: number | string; readonly [name: string]: unknown};

const nothing: MysqlResult = {rows: [], affectedRows: 0, insertId: 0, isDuplicate: false};

export function mysqlResult(reply: MysqlReply): MysqlResult {
  if (Array.isArray(reply)) return {...nothing, rows: reply as MysqlResult['rows']};
  const {affectedRows, insertId} = reply as {affectedRows?: number; insertId?: number | string};
  return {...nothing, affectedRows: affectedRows ?? 0, insertId: Number(insertId ?? 0)};
}

/**
 * What an error of `mysql2` means. A key that is there already is an answer; any other is thrown on, without the
 * statement that `mysql2` hangs on it: the records in it are nobody's business.
 */
export function mysqlFailure(thrown: unknown): MysqlResult {
  const error = asError(thrown) as Error & {errno?: unknown; sql?: unknown};
  if (error.errno === 1062) return {...nothing, isDuplicate: true};
  delete error.sql;
  throw error;
}
