import {once} from 'node:events';
import {connect, type Socket} from 'node:net';

/** A connection to a measured server. To be cheap, it parses only the status and the length of an answer. */
export class Connection {
  readonly #socket: Socket;
  #received = '';
  #answered: () => void = () => undefined;

  private constructor(socket: Socket) {
    this.#socket = socket.setNoDelay(true);
  }

  static async open(port: number): Promise<Connection> {
    const buffer = Buffer.allocUnsafe(64 * 1024);
    const callback = (length: number): boolean => {
      connection.#read(buffer.toString('latin1', 0, length));
      return true;
    };
    const socket = connect({port, host: '127.0.0.1', onread: {buffer, callback}});
    const connection = new Connection(socket);
    await once(socket, 'connect');
    return connection;
  }

  /**
   * Sends one request after another until the given time.
   *
   * @param end a time of `performance.now()`
   * @returns the latencies in milliseconds, after the last answer
   * @throws if an answer is an error or the connection ends
   */
  run(next: () => string, end: number): Promise<number[]> {
    return new Promise((resolve, reject) => {
      const latencies: number[] = [];
      let sent = performance.now();
      const ended = (): void => {
        reject(new Error('The server closed a connection'));
      };
      this.#socket.once('close', ended);
      this.#answered = () => {
        const now = performance.now();
        latencies.push(now - sent);
        if (now < end) {
          sent = now;
          this.#socket.write(next(), 'latin1');
        } else {
          this.#socket.off('close', ended);
          resolve(latencies);
        }
      };
      this.#socket.write(next(), 'latin1');
    });
  }

  /** Whether the server has not ended. */
  get isOpen(): boolean {
    return !this.#socket.destroyed;
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(chunk: string): void {
    this.#received += chunk;
    const head = this.#received.indexOf('\r\n\r\n');
    if (head === -1) return;
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(this.#received)?.[1]);
    // Nothing catches this error, so it ends the process and the bench.
    if (!/^HTTP\/1\.1 [23]/.test(this.#received) || Number.isNaN(length)) {
      throw new Error(`The server answered: ${this.#received}`);
    }
    if (this.#received.length < head + 4 + length) return;
    this.#received = '';
    this.#answered();
  }
}
