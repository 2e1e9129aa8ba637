import type {Socket} from 'node:net';
import type {ExecutionContext} from 'ava';
import {eachMessage, SqlStub} from './sql-stub.ts';

/** A Postgres server without data: each statement succeeds, fails or gets no answer. */
export class PostgresStub extends SqlStub {
  /** How connections are refused, if they are. */
  refuses: (startup: string) => {readonly code: string; readonly message: string} | undefined = () => undefined;

  static async start(t: ExecutionContext): Promise<PostgresStub> {
    const stub = new PostgresStub();
    await stub.listen(t);
    return stub;
  }

  get url(): string {
    return `postgres://user@127.0.0.1:${this.port}/database`;
  }

  protected greet(socket: Socket, connection: number): void {
    const texts = new Map<string, string>();
    let isStarted = false;
    let [name, text] = ['', ''];
    const answer = async (): Promise<void> => {
      const reply = await this.answerTo({connection, text, name: name === '' ? undefined : name});
      if (reply === 'silence') return;
      socket.write(
        Buffer.concat([reply === 'done' ? message('C', 'SELECT 0\0') : refusal('ERROR', reply), message('Z', 'I')]),
      );
    };
    const start = (startup: string): void => {
      isStarted = true;
      const refused = this.refuses(startup);
      if (refused) socket.end(refusal('FATAL', refused));
      else socket.write(Buffer.concat([message('R', '\0\0\0\0'), message('Z', 'I')]));
    };
    // The first message has no type byte before its length.
    const lengthOf = (bytes: Buffer): number => {
      const head = isStarted ? 1 : 0;
      return bytes.length < head + 4 ? Infinity : head + bytes.readUInt32BE(head);
    };
    eachMessage(socket, lengthOf, (bytes) => {
      if (!isStarted) {
        start(bytes.toString());
        return;
      }
      const parts = bytes.toString('latin1', 5).split('\0');
      switch (bytes.toString('latin1', 0, 1)) {
        case 'Q':
          [name, text] = ['', parts[0] ?? ''];
          void answer();
          break;
        case 'P':
          texts.set(parts[0] ?? '', parts[1] ?? '');
          socket.write(message('1', ''));
          break;
        case 'B':
          name = parts[1] ?? '';
          text = texts.get(name) ?? '';
          socket.write(message('2', ''));
          break;
        case 'D':
          socket.write(message('n', ''));
          break;
        case 'S':
          void answer();
          break;
        case 'X':
          socket.end();
      }
    });
  }
}

function message(letter: string, body: string): Buffer {
  const bytes = Buffer.from(`${letter}\0\0\0\0${body}`);
  bytes.writeUInt32BE(bytes.length - 1, 1);
  return bytes;
}

function refusal(severity: string, {code, message: text}: {code: string; message: string}): Buffer {
  return message('E', `S${severity}\0C${code}\0M${text}\0\0`);
}
