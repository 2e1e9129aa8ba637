import {createHash} from 'node:crypto';
import {SqlConnection, type SqlFailure, type SqlReply, type SqlRequest, type SqlRow} from '../sql/connection.ts';

/** The codes of a statement that its connection has not prepared, or has prepared before: so it was not executed. */
const notPrepared: readonly unknown[] = ['26000', '42P05'];

/** Deadlocks, serialization failures, tables that other connections create at the same time, and lost prepared statements. */
const conflicts: readonly unknown[] = ['40P01', '40001', '23505', '42P07', '42P06', '42710', ...notPrepared];

/** The server's name of the encoding that the package needs. */
export const utf8 = 'UTF8';

interface Query {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly name?: string;
}

export interface Client {
  /** The result of a text with several statements has no rows. */
  query(query: Query): Promise<{readonly rows?: readonly SqlRow[]}>;
  release(destroy: boolean): void;
  on(event: 'error', listener: (error: Error) => void): void;
  off(event: 'error', listener: (error: Error) => void): void;
}

/** Sends requests to Postgres. Where its connections come from is decided by the classes below it. */
export abstract class PostgresSessions<Pool> extends SqlConnection<Pool, Client> {
  readonly #names = new Map<string, string>();
  #prepares: boolean;

  /**
   * @param timeout how long connecting, and a statement in the server, may take, in milliseconds
   * @param prepares whether a session may keep prepared statements
   */
  constructor(timeout: number, maxConnections: number, prepares: boolean) {
    super('Postgres', timeout, maxConnections);
    this.#prepares = prepares;
  }

  protected failureOf(error: unknown): SqlFailure {
    const code = String((error as {code?: unknown}).code);
    if (conflicts.includes(code)) return 'conflict';
    // The statement was prepared before a column was altered, and was not executed.
    if (code === '0A000' && (error as Error).message.includes('cached plan')) return 'conflict';
    // Our statements divide only in `timely`.
    if (code === '22012') return 'late';
    if (code === '53300') return 'full';
    if (['42P01', '42703', '3F000'].includes(code)) return 'missing table';
    // The classes "data exception", "integrity constraint violation" and "program limit exceeded".
    return /^(22|23|54)/.test(code) ? 'refusal' : 'failure';
  }

  /** A timed statement gets the time limit as a last value, for `timely` in its text. */
  protected async query(
    client: Client,
    {statements, isTimed}: SqlRequest,
    limit: number,
  ): Promise<readonly SqlReply[]> {
    // Only one statement has values.
    const text = statements.map(([one]) => one).join('; ');
    const values = statements[0]?.[1] ?? [];
    try {
      const {rows = []} = await client.query(this.#named(text, isTimed ? [...values, limit / 1000] : values));
      return [{rows, changed: rows.length}];
    } catch (error) {
      // A pooler such as PgBouncer before 1.21 sends each statement to any connection.
      if (notPrepared.includes((error as {code?: unknown}).code)) this.#prepares = false;
      throw error;
    }
  }

  protected async clock(client: Client): Promise<number> {
    const text = `select extract(epoch from clock_timestamp()) * 1000 as time, ${encoding}`;
    const {rows: [facts = {}] = []} = await client.query({text, values: []});
    // Every connection reads the clock before its first write.
    checkEncoding(facts);
    return Number(facts['time']);
  }

  /**
   * Prepares a statement with values, so that the server plans it once. Behind a pooler, several processes share prepared
   * statements, so the name is a digest of the text.
   */
  #named(text: string, values: readonly unknown[]): Query {
    if (!this.#prepares || values.length === 0) return {text, values};
    let name = this.#names.get(text);
    if (name === undefined) {
      name = `koa_short_url_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
      this.#names.set(text, name);
    }
    return {name, text, values};
  }
}

/** A column with the encoding of the database, for `checkEncoding`. */
export const encoding = "current_setting('server_encoding') as encoding";

/** @throws for a database that cannot store every text of a link, and would refuse some links in the middle of their create */
export function checkEncoding({encoding: name = utf8}: SqlRow): void {
  if (name !== utf8) throw new Error(`The database has the encoding ${String(name)}`);
}
