import type {Driver, RecordRow} from '../../../src/store/driver.ts';
import {MemoryDriver} from '../../../src/store/engines/memory.ts';

export interface DriverStub extends Driver {
  /** The calls with their first argument, or with the keys of inserted rows. */
  readonly calls: Array<readonly [operation: string, value: unknown]>;
  /** Runs before each call; may wait or throw. */
  before: (operation: string) => unknown;
}

/** A driver on a Map that is asynchronous like one over a network. */
export function driverStub(): DriverStub {
  const inner = new MemoryDriver(new Map());
  const call =
    (operation: string) =>
    async (...values: unknown[]): Promise<unknown> => {
      const [first] = values;
      stub.calls.push([operation, operation === 'insert' ? (first as RecordRow[]).map(([key]) => key) : first]);
      await stub.before(operation);
      return Reflect.apply(Reflect.get(inner, operation) as () => unknown, inner, values);
    };
  const operations = Object.getOwnPropertyNames(MemoryDriver.prototype).map((name) => [name, call(name)]);
  const stub: DriverStub = {
    ...(Object.fromEntries(operations) as Driver),
    engine: 'stub',
    guarantee: 'store',
    isRemote: true,
    calls: [],
    before: () => undefined,
  };
  return stub;
}
