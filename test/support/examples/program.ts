import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {createInterface} from 'node:readline';
import type {ExecutionContext} from 'ava';

export interface Program {
  readonly child: ChildProcess;
  /** Waits for the next line of its output; undefined if it ends before. */
  readonly nextLine: () => Promise<string | undefined>;
  /** The lines so far, of its output and of its error output. */
  readonly lines: readonly string[];
  readonly complaints: readonly string[];
  /** Its code and its signal, when it has ended. */
  readonly exit: Promise<unknown[]>;
}

/** Runs an example in a process of its own, until the test is over. The port is any free one. */
export function runExample(t: ExecutionContext, example: string, environment: Record<string, string>): Program {
  const file = new URL(`../../../examples/${example}`, import.meta.url).pathname;
  const child = spawn(process.execPath, ['--import', 'tsx', file], {
    env: {PATH: process.env['PATH'], PORT: '0', ...environment},
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exit = once(child, 'exit');
  t.teardown(async () => {
    // The program's own processes end with it.
    if (child.kill('SIGKILL')) await exit;
  });
  const lines: string[] = [];
  const complaints: string[] = [];
  createInterface(child.stderr).on('line', (line) => complaints.push(line));
  const output = createInterface(child.stdout).on('line', (line) => lines.push(line));
  const following = output[Symbol.asyncIterator]();
  const nextLine = async (): Promise<string | undefined> => {
    const {value} = (await following.next()) as {value: string | undefined};
    return value;
  };
  return {child, nextLine, lines, complaints, exit};
}
