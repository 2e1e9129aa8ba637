import {once} from 'node:events';
import {type AddressInfo, connect, createServer, type Server, type Socket} from 'node:net';

/** Stands between a client and a server, to be cut, silenced and mended. */
export class TcpProxy {
  /** The port of this machine to which new connections lead. */
  target: number;
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #isSilent = false;
  readonly #stranded = new Set<Socket>();
  #dropsAnswers = false;
  /** Sides of connections of which something was dropped; what comes next would not fit. */
  readonly #spoilt = new Set<Socket>();
  #delay = 0;
  port = 0;
  /** How often a client has sent something for the first time or after an answer. */
  roundTrips = 0;

  private constructor(target: number) {
    this.target = target;
  }

  /** @param target a port of this machine */
  static async start(target: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(target);
    await proxy.mend();
    return proxy;
  }

  /** How many connections there are. */
  get connections(): number {
    return this.#sockets.size / 2;
  }

  /** Ends all connections and takes no more, as a server that is down. */
  async cut(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    const isClosed = server && once(server.close(), 'close');
    await this.endConnections();
    await isClosed;
  }

  /** Ends the connections there are, as a server that restarts. Resolves when they are closed. */
  async endConnections(): Promise<void> {
    const ended = Array.from(this.#sockets, (socket) => once(socket, 'close'));
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(ended);
  }

  /** Keeps connections and takes new ones, and passes nothing on, as a network that drops what it gets. */
  silence(): void {
    this.#isSilent = true;
  }

  /** Falls silent on the connections there are, while new ones are served. */
  strand(): void {
    for (const socket of this.#sockets) this.#stranded.add(socket);
  }

  /** Passes on what is asked and drops what is answered: the server does what its client never hears of. */
  dropAnswers(): void {
    this.#dropsAnswers = true;
  }

  /** Lets everything through later, by so many milliseconds. */
  slow(delay: number): void {
    this.#delay = delay;
  }

  /**
   * Lets everything through again. What was sent on connections that are still there arrives late; those that lost an
   * answer end.
   */
  async mend(): Promise<void> {
    this.#isSilent = false;
    this.#stranded.clear();
    this.#dropsAnswers = false;
    this.#delay = 0;
    for (const socket of this.#spoilt) socket.destroy();
    for (const socket of this.#sockets) socket.resume();
    if (this.#server) return;
    this.#server = createServer((client) => {
      this.#join(client, connect(this.target, '127.0.0.1'));
    }).listen(this.port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.port = (this.#server.address() as AddressInfo).port;
  }

  #join(client: Socket, server: Socket): void {
    let last = server;
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(from);
      from.on('error', () => undefined);
      from.on('data', (chunk) => {
        if (from === client && last === server) this.roundTrips += 1;
        last = from;
        if (this.#isSilent || this.#stranded.has(from)) {
          // Back into the buffer, until somebody mends it or the connection ends.
          from.pause();
          from.unshift(chunk);
        } else if (this.#dropsAnswers && from === server) {
          this.#spoilt.add(from);
        } else if (this.#delay > 0) {
          setTimeout(() => to.write(chunk), this.#delay);
        } else {
          to.write(chunk);
        }
      });
      from.on('close', () => {
        this.#sockets.delete(from);
        this.#stranded.delete(from);
        this.#spoilt.delete(from);
        to.destroy();
      });
    }
  }
}
