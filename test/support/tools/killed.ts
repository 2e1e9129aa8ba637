import {fork} from 'node:child_process';
import {once} from 'node:events';
import {setTimeout as delay} from 'node:timers/promises';
import type {ExecutionContext} from 'ava';

/**
 * Runs a script in a process that is killed after some time, unless it has finished.
 *
 * @param script its path. It sends a message when it is ready, takes the options, and sends another one when it is done
 * @returns whether it was done
 */
export async function runFor(
  t: ExecutionContext,
  script: string,
  options: object,
  milliseconds: number,
): Promise<boolean> {
  const child = fork(script, {stdio: ['ignore', 'ignore', 'pipe', 'ipc'], execArgv: []});
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
  const ended = once(child, 'exit');
  await once(child, 'message');
  child.send(options);
  let isDone = false;
  child.once('message', () => (isDone = true));
  await Promise.race([ended, delay(milliseconds)]);
  child.kill('SIGKILL');
  await ended;
  t.is(said, '');
  return isDone;
}
