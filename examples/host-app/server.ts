import {once} from 'node:events';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {buildApp} from './app.ts';
import {readConfiguration} from './configuration.ts';

/** How long open requests may take during the shutdown, in milliseconds. */
const shutdownTimeout = 10_000;

async function start(): Promise<void> {
  const {port, baseUrl, ...options} = readConfiguration(process.env);
  const server = createServer();
  // Without BASE_URL the site is for this machine only.
  server.listen({port, ...(baseUrl === undefined && {host: 'localhost'})});
  await once(server, 'listening').catch((error: unknown) => {
    throw listenError(error, port);
  });
  // PORT=0 means any free port, so the address is known only now.
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
    }, shutdownTimeout);
    // Browsers keep idle connections open, which would delay the end.
    setInterval(() => {
      server.closeIdleConnections();
    }, 100);
    server.close();
    await once(server, 'close');
    await site.close();
    process.exit();
  }
  // npm and the terminal may both send the signal, so ignore the second one.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void end());
  if (process.env['npm_lifecycle_event'] !== undefined) whenParentEnds(() => void end());

  console.log(`Low Tide Festival is open at ${address}${baseUrl === undefined ? '' : ` for ${baseUrl}`}`);
  console.log('Next: register there, and make a link under "Your links". Ctrl+C ends the site.');
}

/** An error that names the setting to change. */
function listenError(error: unknown, port: number): Error {
  const reasons: Record<string, string> = {EADDRINUSE: 'is in use', EACCES: 'needs more rights than this process has'};
  const reason = reasons[String((error as {code?: unknown}).code)] ?? `cannot be listened on (${String(error)})`;
  return new Error(`Port ${port} ${reason}: choose another one with PORT, such as PORT=${port + 1}`, {cause: error});
}

/** npm signals only the shell that runs this process. When the shell has ended, the parent process changes. */
function whenParentEnds(end: () => void): void {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) end();
  }, 250).unref();
}

start().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
