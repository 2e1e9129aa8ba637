import type {Deadline} from '../../../src/store/failing/deadline.ts';
import type {CounterRows, Driver, RecordRow} from '../../../src/store/driver.ts';
import {MemoryDriver} from '../../../src/store/memory.ts';
import type {Batch, Counters, KeyKind, KeyPart} from '../../../src/store/port.ts';

/** A driver on a Map that is asynchronous like one over a network, and calls `before` ahead of each call. */
export class DriverStub implements Driver {
  readonly engine = 'stub';
  readonly guarantee = 'store';
  readonly keepsObjects = false;
  readonly isRemote: boolean;
  /** The calls with their arguments. */
  readonly calls: Array<readonly [operation: string, ...values: unknown[]]> = [];
  /** Runs before each call; may wait or throw. */
  before: (operation: string, deadline: Deadline) => unknown;
  readonly #inner = new MemoryDriver(new Map());

  constructor(isRemote = true, before: DriverStub['before'] = () => undefined) {
    this.isRemote = isRemote;
    this.before = before;
  }

  /** The calls without the pings. */
  get asked(): unknown[] {
    return this.calls.filter(([operation]) => operation !== 'ping');
  }

  read(keys: readonly string[], deadline: Deadline): Promise<unknown[]> {
    return this.#call(['read', keys], deadline, () => this.#inner.read(keys));
  }

  insert(rows: readonly RecordRow[], deadline: Deadline): Promise<boolean[]> {
    return this.#call(['insert', rows.map(([key]) => key)], deadline, () => this.#inner.insert(rows));
  }

  replace(row: RecordRow, expected: unknown, deadline: Deadline): Promise<boolean> {
    return this.#call(['replace', row[0]], deadline, () => this.#inner.replace(row, expected));
  }

  remove(key: string, deadline: Deadline): Promise<void> {
    return this.#call(['remove', key], deadline, () => {
      this.#inner.remove(key);
    });
  }

  count(batch: Batch, deadline: Deadline): Promise<readonly boolean[]> {
    return this.#call(['count', batch], deadline, () => this.#inner.count(batch));
  }

  increment(steps: ReadonlyArray<readonly [key: string, by: number]>, deadline: Deadline): Promise<number[]> {
    return this.#call(['increment', ...steps], deadline, () => this.#inner.increment(steps));
  }

  getCounters(
    keys: readonly string[],
    names: readonly string[] | undefined,
    deadline: Deadline,
  ): Promise<readonly Counters[]> {
    return this.#call(['getCounters', keys, names], deadline, () => this.#inner.getCounters(keys, names));
  }

  removeCounters(key: string, names: readonly string[], deadline: Deadline): Promise<void> {
    return this.#call(['removeCounters', key, names], deadline, () => {
      this.#inner.removeCounters(key, names);
    });
  }

  setCounters(rows: CounterRows, deadline: Deadline): Promise<void> {
    return this.#call(['setCounters', rows], deadline, () => {
      this.#inner.setCounters(rows);
    });
  }

  keys(kind: KeyKind, prefix: string, cursor: string | undefined, deadline: Deadline): Promise<KeyPart> {
    return this.#call(['keys', kind, prefix, cursor], deadline, () => this.#inner.keys(kind, prefix));
  }

  ping(deadline: Deadline): Promise<void> {
    return this.#call(['ping'], deadline, () => undefined);
  }

  close(timeout?: number): void {
    this.calls.push(['close', timeout]);
  }

  async #call<Result>(
    call: readonly [operation: string, ...values: unknown[]],
    deadline: Deadline,
    answer: () => Result,
  ): Promise<Result> {
    this.calls.push(call);
    await this.before(call[0], deadline);
    return answer();
  }
}
