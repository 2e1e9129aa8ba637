import type {Socket} from 'node:net';
import type {ExecutionContext} from 'ava';
import {eachMessage, SqlStub} from './sql-stub.ts';

const quit = 1;
const query = 3;

/** A MySQL server without data: each statement succeeds, fails or gets no answer. */
export class MysqlStub extends SqlStub {
  static async start(t: ExecutionContext): Promise<MysqlStub> {
    const stub = new MysqlStub();
    await stub.listen(t);
    return stub;
  }

  get url(): string {
    return `mysql://user@127.0.0.1:${this.port}/database`;
  }

  protected greet(socket: Socket, connection: number): void {
    let isGreeted = false;
    socket.write(packet(0, greeting));
    const lengthOf = (bytes: Buffer): number => (bytes.length < 4 ? Infinity : 4 + bytes.readUIntLE(0, 3));
    eachMessage(socket, lengthOf, (bytes) => {
      if (!isGreeted) {
        isGreeted = true;
        socket.write(packet(2, done));
      } else if (bytes[4] === quit) {
        socket.end();
      } else if (bytes[4] === query) {
        void this.answerTo({connection, text: bytes.toString('utf8', 5)}).then((reply) => {
          if (reply === 'silence') return;
          socket.write(
            packet(1, reply === 'done' ? done : Buffer.from(`\xFF\x01\x04#${reply.code}${reply.message}`, 'latin1')),
          );
        });
      }
    });
  }
}

/** The greeting of protocol version 10, with the capabilities that clients need and an arbitrary challenge. */
const greeting = Buffer.concat([
  Buffer.from('\x0A8.0.0\0\x01\0\0\0challeng\0', 'latin1'),
  // The capabilities, among them those of 4.1, in two halves around the character set and the state.
  Buffer.from([0x0a, 0xa2, 45, 2, 0, 0x08, 0x00, 21]),
  Buffer.alloc(10),
  Buffer.from('echallengech\0mysql_native_password\0'),
]);

/** The OK packet of a statement that changed one row. */
const done = Buffer.from([0, 1, 0, 2, 0, 0, 0]);

function packet(sequence: number, body: Buffer): Buffer {
  const head = Buffer.alloc(4);
  head.writeUIntLE(body.length, 0, 3);
  head[3] = sequence;
  return Buffer.concat([head, body]);
}
