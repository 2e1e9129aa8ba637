import {execFile} from 'node:child_process';
import {availableParallelism, platform} from 'node:os';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';

const run = promisify(execFile);
const script = fileURLToPath(new URL('load.lua', import.meta.url));

export const connections = 50;

/** What one run of the load generator saw. */
export interface Measured {
  readonly requests: number;
  readonly microseconds: number;
  /** Answers that did not come, or were 4xx or 5xx. */
  readonly failures: number;
  /** Latencies in microseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
}

/** Whether servers and load generator have a core each. */
export const isPinned = platform() === 'linux' && availableParallelism() > 1;

/** A command line that runs on one core only, where there are two. */
export function onCore(core: number, command: string, ...parameters: string[]): [string, ...string[]] {
  return isPinned ? ['taskset', '--cpu-list', String(core), command, ...parameters] : [command, ...parameters];
}

/** @throws where the load generator is not installed */
export async function versionOfGenerator(): Promise<string> {
  // It ends with an error after it has told its version.
  const said = await run('wrk', ['--version']).catch((error: unknown) => error as {stdout?: string});
  const version = /^wrk ([^ ]+)/.exec(said.stdout ?? '')?.[1];
  if (version === undefined) throw new Error('The load generator is missing; install the package wrk.');
  return `wrk ${version}`;
}

/** Asks a server of this machine for the paths of a file, over and over. */
export async function load(port: number, paths: string, seconds: number): Promise<Measured> {
  const url = `http://127.0.0.1:${port}`;
  const shape = ['--threads', '1', '--connections', String(connections), '--duration', `${seconds}s`];
  const header = ['--header', 'Host: example.com', '--script', script];
  const [command, ...parameters] = onCore(1, 'wrk', ...shape, '--latency', ...header, url, '--', paths);
  const {stdout} = await run(command, parameters);
  const line = /^MEASURED (.*)$/m.exec(stdout)?.[1];
  if (line === undefined) throw new Error(`The load generator said: ${stdout}`);
  const measured = JSON.parse(line) as Measured;
  if (measured.failures > 0) throw new Error(`The load generator saw failures: ${line}`);
  return measured;
}
