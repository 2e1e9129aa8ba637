import {once} from 'node:events';
import {type AddressInfo, connect, createServer, type Socket} from 'node:net';

/** A TCP proxy that delays data in both directions and counts round trips. */
export class SlowProxy {
  /** How often a client has sent data after an answer on its connection. */
  roundTrips = 0;
  readonly #server = createServer((client) => {
    this.#join(client);
  });
  readonly #sockets = new Set<Socket>();
  readonly #target: number;
  readonly #delay: number;

  private constructor(target: number, delay: number) {
    this.#target = target;
    this.#delay = delay;
  }

  /** @param delay milliseconds in each direction */
  static async start(target: number, delay: number): Promise<SlowProxy> {
    const proxy = new SlowProxy(target, delay);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #join(client: Socket): void {
    const engine = connect(this.#target, '127.0.0.1');
    let isAnswered = true;
    this.#pass(client, engine, () => {
      if (isAnswered) this.roundTrips += 1;
      isAnswered = false;
    });
    this.#pass(engine, client, () => {
      isAnswered = true;
    });
  }

  #pass(from: Socket, to: Socket, seen: () => void): void {
    this.#sockets.add(from.setNoDelay(true));
    from.on('data', (chunk) => {
      seen();
      setTimeout(() => to.write(chunk), this.#delay);
    });
    from.on('error', () => to.destroy());
    from.on('close', () => {
      this.#sockets.delete(from);
      to.destroy();
    });
  }
}
