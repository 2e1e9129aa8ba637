import {shortUrl} from '../../../src/index.ts';
import type {Driver} from '../../../src/store/driver.ts';
import {MysqlDriver} from '../../../src/store/engines/mysql/driver.ts';
import {type Callback, type Connection, MysqlSessions} from '../../../src/store/engines/mysql/sessions.ts';
import {RedisConnection} from '../../../src/store/engines/redis/connection.ts';
import {RedisDriver} from '../../../src/store/engines/redis/driver.ts';
import {PostgresDriver} from '../../../src/store/engines/postgres/driver.ts';
import {type Client, PostgresSessions} from '../../../src/store/engines/postgres/sessions.ts';
import {defaultPool} from '../../../src/store/engines/sql/pool.ts';
import type {SqlStatement} from '../../../src/store/engines/sql/connection.ts';
import type {Process} from '../timeline.ts';
import type {Network} from '../wire.ts';
import {countLiving, type Engine} from './engine.ts';
import {RealServer, Session} from './server.ts';

/** In milliseconds, as of the stores of a world. */
const timeout = 2000;

export interface ServerEngine extends Engine {
  close(): Promise<void>;
}

type Open = (server: RealServer, network: Network, process: Process) => Driver;

const drivers: Readonly<Record<string, Open>> = {
  'postgres:': (...given) => new PostgresDriver(new Postgres(new Sessions(...given))),
  'mysql:': (...given) => new MysqlDriver(new Mysql(new Sessions(...given))),
  'redis:': (...given) => redisOver(new Session(...given), given[1]),
};

/** @param url an empty database of Postgres or MariaDB with our tables, or a Redis of which nobody else has a key */
export function openServer(url: string): ServerEngine {
  const {protocol} = new URL(url);
  const open = drivers[protocol];
  if (open === undefined) throw new TypeError(`There is no driver for ${protocol}`);
  const server = new RealServer(url);
  return {
    name: `${protocol.slice(0, -1)}-server`,
    empty: () => server.empty(),
    close: () => server.close(),
    inUse: () => countLiving(server.taken),
    driver: (network, process) => open(server, network, process),
  };
}

function redisOver(session: Session, {timeline}: Network): Driver {
  const send = async (command: readonly string[]): Promise<unknown> => {
    const now = timeline.dateOf(undefined);
    if (command[0] === 'TIME') return [String(Math.floor(now / 1000)), String((now % 1000) * 1000)];
    return session.step({text: command[0] ?? '', values: command});
  };
  const client = {
    isReady: true,
    send: (_: string, command: readonly string[]) => send(command),
    masters: () => Promise.resolve([{name: 'server', send}]),
    isWhole: true,
  };
  return new RedisDriver(new RedisConnection(() => Promise.resolve(client), {timeout, onError: () => undefined}));
}

/** Makes our tables in an empty database. */
export async function withTables(store: string): Promise<string> {
  const shortener = shortUrl({baseUrl: 'https://example.com', store, secret: 'x'.repeat(32)});
  await shortener.ready();
  await shortener.close();
  return store;
}

/** The sessions of a process. */
class Sessions<Client extends object> {
  readonly #open: () => Session;
  readonly #idle: Client[] = [];
  readonly #sessions = new WeakMap<Client, Session>();
  readonly #server: RealServer;
  readonly #process: Process;

  constructor(server: RealServer, network: Network, process: Process) {
    this.#server = server;
    this.#process = process;
    this.#open = () => new Session(server, network, process);
  }

  /** @param clientOf makes what the package knows of a session */
  take(clientOf: (session: Session) => Client): Promise<Client> {
    const client = this.#idle.pop() ?? this.#make(clientOf);
    this.#server.taken.set(client, this.#process);
    return Promise.resolve(client);
  }

  #make(clientOf: (session: Session) => Client): Client {
    const session = this.#open();
    const client = clientOf(session);
    this.#sessions.set(client, session);
    return client;
  }

  sessionOf(client: Client): Session {
    const session = this.#sessions.get(client);
    if (session === undefined) throw new Error('No session of this process');
    return session;
  }

  giveBack(client: Client, isUsable: boolean): void {
    this.#server.taken.delete(client);
    if (isUsable) this.#idle.push(client);
    else this.sessionOf(client).end();
  }
}

const unheard = {on: () => undefined, off: () => undefined};

/** A write is one statement. It is committed in a step of its own, so that others come between. */
class Postgres extends PostgresSessions<undefined> {
  readonly #sessions: Sessions<Client>;

  constructor(sessions: Sessions<object>) {
    super(timeout, defaultPool, true);
    this.#sessions = sessions as Sessions<Client>;
  }

  protected async open(): Promise<undefined> {
    // There is no pool.
  }

  protected connect(): Promise<Client> {
    return this.#sessions.take((session) => ({
      ...unheard,
      release: () => undefined,
      query: async (statement) => {
        const isRead = statement.values.length === 0 || /^\s*select\b/.test(statement.text);
        const result = await session.step(...(isRead ? [] : [{text: 'begin'}]), statement);
        if (!isRead) await session.step({text: 'commit'});
        return result as {rows: Array<Record<string, unknown>>};
      },
    }));
  }

  protected release(client: Client, isUsable: boolean): void {
    this.#sessions.giveBack(client, isUsable);
  }

  protected async end(): Promise<void> {
    // There is no pool.
  }
}

/** A transaction goes in one round trip, but the server lets others come between its statements. */
class Mysql extends MysqlSessions<undefined> {
  readonly #sessions: Sessions<Connection>;

  constructor(sessions: Sessions<object>) {
    super(timeout, defaultPool);
    this.#sessions = sessions as Sessions<Connection>;
  }

  protected async open(): Promise<undefined> {
    // There is no pool.
  }

  protected connect(): Promise<Connection> {
    return this.#sessions.take((session) => ({
      ...unheard,
      release: () => undefined,
      destroy: () => undefined,
      stream: undefined as never,
      query: (statement, callback: Callback<unknown>) => {
        const {sql, values = []} = statement as {sql: string; values?: readonly unknown[]};
        session.step({text: sql, values}).then(
          (result) => {
            callback(null, result);
          },
          (error: unknown) => {
            callback(error as Error, undefined);
          },
        );
      },
    }));
  }

  protected override async transact(connection: Connection, statements: readonly SqlStatement[]): Promise<unknown[]> {
    const session = this.#sessions.sessionOf(connection);
    const results: unknown[] = [];
    for (const [index, [text, values = []]] of statements.entries()) {
      const begin = index === 0 ? [{text: 'start transaction'}] : [];
      results.push(await session.step(...begin, {text, values}));
    }
    await session.step({text: 'commit'});
    return results;
  }

  protected release(connection: Connection, isUsable: boolean): void {
    this.#sessions.giveBack(connection, isUsable);
  }

  protected async end(): Promise<void> {
    // There is no pool.
  }
}
