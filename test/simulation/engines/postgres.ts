import utils from 'pg/lib/utils.js';
import type {Deadline} from '../../../src/store/failing/deadline.ts';
import {PostgresDriver} from '../../../src/store/engines/postgres/driver.ts';
import {type Client, PostgresSessions} from '../../../src/store/engines/postgres/sessions.ts';
import type {SqlReply, SqlRequest} from '../../../src/store/engines/sql/connection.ts';
import {defaultPool} from '../../../src/store/engines/sql/pool.ts';
import type {Process} from '../timeline.ts';
import {type Network, Wire} from '../wire.ts';
import {countLiving, type Engine} from './engine.ts';

/** In milliseconds, as of the stores of a world. */
const timeout = 2000;

/** Its own types need those of browsers and of Emscripten. */
const pglite = ['@electric-sql', 'pglite'].join('/');

interface Rows {
  readonly rows: Array<Record<string, unknown>>;
}

interface Postgres {
  exec(sql: string): Promise<Rows[]>;
  query(sql: string, values: readonly unknown[]): Promise<Rows>;
}

type Query = Parameters<Client['query']>[0];

/** Postgres in WebAssembly. Its clock is the simulated one, because it asks Node.js for the time. */
export async function openPostgres(): Promise<Engine> {
  const {PGlite} = (await import(pglite)) as {readonly PGlite: {create(): Promise<Postgres>}};
  const postgres = await PGlite.create();
  const query = async ({timeline}: Network, {text, values}: Query) => {
    timeline.isEngineRunning = true;
    try {
      // As the client of the package sends them: without values several statements may be one text.
      if (values.length === 0) return (await postgres.exec(text)).at(-1) ?? {};
      const texts = values.map((value) => utils.prepareValue(value));
      return await postgres.query(text, texts);
    } finally {
      timeline.isEngineRunning = false;
    }
  };
  const taken = new Map<Client, Process>();
  return {
    name: 'postgres',
    inUse: () => countLiving(taken),
    async empty() {
      taken.clear();
      await postgres.exec('drop schema public cascade; create schema public');
    },
    driver: (network, process) => {
      const connections = new SimulatedConnections(network, process, taken, (statement) => query(network, statement));
      return new PostgresDriver(connections);
    },
  };
}

/** The pool of a process. Each statement goes over the network by itself. */
class SimulatedConnections extends PostgresSessions<undefined> {
  readonly #process: Process;
  readonly #wire: Wire;
  readonly #query: Client['query'];
  readonly #idle: Client[] = [];
  readonly #taken: Map<Client, Process>;

  constructor(network: Network, process: Process, taken: Map<Client, Process>, query: Client['query']) {
    super(timeout, defaultPool, true);
    this.#process = process;
    this.#wire = new Wire(network, process, network.server);
    this.#query = query;
    this.#taken = taken;
  }

  override async send(request: SqlRequest, deadline: Deadline): Promise<readonly SqlReply[]> {
    let isSettled = false;
    deadline.onExpiry(() => (this.#process.failures += isSettled ? 0 : 1));
    return super.send(request, deadline).finally(() => (isSettled = true));
  }

  protected open(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  protected async connect(): Promise<Client> {
    const client = this.#idle.pop() ?? (await this.#opened());
    this.#taken.set(client, this.#process);
    return client;
  }

  async #opened(): Promise<Client> {
    await this.#wire.send({name: 'connect', keys: [''], touch: () => undefined});
    return {
      query: async (query) => {
        const name = query.text.trim().replaceAll(/\s+/g, ' ');
        const values = JSON.stringify(query.values);
        const [result = {}] = await this.#wire.send({name, keys: [values], touch: () => this.#query(query)});
        return result;
      },
      release: () => undefined,
      on: () => undefined,
      off: () => undefined,
    };
  }

  protected release(client: Client, isUsable: boolean): void {
    this.#taken.delete(client);
    if (isUsable) this.#idle.push(client);
  }

  protected end(): Promise<void> {
    return Promise.resolve();
  }
}
