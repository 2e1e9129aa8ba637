import {once} from 'node:events';
import {type AddressInfo, connect, createServer, type Server, type Socket} from 'node:net';
import {setTimeout as delay} from 'node:timers/promises';
import type {ExecutionContext} from 'ava';

/** How long the ends of connections may take to arrive, in milliseconds. */
const patience = 5000;

/** A proxy between a client and a server, which can be cut, silenced and mended. */
export class TcpProxy {
  /** The local port to which new connections lead. */
  target: number;
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #isSilent = false;
  readonly #stranded = new Set<Socket>();
  #dropsAnswers = false;
  /** The sides of connections that lost data, so the data after it would not fit. */
  readonly #spoilt = new Set<Socket>();
  #delay = 0;
  /** How long each connection takes to be accepted, in milliseconds. */
  #acceptance = 0;
  #accepted: Promise<unknown> = Promise.resolve();
  /** How many requests pass before they are held; undefined if none is held. */
  #passing: number | undefined;
  /** Requests by the connection to the server. */
  readonly #held = new Map<Socket, Buffer[]>();
  port = 0;
  /** The number of times a client has sent its first data, or data after an answer. */
  roundTrips = 0;

  private constructor(target: number) {
    this.target = target;
  }

  /**
   * Starts a proxy that is cut after the test, by which all of its clients must have ended their connections.
   *
   * @param target a local port
   * @param isShared whether its clients belong to a site, which ends their connections in its own way
   */
  static async start(owner: Pick<ExecutionContext, 'teardown'>, target: number, isShared = false): Promise<TcpProxy> {
    const proxy = new TcpProxy(target);
    owner.teardown(async () => {
      await proxy.mend();
      if (!isShared) await proxy.#whenLeft();
      const {connections} = proxy;
      await proxy.cut();
      if (!isShared && connections > 0) throw new Error(`${connections} connections were left`);
    });
    await proxy.mend();
    return proxy;
  }

  /** The URL of a server with the port of this proxy. */
  through(url: string): string {
    const proxied = new URL(url);
    proxied.port = `${this.port}`;
    return proxied.href;
  }

  /** The number of connections. */
  get connections(): number {
    return this.#sockets.size / 2;
  }

  /** Ends all connections and refuses new ones, like a server that is down. */
  async cut(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    const isClosed = server && once(server.close(), 'close');
    await this.endConnections();
    await isClosed;
  }

  /** Resolves when all clients have ended their connections, or do not for long. */
  async #whenLeft(): Promise<void> {
    // Errors of a late delivery are no ends.
    const ended = Array.from(this.#sockets, (socket) => new Promise((resolve) => socket.once('close', resolve)));
    await Promise.race([Promise.all(ended), delay(patience, undefined, {ref: false})]);
  }

  /** Ends all connections, like a server that restarts. Resolves when they are closed. */
  endConnections(): Promise<void> {
    return this.#end((socket) => socket.destroy());
  }

  /** Ends all connections so that the next write of the server fails, like a router that has forgotten them. */
  resetConnections(): Promise<void> {
    return this.#end((socket) => socket.resetAndDestroy());
  }

  /** Keeps and accepts connections without passing anything on, like a network that drops packets. */
  silence(): void {
    this.#isSilent = true;
  }

  /** Silences the connections that exist, and serves new ones. */
  strand(): void {
    this.#isSilent = false;
    for (const socket of this.#sockets) this.#stranded.add(socket);
  }

  /**
   * Passes so many requests on, and holds all later ones until it is mended, also if the client ends its connection: a
   * kernel or a router may deliver them then.
   */
  hold(passing: number): void {
    this.#passing = passing;
  }

  /** Passes requests on and drops their answers. */
  dropAnswers(): void {
    this.#dropsAnswers = true;
  }

  /** Delays everything by so many milliseconds. */
  slow(delay: number): void {
    this.#delay = delay;
  }

  /**
   * Takes so many milliseconds to accept each connection, one after the other, like a busy server that starts a process
   * for each. That includes connections that their client has given up.
   */
  acceptSlowly(acceptance: number): void {
    this.#acceptance = acceptance;
  }

  /**
   * Passes everything on again. Data held back on surviving connections arrives late. Connections that lost an answer
   * end.
   */
  async mend(): Promise<void> {
    this.#isSilent = false;
    this.#stranded.clear();
    this.#dropsAnswers = false;
    this.#delay = 0;
    this.#acceptance = 0;
    this.#passing = undefined;
    await this.#deliver();
    for (const socket of this.#spoilt) socket.destroy();
    for (const socket of this.#sockets) socket.resume();
    if (this.#server) return;
    this.#server = createServer((client) => {
      if (this.#acceptance === 0) {
        this.#join(client, connect(this.target, '127.0.0.1'));
        return;
      }
      client.on('error', () => undefined);
      this.#accepted = this.#accepted.then(() => this.#accept(client));
    }).listen(this.port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.port = (this.#server.address() as AddressInfo).port;
  }

  /** Resolves when the server has answered what was held, or ended the connection. */
  async #deliver(): Promise<void> {
    const held = Array.from(this.#held);
    this.#held.clear();
    await Promise.all(
      held.map(async ([server, chunks]) => {
        const answered = Promise.race([once(server, 'data'), once(server, 'close')]);
        server.write(Buffer.concat(chunks));
        if (!this.#sockets.has(server)) server.end();
        await answered;
      }),
    );
  }

  async #accept(client: Socket): Promise<void> {
    await delay(this.#acceptance);
    if (!client.destroyed) this.#join(client, connect(this.target, '127.0.0.1'));
  }

  async #end(how: (socket: Socket) => unknown): Promise<void> {
    const ended = Array.from(this.#sockets, (socket) => once(socket, 'close'));
    for (const socket of this.#sockets) how(socket);
    await Promise.all(ended);
  }

  #isHeld(): boolean {
    if (this.#passing === undefined) return false;
    this.#passing -= 1;
    return this.#passing < 0;
  }

  #join(client: Socket, server: Socket): void {
    let last = server;
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      let waiting = 0;
      let sent: Promise<unknown> = Promise.resolve();
      this.#sockets.add(from.setNoDelay(true));
      from.on('error', () => undefined);
      from.on('data', (chunk) => {
        if (from === client && last === server) this.roundTrips += 1;
        last = from;
        if (from === client && this.#isHeld()) {
          this.#held.set(server, [...(this.#held.get(server) ?? []), chunk]);
        } else if (this.#isSilent || this.#stranded.has(from)) {
          // Puts the data back, until the proxy is mended or the connection ends.
          from.pause();
          from.unshift(chunk);
        } else if (this.#dropsAnswers && from === server) {
          this.#spoilt.add(from);
        } else if (this.#delay > 0 || waiting > 0) {
          // Data that arrives once nothing is delayed any more must not overtake what still waits.
          waiting += 1;
          sent = Promise.all([sent, delay(this.#delay)]).then(() => {
            waiting -= 1;
            to.write(chunk);
          });
        } else {
          to.write(chunk);
        }
      });
      from.on('close', () => {
        this.#sockets.delete(from);
        this.#stranded.delete(from);
        this.#spoilt.delete(from);
        if (this.#held.has(to)) this.#sockets.delete(to);
        else to.destroy();
      });
    }
  }
}
