import {resolve} from 'node:path';
import {MessageChannel, receiveMessageOnPort, Worker} from 'node:worker_threads';
import type {Process} from '../timeline.ts';
import {type Network, Wire} from '../wire.ts';

/** A statement as the clients of both engines take it. */
export interface Statement {
  readonly text: string;
  readonly values?: readonly unknown[];
  /** Of a prepared statement. */
  readonly name?: string;
}

interface Answer {
  readonly number: number;
  readonly result?: unknown;
  readonly error?: {readonly message: string};
}

interface Reply {
  readonly answers: readonly Answer[];
  /** What failed in the thread itself. */
  readonly failure?: string;
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A real Postgres or MariaDB, with as many sessions as the processes of a world open. A call of a session takes place in one
 * turn of the event loop, up to the moment at which every statement has been answered, or waits for a lock. So the plan
 * decides what the server does next, and a statement that waits is answered in the step that gives up its lock.
 */
export class RealServer {
  readonly #worker: Worker;
  readonly #port;
  readonly #turns = new Int32Array(new SharedArrayBuffer(4));
  readonly #waiting = new Map<number, Waiting>();
  readonly #sessions = new Map<number, Process>();
  /** The sessions that a process has taken for a request. */
  readonly taken = new Map<object, Process>();
  #count = 0;

  constructor(url: string) {
    const {port1, port2} = new MessageChannel();
    this.#port = port1;
    this.#worker = new Worker(resolve('test/simulation/engines/server-thread.js'), {
      workerData: {url, port: port2, signal: this.#turns.buffer},
      transferList: [port2],
      // That thread needs no loader of TypeScript.
      execArgv: [],
    });
    this.#port.unref();
    this.#worker.unref();
  }

  /** Opens a session for a process. It ends with it. */
  open(process: Process): number {
    this.#count += 1;
    this.#sessions.set(this.#count, process);
    return this.#count;
  }

  /**
   * Runs statements one after the other.
   *
   * @param now the time that the server's clock shows, in milliseconds since the epoch
   * @returns the result of the last one
   */
  run(number: number, statements: readonly Statement[], now: number): Promise<unknown> {
    const dead = Array.from(this.#sessions).filter(([, process]) => process.isDead);
    for (const [each] of dead) this.#forget(each);
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, {resolve, reject});
      this.#call({command: 'run', number, statements, now, ended: dead.map(([each]) => each)});
    });
  }

  /** Ends a session, also one that waits for a lock. The server undoes its transaction. */
  end(number: number): void {
    this.#forget(number);
    this.#call({command: 'end', number});
  }

  /** Ends all sessions, and removes all rows. */
  empty(): Promise<void> {
    for (const number of Array.from(this.#sessions.keys())) this.#forget(number);
    this.taken.clear();
    this.#call({command: 'empty'});
    return Promise.resolve();
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #forget(number: number): void {
    this.#sessions.delete(number);
    this.#waiting.delete(number);
  }

  #call(request: object): void {
    const before = Atomics.load(this.#turns, 0);
    this.#port.postMessage(request);
    // The thread counts a turn and then wakes whoever waits. If this thread has seen the count before, it is the next call
    // that is woken, without an answer.
    while (Atomics.load(this.#turns, 0) === before) {
      if (Atomics.wait(this.#turns, 0, before, 30_000) === 'timed-out') throw new Error('The server does not answer');
    }
    const {answers, failure} = (receiveMessageOnPort(this.#port) as {message: Reply}).message;
    if (failure !== undefined) throw new Error(failure);
    for (const {number, result, error} of answers) {
      const waiting = this.#waiting.get(number);
      this.#waiting.delete(number);
      if (error === undefined) waiting?.resolve(result);
      else waiting?.reject(Object.assign(new Error(error.message), error));
    }
  }
}

/** A session of a process, each of whose steps waits until the plan lets it go. */
export class Session {
  readonly #server: RealServer;
  readonly #network: Network;
  readonly #wire: Wire;
  readonly #number: number;

  constructor(server: RealServer, network: Network, process: Process) {
    this.#server = server;
    this.#network = network;
    this.#wire = new Wire(network, process, server);
    this.#number = server.open(process);
  }

  /** Runs statements in one step, between which no other session comes. */
  async step(...statements: readonly Statement[]): Promise<unknown> {
    const {text, values = []} = statements.at(-1) ?? {text: ''};
    const name = text.trim().replaceAll(/\s+/g, ' ');
    const now = (): number => this.#network.timeline.dateOf(undefined);
    const isWrite = !/^(select|show)\b/.test(name);
    const touch = (): Promise<unknown> => this.#server.run(this.#number, statements, now());
    // Which rows a statement touches is not known.
    const [result] = await this.#wire.send({name, keys: [JSON.stringify(values)], touch, isWrite, touched: ['all']});
    return result;
  }

  end(): void {
    this.#server.end(this.#number);
  }
}
