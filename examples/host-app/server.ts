import {once} from 'node:events';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {buildApp} from './app.ts';
import {readConfiguration} from './configuration.ts';

/** How long requests that are under way may take when the process is asked to end, in milliseconds. */
const patience = 10_000;

async function start(): Promise<void> {
  const {port, baseUrl, ...options} = readConfiguration(process.env);
  const server = createServer();
  server.listen(port);
  await once(server, 'listening').catch((error: unknown) => {
    throw listenError(error, port);
  });
  // PORT=0 takes any free port, so the address is known only now.
  const address = `http://localhost:${(server.address() as AddressInfo).port}`;
  const site = buildApp({...options, baseUrl: baseUrl ?? address, log: console});
  const handle = site.app.callback();
  server.on('request', (request, response) => void handle(request, response));

  let ending = false;
  async function end(): Promise<void> {
    if (ending) return;
    ending = true;
    setTimeout(() => {
      server.closeAllConnections();
    }, patience);
    // A connection that is kept open for more requests, though none is under way, must not hold up the end.
    setInterval(() => {
      server.closeIdleConnections();
    }, 100);
    server.close();
    await once(server, 'close');
    await site.close();
    process.exit();
  }
  // npm and the terminal may each pass a signal on, so the second one means nothing.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void end());
  if (process.env['npm_lifecycle_event'] !== undefined) whenAbandoned(() => void end());

  console.log(`Low Tide Festival is open at ${address}${baseUrl === undefined ? '' : ` for ${baseUrl}`}`);
}

/** Names the setting that helps. */
function listenError(error: unknown, port: number): Error {
  const reasons: Record<string, string> = {EADDRINUSE: 'is in use', EACCES: 'needs more rights than this process has'};
  const reason = reasons[String((error as {code?: unknown}).code)] ?? `cannot be listened on (${String(error)})`;
  return new Error(`Port ${port} ${reason}: choose another one with PORT, such as PORT=${port + 1}`, {cause: error});
}

/** npm hands a signal to the shell that it started us with; the shell ends, and says nothing to us. */
function whenAbandoned(end: () => void): void {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) end();
  }, 250).unref();
}

start().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
