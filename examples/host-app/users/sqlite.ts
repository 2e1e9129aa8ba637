import {setTimeout as sleep} from 'node:timers/promises';
import Database from 'libsql';
import {type NewUser, type User, type Users, UsersUnavailable} from './users.ts';

const schema = `
  CREATE TABLE IF NOT EXISTS users (
    email TEXT PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    password_hash TEXT NOT NULL,
    logouts INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID`;

/** How long to retry while another process writes, in milliseconds. */
const busyTimeout = 5000;

/** Users in a file. Several processes may share it. */
export class SqliteUsers implements Users {
  readonly #file: string;
  #database: Database.Database | undefined;
  #closed = false;

  constructor(file: string) {
    this.#file = file;
  }

  add({email, id, passwordHash}: NewUser): Promise<boolean> {
    return this.#write((database) => {
      const insert = database.prepare(
        'INSERT INTO users (email, id, password_hash) VALUES (?, ?, ?) ON CONFLICT (email) DO NOTHING',
      );
      return insert.run(email, id, passwordHash).changes === 1;
    });
  }

  find(email: string): Promise<User | undefined> {
    return this.#ask((database) => {
      const select = database.prepare('SELECT id, password_hash, logouts FROM users WHERE email = ?');
      const row = select.get(email) as {id: string; password_hash: string; logouts: number} | undefined;
      return row && {id: row.id, email, passwordHash: row.password_hash, logouts: row.logouts};
    });
  }

  emailOf(id: string): Promise<string | undefined> {
    return this.#ask((database) => {
      const row = database.prepare('SELECT email FROM users WHERE id = ?').get(id) as {email: string} | undefined;
      return row?.email;
    });
  }

  async logOut(email: string): Promise<void> {
    await this.#write((database) =>
      database.prepare('UPDATE users SET logouts = logouts + 1 WHERE email = ?').run(email),
    );
  }

  async remove(email: string): Promise<void> {
    await this.#write((database) => database.prepare('DELETE FROM users WHERE email = ?').run(email));
  }

  async ready(): Promise<void> {
    await this.#ask((database) => database.prepare('SELECT 1 FROM users LIMIT 1').get());
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#database?.close();
  }

  /**
   * Takes the write lock first: if a statement in the middle of a transaction met another process's lock, this client
   * could not commit any later transaction.
   */
  #write<Answer>(change: (database: Database.Database) => Answer): Promise<Answer> {
    return this.#ask((database) => {
      database.exec('BEGIN IMMEDIATE');
      try {
        const answer = change(database);
        database.exec('COMMIT');
        return answer;
      } catch (error) {
        if (database.inTransaction) database.exec('ROLLBACK');
        throw error;
      }
    });
  }

  /**
   * The client is synchronous, so waiting for another process's lock would block the event loop. It fails at once
   * instead, and this method retries.
   */
  async #ask<Answer>(question: (database: Database.Database) => Answer): Promise<Answer> {
    const end = performance.now() + busyTimeout;
    for (;;) {
      try {
        return question(this.#open());
      } catch (error) {
        const busy = String((error as {code?: unknown}).code).startsWith('SQLITE_BUSY');
        if (this.#closed || !busy || performance.now() > end) {
          throw new UsersUnavailable('The users table does not answer', {cause: error});
        }
      }
      await sleep(5 + 20 * Math.random());
    }
  }

  #open(): Database.Database {
    if (this.#closed) throw new Error('The users table is closed');
    if (this.#database) return this.#database;
    const database = new Database(this.#file, {timeout: 0});
    try {
      database.pragma('journal_mode = WAL');
      database.pragma('synchronous = FULL');
      database.exec(schema);
    } catch (error) {
      database.close();
      throw error;
    }
    return (this.#database = database);
  }
}
