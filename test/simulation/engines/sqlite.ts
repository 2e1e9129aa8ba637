import {inspect} from 'node:util';
import Database from 'libsql';
import type {Driver, Listing} from '../../../src/store/driver.ts';
import {Deadline} from '../../../src/store/failing/deadline.ts';
import {libsqlConnection, type LibsqlDatabase} from '../../../src/store/engines/sqlite/client.ts';
import {SqliteDriver} from '../../../src/store/engines/sqlite/driver.ts';
import {sqliteTables} from '../../../src/store/engines/sqlite/tables.ts';
import {Wire} from '../wire.ts';
import type {Engine} from './engine.ts';

const reads = ['read', 'getCounters', 'ping'];
const writes = ['insert', 'replace', 'remove', 'collect', 'count', 'increment', 'removeCounters', 'setCounters'];

/** SQLite in memory. Its driver runs a transaction in one turn, so each operation is one command. */
export function openSqlite(): Promise<Engine> {
  const connection = libsqlConnection(new Database(':memory:') as unknown as LibsqlDatabase);
  const client = {name: 'libsql', isHost: true, open: () => ({...connection, close: () => undefined})};
  return Promise.resolve({
    name: 'sqlite',
    empty() {
      for (const {name} of sqliteTables) connection.exec(`drop table if exists ${name}`);
      return Promise.resolve();
    },
    driver: (network, process) =>
      // The engine runs in the process, has its clock, and dies with it.
      over(new Wire(network, process, network.server, true), new SqliteDriver(':memory:', client)),
  });
}

/** Sends each operation of a driver that runs in its process over the network. */
export function over(wire: Wire, driver: Driver): Driver {
  return new Proxy(driver, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      const send = async (operation: (...values: readonly unknown[]) => unknown, values: readonly unknown[]) => {
        const deadline = values.find((each) => each instanceof Deadline);
        const [result] = await wire.send({
          name: String(name),
          keys: [inspect(values[0], {breakLength: Infinity})],
          touch: async () => operation(...values),
          isWrite: writes.includes(String(name)),
          ...(deadline && {deadline}),
        });
        return result;
      };
      const operation = value.bind(target) as (...values: readonly unknown[]) => unknown;
      if (name === 'keys') {
        return (...values: readonly unknown[]) => {
          const listing = operation(...values) as Listing;
          return (deadline: Deadline) => send(() => listing(deadline), [...values, deadline]);
        };
      }
      if (!reads.includes(String(name)) && !writes.includes(String(name))) return operation;
      return (...values: readonly unknown[]) => send(operation, values);
    },
  });
}
