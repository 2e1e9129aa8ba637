import type {MysqlResult} from './mysql.ts';
import {type MysqlReply, mysqlFailure, mysqlResult} from './mysql-reply.ts';
import type {SqlConnection} from './sql-statements.ts';

/** What we use of an `@keyv/mysql` adapter: any copy of the package will do. */
export interface MysqlAdapter {
  readonly opts: {readonly table: string; readonly keySize?: number | undefined};
  query(statement: unknown): Promise<MysqlReply>;
}

/** The pool of a host's own adapter, through its `query`. It is the host's to open and close. */
export class BorrowedMysqlConnection implements SqlConnection<MysqlResult> {
  readonly #timeout: number;
  #adapter: MysqlAdapter;
  #lastError: unknown;
  #isFit = false;

  constructor(adapter: MysqlAdapter, timeout: number) {
    this.#adapter = adapter;
    this.#timeout = timeout;
  }

  async send(text: string, values: readonly unknown[], signal: AbortSignal): Promise<MysqlResult> {
    if (!this.#isFit) await this.#examine(signal);
    return this.#ask(text, values, signal);
  }

  async close(): Promise<void> {
    // The host closes what it has opened.
  }

  /** A server that is not strict cuts off what a column cannot hold, and says nothing. */
  async #examine(signal: AbortSignal): Promise<void> {
    const {rows} = await this.#ask('select @@sql_mode as mode', [], signal);
    const mode = String(rows[0]?.['mode']);
    if (!/STRICT_(TRANS|ALL)_TABLES/.test(mode) || mode.includes('NO_BACKSLASH_ESCAPES')) {
      throw new Error(`Expected the sql_mode of MySQL to be strict, and without NO_BACKSLASH_ESCAPES, got ${mode}`);
    }
    this.#isFit = true;
  }

  async #ask(text: string, values: readonly unknown[], signal: AbortSignal): Promise<MysqlResult> {
    // The pool writes the values into the text when it has a connection, which may be long after everybody has gone.
    const guard = {
      toSqlString(): string {
        signal.throwIfAborted();
        return '';
      },
    };
    try {
      return mysqlResult(
        await this.#adapter.query({
          sql: `?${text}`,
          values: [guard, ...values],
          timeout: this.#timeout,
          rowsAsArray: false,
          nestTables: false,
          typeCast: true,
          namedPlaceholders: false,
        }),
      );
    } catch (error) {
      this.#reviveAfter(error);
      return mysqlFailure(error);
    }
  }

  /**
   * An adapter whose first connection failed gives the error of that day to everybody, for ever. A twin of it starts
   * again, on the same pool.
   */
  #reviveAfter(error: unknown): void {
    if (error === this.#lastError && typeof error === 'object') {
      const {constructor, opts} = this.#adapter;
      this.#adapter = new (constructor as new (options: object) => MysqlAdapter)(opts);
      // Whoever asks it at once hears of its failure; otherwise nobody would, and that would end the process.
      this.#adapter.query('select 1').catch(() => undefined);
    }
    this.#lastError = error;
  }
}
