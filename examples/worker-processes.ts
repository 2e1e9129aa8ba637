/** One process per core, all with the same port and store. They need no other coordination. */
import cluster, {type Worker} from 'node:cluster';
import {availableParallelism} from 'node:os';
import {fileURLToPath} from 'node:url';

const count = Number(process.env['WORKERS'] ?? availableParallelism());
/** Each process runs the server of that example, so it shuts down in the same way. */
cluster.setupPrimary({exec: fileURLToPath(new URL('graceful-shutdown.ts', import.meta.url))});
for (let index = 0; index < count; index++) cluster.fork();

const listening = new Set<Worker>();
cluster.on('listening', (worker) => listening.add(worker));

let isEnding = false;
cluster.on('exit', (worker) => {
  const hasListened = listening.delete(worker);
  if (isEnding) return;
  if (hasListened) {
    cluster.fork();
  } else {
    // Starting it again would fail again: a setting is wrong or the store does not answer.
    process.exitCode = 1;
    end();
  }
});

function end(): void {
  isEnding = true;
  for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGTERM');
}
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, end);
