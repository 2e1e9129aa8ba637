import {once} from 'node:events';
import {connect, type Socket} from 'node:net';
import {Reply} from '../../support/request.ts';

/** Milliseconds until an answer counts as missing; long enough for a busy machine. */
const timeout = 60_000;

/** A connection that sends exact bytes, and accepts only strictly valid answers of HTTP/1.1. */
export class Connection {
  readonly #socket: Socket;
  #received = Buffer.alloc(0);
  #isOver = false;
  #wake = (): void => undefined;
  #failure: Error | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (data) => {
      this.#received = this.#received.length === 0 ? data : Buffer.concat([this.#received, data]);
      this.#wake();
    });
    // A server may close the connection while the rest of a refused request is being sent.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#isOver = true;
      this.#wake();
    });
  }

  static async open(port: number): Promise<Connection> {
    const socket = connect(port, '127.0.0.1').setNoDelay();
    const connection = new Connection(socket);
    await once(socket, 'connect');
    return connection;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whether it ended in the middle of an answer. */
  get isBroken(): boolean {
    return this.#isOver && this.#received.length > 0;
  }

  /**
   * Sends, and waits for the answers to these methods or for the end of the connection.
   *
   * @param isLast whether nothing is sent afterwards, so that the server ends the connection after its answer
   * @throws Error for a malformed answer, or if the connection stays open without an answer
   */
  async exchange(text: string, methods: readonly string[], isLast = false): Promise<Reply[]> {
    const responses: Reply[] = [];
    const timer = setTimeout(() => {
      this.#failure = new Error(`No answer within ${timeout} ms to ${JSON.stringify(text.slice(0, 2000))}`);
      this.#socket.destroy();
      this.#wake();
    }, timeout);
    try {
      if (isLast) this.#socket.end(text);
      else this.#socket.write(text);
      while (isLast || responses.length < methods.length) {
        const response = this.#take(methods[responses.length] ?? 'GET');
        if (response) {
          responses.push(response);
          continue;
        }
        if (this.#failure) throw this.#failure;
        if (this.#isOver) break;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
      return responses;
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    this.#socket.destroy();
  }

  /** The next answer, once it is complete. */
  #take(method: string): Reply | undefined {
    const end = this.#received.indexOf('\r\n\r\n');
    if (end === -1) return undefined;
    const head = this.#received.toString('latin1', 0, end).split('\r\n');
    const [, status] = /^HTTP\/1\.1 ([1-5]\d\d) [\x20-\x7e]*$/.exec(head[0] ?? '') ?? [];
    const headers: Record<string, string> = {};
    for (const line of head.slice(1)) {
      const [, name = '', value] = /^([\w!#$%&'*+.^`|~-]+): ?([\x20-\x7e]*)$/.exec(line) ?? [];
      if (value === undefined) throw malformed('a header is malformed', line);
      if (Object.hasOwn(headers, name.toLowerCase())) throw malformed('a header is there twice', line);
      headers[name.toLowerCase()] = value;
    }
    if (status === undefined) throw malformed('a status line is malformed', head[0] ?? '');
    const body = this.#body(end + 4, method === 'HEAD' || /^(1|204|304)/.test(status), headers);
    if (body === undefined) return undefined;
    this.#received = this.#received.subarray(body.end);
    if (status.startsWith('1')) return this.#take(method);
    return new Reply(Number(status), headers, body.text);
  }

  #body(
    start: number,
    isNone: boolean,
    {'content-length': length, 'transfer-encoding': coding}: Readonly<Record<string, string>>,
  ): {text: string; end: number} | undefined {
    const {length: received} = this.#received;
    if (isNone) return {text: '', end: start};
    if (length !== undefined) {
      const end = start + Number(length);
      return received < end ? undefined : {text: this.#received.toString('utf8', start, end), end};
    }
    if (coding !== 'chunked') {
      return this.#isOver ? {text: this.#received.toString('utf8', start), end: received} : undefined;
    }
    const chunks: Buffer[] = [];
    for (let at = start; ;) {
      const line = this.#received.indexOf('\r\n', at);
      if (line === -1) return undefined;
      const size = Number.parseInt(this.#received.toString('latin1', at, line), 16);
      if (Number.isNaN(size)) throw malformed('a chunk has no size', this.#received.subarray(at, at + 40));
      const next = line + 2 + size + 2;
      if (received < next) return undefined;
      chunks.push(this.#received.subarray(line + 2, line + 2 + size));
      if (size === 0) return {text: Buffer.concat(chunks).toString(), end: next};
      at = next;
    }
  }
}

function malformed(what: string, bytes: string | Buffer): Error {
  return new Error(`Not HTTP: ${what}: ${JSON.stringify(bytes.toString('latin1').slice(0, 400))}`);
}
