import {once} from 'node:events';
import type {ServerResponse} from 'node:http';
import {connect} from 'node:net';
import type {Readable} from 'node:stream';
import {setImmediate} from 'node:timers/promises';
import test, {type ExecutionContext} from 'ava';
import Koa from 'koa';
import Koa2 from 'koa2';
import {respondWithAnswer} from '../../../src/http/koa/response.ts';
import {listen} from '../../support/listen.ts';

const item = {short_url: 'https://example.com/spring'};

/** Requests a list whose second chunk the test controls, and waits for the first chunk. */
async function startList(t: ExecutionContext, app: Koa) {
  let goOn: (chunk: Array<typeof item> | Promise<never>) => void = () => undefined;
  const second = new Promise<Array<typeof item>>((resolve) => {
    goOn = resolve;
  });
  const closed: Array<Promise<unknown>> = [];
  const breaks: unknown[] = [];
  async function* chunks(): AsyncGenerator<Array<typeof item>> {
    yield [item];
    yield await second;
  }
  app.silent = true;
  app.use(async (ctx) => {
    const envelope = {code: 200, data: {urls: []}};
    const stream = {name: 'urls', chunks: chunks()};
    await respondWithAnswer(ctx, {envelope, format: 'json', stream}, (cause) => breaks.push(cause));
    for (const emitter of [ctx.res, ctx.body as Readable]) {
      closed.push(new Promise((resolve) => emitter.once('close', resolve)));
    }
  });
  const {port} = await listen(t, app);
  const socket = connect({host: '127.0.0.1', port});
  socket.on('error', () => undefined);
  socket.write('GET / HTTP/1.1\r\nHost: example.com\r\n\r\n');
  let received = '';
  socket.on('data', (data) => (received += String(data)));
  while (!received.includes('spring')) await once(socket, 'data');
  return {socket, goOn, breaks, closed};
}

for (const [name, App] of [
  ['Koa 3', Koa],
  ['Koa 2', Koa2],
] as const) {
  test(`on ${name} a client that disconnects in the middle of a list causes no error`, async (t) => {
    const {socket, goOn, breaks, closed} = await startList(t, new App());
    socket.destroy();
    await closed[0];
    goOn([item]);
    await closed[1];
    t.deepEqual(breaks, []);
  });

  test(`on ${name} a list that fails in the middle is reported with its cause, and its connection is cut`, async (t) => {
    const {socket, goOn, breaks} = await startList(t, new App());
    const cause = new Error('the store is away');
    const closed = once(socket, 'close');
    goOn(Promise.reject(cause));
    await closed;
    t.deepEqual(breaks, [cause]);
  });
}

test('a list is read no further than its client reads the answer', async (t) => {
  const app = new Koa();
  app.silent = true;
  let chunks = 0;
  async function* endless(): AsyncGenerator<Array<typeof item>> {
    const long = {short_url: 'x'.repeat(100_000)};
    for (; chunks < 10_000; chunks += 1) {
      await setImmediate();
      yield [long];
    }
  }
  let answer: ServerResponse | undefined;
  app.use(async (ctx) => {
    answer = ctx.res;
    const stream = {name: 'urls', chunks: endless()};
    await respondWithAnswer(ctx, {envelope: {code: 200, data: {urls: []}}, format: 'xml', stream}, () => undefined);
  });
  const {port} = await listen(t, app);
  const socket = connect({host: '127.0.0.1', port});
  t.teardown(() => socket.destroy());
  socket.pause();
  socket.write('GET / HTTP/1.1\r\nHost: example.com\r\n\r\n');
  // The buffers of the kernel fill first.
  while (answer?.writableNeedDrain !== true || answer.socket?.bytesWritten === undefined) await setImmediate();
  for (let turn = 0; turn < 100; turn += 1) await setImmediate();
  const before = chunks;
  for (let turn = 0; turn < 1000; turn += 1) await setImmediate();
  t.is(chunks, before);
  t.true(answer.writableLength < 1_000_000);
});
