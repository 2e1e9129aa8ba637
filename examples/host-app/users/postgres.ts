import pg from 'pg';
import {type NewUser, type User, type Users, UsersUnavailable} from './users.ts';

const schema = `
  CREATE TABLE IF NOT EXISTS host_app_users (
    email TEXT PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    password_hash TEXT NOT NULL,
    logouts INTEGER NOT NULL DEFAULT 0
  )`;

/**
 * The error codes of `CREATE TABLE IF NOT EXISTS` if another process creates the same table at the same time. The
 * code depends on which of its catalogs Postgres was looking at.
 */
const createdElsewhere: ReadonlySet<unknown> = new Set(['23505', '42710', '42P07']);

/** For connecting and for each query, in milliseconds. */
const queryTimeout = 2000;

/** Users in a table of the database that has the links. */
export class PostgresUsers implements Users {
  readonly #pool: pg.Pool;
  #made: Promise<unknown> | undefined;

  constructor(url: string) {
    this.#pool = new pg.Pool({
      connectionString: url,
      max: 4,
      connectionTimeoutMillis: queryTimeout,
      query_timeout: queryTimeout,
      statement_timeout: queryTimeout,
    });
    // An idle connection was lost. The next query gets a new one.
    this.#pool.on('error', () => undefined);
  }

  async add({email, id, passwordHash}: NewUser): Promise<boolean> {
    const {rowCount} = await this.#ask(
      'INSERT INTO host_app_users (email, id, password_hash) VALUES ($1, $2, $3) ON CONFLICT (email) DO NOTHING',
      [email, id, passwordHash],
    );
    return rowCount === 1;
  }

  async find(email: string): Promise<User | undefined> {
    const {rows} = await this.#ask(
      'SELECT id, email, password_hash AS "passwordHash", logouts FROM host_app_users WHERE email = $1',
      [email],
    );
    return rows[0];
  }

  async emailOf(id: string): Promise<string | undefined> {
    const {rows} = await this.#ask('SELECT email FROM host_app_users WHERE id = $1', [id]);
    return rows[0]?.email;
  }

  async logOut(email: string): Promise<void> {
    await this.#ask('UPDATE host_app_users SET logouts = logouts + 1 WHERE email = $1', [email]);
  }

  async remove(email: string): Promise<void> {
    await this.#ask('DELETE FROM host_app_users WHERE email = $1', [email]);
  }

  async ready(): Promise<void> {
    await this.#ask('SELECT FROM host_app_users LIMIT 1');
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  async #ask(text: string, values: readonly string[] = []): Promise<pg.QueryResult<User>> {
    try {
      await this.#makeTable();
      return await this.#pool.query<User>(text, [...values]);
    } catch (error) {
      throw new UsersUnavailable('Postgres does not answer', {cause: error});
    }
  }

  /** Runs once, and again after a failure. */
  #makeTable(): Promise<unknown> {
    this.#made ??= this.#pool.query(schema).catch((error: unknown) => {
      this.#made = undefined;
      if (!createdElsewhere.has((error as {code?: unknown}).code)) throw error;
    });
    return this.#made;
  }
}
