import {EventEmitter, once} from 'node:events';
import {type AddressInfo, createServer, type Server, type Socket} from 'node:net';
import type {ExecutionContext} from 'ava';

interface HeardStatement {
  /** The number of its connection, from one. */
  readonly connection: number;
  readonly text: string;
  /** Its name as a prepared statement, if the engine has such names. */
  readonly name?: string | undefined;
}

/** The reply to a statement: success, an error, or none. */
type StubReply = 'done' | 'silence' | {readonly code: string; readonly message: string};

/** A reply that the test gives later. */
export function laterReply(): {reply: Promise<StubReply>; give: (reply: StubReply) => void} {
  let give: (reply: StubReply) => void = () => undefined;
  const reply = new Promise<StubReply>((resolve) => (give = resolve));
  return {reply, give};
}

/** A server that speaks just enough of an engine's protocol, and records its statements. */
export abstract class SqlStub {
  /** The statements in order of arrival. */
  readonly heard: HeardStatement[] = [];
  /** Whether each of the connections so far is still open. */
  readonly connections: boolean[] = [];
  /** Gives the reply to each statement. */
  reply: (statement: HeardStatement) => StubReply | Promise<StubReply> = () => 'done';
  readonly #sockets = new Set<Socket>();
  readonly #news = new EventEmitter();
  readonly #server: Server = createServer((socket) => {
    const index = this.connections.push(true) - 1;
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#sockets.delete(socket);
      this.connections[index] = false;
      this.#news.emit('news');
    });
    this.greet(socket, index + 1);
  });

  async listen(t: ExecutionContext): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    t.teardown(() => {
      this.endConnections();
      this.#server.close();
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** The statements, without those that set up a session. */
  get asked(): Array<{connection: number; text: string}> {
    return this.heard
      .filter(({text}) => !text.startsWith('set session'))
      .map(({connection, text}) => ({connection, text}));
  }

  /** Ends all connections, like a server that is killed. */
  endConnections(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Resolves when `isSo` holds. It is checked whenever a statement arrives or a connection ends. */
  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await once(this.#news, 'news');
  }

  protected abstract greet(socket: Socket, connection: number): void;

  protected async answerTo(statement: HeardStatement): Promise<StubReply> {
    this.heard.push(statement);
    this.#news.emit('news');
    return this.reply(statement);
  }
}

/** Splits the data of a socket into messages, whose length `lengthOf` reads. */
export function eachMessage(
  socket: Socket,
  lengthOf: (bytes: Buffer) => number,
  take: (message: Buffer) => void,
): void {
  let bytes = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    bytes = Buffer.concat([bytes, chunk]);
    for (let length = lengthOf(bytes); length <= bytes.length; length = lengthOf(bytes)) {
      take(bytes.subarray(0, length));
      bytes = bytes.subarray(length);
    }
  });
}
