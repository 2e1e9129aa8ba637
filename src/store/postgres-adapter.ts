import type {PostgresRow, PostgresTable} from './postgres.ts';
import type {SqlConnection} from './sql-statements.ts';

/** What we use of an `@keyv/postgres` adapter: any copy of the package will do. */
export interface PostgresAdapter {
  readonly opts: {
    readonly schema: string;
    readonly table: string;
    readonly keySize?: number | undefined;
    readonly useUnloggedTable?: boolean | undefined;
  };
  query(statement: unknown): Promise<readonly PostgresRow[]>;
  on(event: 'error', listener: () => void): unknown;
  off(event: 'error', listener: () => void): unknown;
}

/** Without a listener an adapter that cannot create its table ends the process, and never works again. */
function hear(): void {
  // Whatever it is, our own statements meet it too.
}

/** How much longer than we a pool waits for a silent server before it drops the connection, in milliseconds. */
const patience = 1000;

/** The table that an adapter without options of its own uses. */
export const defaultPostgresTable = postgresTable({schema: 'public', table: 'keyv'});

/** The table of an adapter. Its names stand in our statements as they do in its own: unquoted, unless the host did so. */
export function postgresTable({
  schema,
  table,
  keySize = 255,
  useUnloggedTable,
}: PostgresAdapter['opts']): PostgresTable {
  const name = `${schema}.${table}`;
  const createTable =
    `create ${useUnloggedTable ? 'unlogged ' : ''}table if not exists ${name} ` +
    `(key varchar(${keySize}) primary key, value text)`;
  return {
    name,
    create: schema === 'public' ? createTable : `create schema if not exists ${schema}; ${createTable}`,
    keySize,
  };
}

/** The pool of a host's own adapter, through its `query`. It is the host's to open and close. */
export class BorrowedPostgresConnection implements SqlConnection<readonly PostgresRow[]> {
  readonly #adapter: PostgresAdapter;
  readonly #timeout: number;

  constructor(adapter: PostgresAdapter, timeout: number) {
    this.#adapter = adapter;
    this.#timeout = timeout;
    adapter.on('error', hear);
  }

  send(text: string, values: readonly unknown[], signal: AbortSignal): Promise<readonly PostgresRow[]> {
    const parameters = values.length > 0 ? values : undefined;
    return this.#adapter.query({
      // The pool reads these when it has a connection, which may be long after everybody has gone.
      get text() {
        return signal.aborted ? 'select' : text;
      },
      get values() {
        return signal.aborted ? undefined : parameters;
      },
      query_timeout: this.#timeout + patience,
    });
  }

  async close(): Promise<void> {
    this.#adapter.off('error', hear);
  }
}
