import {once} from 'node:events';
import {type AddressInfo, connect, createServer, type Socket} from 'node:net';

/** A TCP proxy that holds what it receives, in both directions, for so many milliseconds. */
export class SlowProxy {
  readonly port: number;
  readonly close: () => void;

  private constructor(port: number, close: () => void) {
    this.port = port;
    this.close = close;
  }

  static async start(target: number, delay: number): Promise<SlowProxy> {
    const sockets = new Set<Socket>();
    const server = createServer((client) => {
      const engine = connect(target, '127.0.0.1');
      for (const [from, to] of [
        [client, engine],
        [engine, client],
      ] as const) {
        sockets.add(from.setNoDelay(true));
        from.on('data', (chunk) => {
          later(delay, () => to.write(chunk));
        });
        from.on('error', () => to.destroy());
        from.on('close', () => {
          sockets.delete(from);
          to.destroy();
        });
      }
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new SlowProxy((server.address() as AddressInfo).port, () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    });
  }
}

const waiting: Array<{readonly due: number; readonly act: () => void}> = [];

/** Timers are late by up to a millisecond, which would be a twentieth of a round trip; so this looks at the clock all the time. */
function later(milliseconds: number, act: () => void): void {
  waiting.push({due: performance.now() + milliseconds, act});
  if (waiting.length === 1) setImmediate(look);
}

function look(): void {
  while ((waiting[0]?.due ?? Infinity) <= performance.now()) waiting.shift()?.act();
  if (waiting.length > 0) setImmediate(look);
}
