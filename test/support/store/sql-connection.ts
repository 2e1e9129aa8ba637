import {setImmediate} from 'node:timers/promises';
import test, {type ExecutionContext} from 'ava';
import {Deadline} from '../../../src/store/failing/deadline.ts';
import {eventually} from './eventually.ts';
import {laterReply, type SqlStub} from './sql-stub.ts';

interface OpenConnection {
  readonly stub: SqlStub;
  readonly send: (text: string, deadline?: Deadline) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

/** Waits until the deadline has expired. */
async function expire(deadline: Deadline): Promise<void> {
  await deadline.bound(new Promise(() => undefined)).catch(() => undefined);
}

/**
 * Tests what the connections of both SQL engines promise.
 *
 * @param open takes the query of a connection string
 */
export function testSqlConnection(
  engine: string,
  open: (t: ExecutionContext, query?: string) => Promise<OpenConnection>,
): void {
  const closed = {message: `The connection to ${engine} is closed`};

  test('a lost connection is replaced, whether it was in use or idle', async (t) => {
    const {stub, send} = await open(t);
    stub.reply = ({text}) => (text === 'update one' ? 'silence' : 'done');
    const sending = send('update one');
    await stub.until(() => stub.asked.length === 1);
    stub.endConnections();
    await t.throwsAsync(sending, {message: /Connection (lost|terminated)/});
    await send('update two');
    stub.endConnections();
    await stub.until(() => stub.connections[1] === false);
    // Lets the pool notice it too.
    for (let turn = 0; turn < 10; turn += 1) await setImmediate();
    await eventually(() => send('update three'));
    t.deepEqual(stub.asked.at(-1), {connection: 3, text: 'update three'});
  });

  test('the connection of a statement is closed when its deadline expires', async (t) => {
    const {stub, send} = await open(t);
    stub.reply = ({text}) => (text === 'update one' ? 'silence' : 'done');
    // More than a pool has connections.
    for (let time = 1; time <= 8; time += 1) {
      const late = new Deadline(1);
      send('update one', late).catch(() => undefined);
      await stub.until(() => stub.asked.length === time);
      await expire(late);
      await stub.until(() => stub.connections[time - 1] === false);
    }
    await send('update two');
    t.deepEqual(stub.asked.at(-1), {connection: 9, text: 'update two'});
  });

  test('close() lets the statement under way finish, and nothing is sent afterwards', async (t) => {
    const {stub, send, close} = await open(t);
    const {reply, give} = laterReply();
    stub.reply = ({text}) => (text === 'update one' ? reply : 'done');
    const sending = send('update one');
    await stub.until(() => stub.asked.length === 1);
    const closing = close();
    await t.throwsAsync(send('update two'), closed);
    await setImmediate();
    give('done');
    await t.notThrowsAsync(sending);
    await closing;
    await stub.until(() => stub.connections[0] === false);
    t.is(stub.asked.length, 1);
  });

  test('a process opens five connections, or as many as the parameter pool allows', async (t) => {
    for (const [query, size] of [
      ['', 5],
      ['?pool=1', 1],
      ['?pool=12', 12],
    ] as const) {
      const {stub, send} = await open(t, query);
      const {reply, give} = laterReply();
      stub.reply = ({text}) => (text.startsWith('update') ? reply : 'done');
      const sending = Array.from({length: 20}, (_, index) => send(`update ${index}`));
      await stub.until(() => stub.asked.length === size);
      await setImmediate();
      t.is(stub.connections.length, size);
      give('done');
      await Promise.all(sending);
      t.is(stub.connections.length, size);
    }
  });
}
