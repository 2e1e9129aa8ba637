import mysql from 'mysql2/promise';
import {type NewUser, type User, type Users, UsersUnavailable} from './users.ts';

/** `VARBINARY` compares email addresses byte by byte, independently of the collation. */
const schema = `
  CREATE TABLE IF NOT EXISTS host_app_users (
    email VARBINARY(254) PRIMARY KEY,
    id VARCHAR(36) NOT NULL UNIQUE,
    password_hash VARCHAR(255) NOT NULL,
    logouts INTEGER NOT NULL DEFAULT 0
  )`;

/** For connecting and for each query, in milliseconds. */
const queryTimeout = 2000;

/** Users in a table of the database that has the links. */
export class MysqlUsers implements Users {
  readonly #pool: mysql.Pool;
  #made: Promise<unknown> | undefined;

  constructor(url: string) {
    this.#pool = mysql.createPool({uri: url, connectionLimit: 4, connectTimeout: queryTimeout});
  }

  async add({email, id, passwordHash}: NewUser): Promise<boolean> {
    const insert = 'INSERT INTO host_app_users (email, id, password_hash) VALUES (?, ?, ?)';
    try {
      await this.#ask(insert, [email, id, passwordHash]);
      return true;
    } catch (error) {
      const {cause} = error as {cause?: {code?: unknown}};
      if (cause?.code === 'ER_DUP_ENTRY') return false;
      throw error;
    }
  }

  async find(email: string): Promise<User | undefined> {
    const [row] = await this.#ask<mysql.RowDataPacket[]>(
      'SELECT id, password_hash, logouts FROM host_app_users WHERE email = ?',
      [email],
    );
    return (
      row && {id: String(row['id']), email, passwordHash: String(row['password_hash']), logouts: Number(row['logouts'])}
    );
  }

  async emailOf(id: string): Promise<string | undefined> {
    const select = 'SELECT CAST(email AS CHAR) AS email FROM host_app_users WHERE id = ?';
    const [row] = await this.#ask<mysql.RowDataPacket[]>(select, [id]);
    return row && String(row['email']);
  }

  async logOut(email: string): Promise<void> {
    await this.#ask('UPDATE host_app_users SET logouts = logouts + 1 WHERE email = ?', [email]);
  }

  async remove(email: string): Promise<void> {
    await this.#ask('DELETE FROM host_app_users WHERE email = ?', [email]);
  }

  async ready(): Promise<void> {
    await this.#ask('SELECT 1 FROM host_app_users LIMIT 1');
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  async #ask<Result extends mysql.QueryResult = mysql.QueryResult>(
    sql: string,
    values: readonly string[] = [],
  ): Promise<Result> {
    try {
      await this.#makeTable();
      const [result] = await this.#pool.query<Result>({sql, values: [...values], timeout: queryTimeout});
      return result;
    } catch (error) {
      throw new UsersUnavailable('MySQL does not answer', {cause: error});
    }
  }

  /** Runs once, and again after a failure. */
  #makeTable(): Promise<unknown> {
    this.#made ??= this.#pool.query({sql: schema, timeout: queryTimeout}).catch((error: unknown) => {
      this.#made = undefined;
      throw error;
    });
    return this.#made;
  }
}
