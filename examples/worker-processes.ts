/** A process for each core, all on one port and one store: there is nothing more to coordinate. */
import cluster, {type Worker} from 'node:cluster';
import {availableParallelism} from 'node:os';
import {fileURLToPath} from 'node:url';

const count = Number(process.env['WORKERS'] ?? availableParallelism());
/** Each is the server of the other example, and ends as well as that does. */
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
    // The next one would do no better: a setting is wrong, or the store is away.
    process.exitCode = 1;
    end();
  }
});

function end(): void {
  isEnding = true;
  for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGTERM');
}
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, end);
