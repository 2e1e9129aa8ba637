import {type ChildProcess, fork, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {availableParallelism} from 'node:os';
import {fileURLToPath} from 'node:url';

/** Whether the servers and the load generator are pinned to different cores. */
export const isPinned = availableParallelism() > 1 && spawnSync('taskset', ['-c', '0,1', 'true']).status === 0;

/**
 * V8 makes the young generation of an idle process small, and lets it grow again only while much of it survives. A
 * server waits for its turn most of the time, and then collected 13 times instead of twice for 1,000 requests, at a
 * fifth more CPU time, in some slices and not in others. So it starts with the size that a busy server grows to.
 */
const youngGeneration = '--min-semi-space-size=16';

/** A child process of the bench. It answers one question at a time. */
export class Child<Question extends object, Answer> {
  readonly #process: ChildProcess;

  /** @param core the only core that the process may use; by default all */
  constructor(script: string, core?: number) {
    const own = [process.execPath, youngGeneration, '--import', 'tsx'];
    const command = isPinned && core !== undefined ? ['taskset', '-c', `${core}`, ...own] : own;
    const [execPath = '', ...execArgv] = command;
    const env = {...process.env, NODE_ENV: 'production', NODE_NO_WARNINGS: '1'};
    this.#process = fork(fileURLToPath(new URL(script, import.meta.url)), {execPath, execArgv, env});
  }

  /** @throws if the process ends before it answers; it has printed the reason */
  async ask(question: Question): Promise<Answer> {
    const answered = new AbortController();
    const ended = once(this.#process, 'exit', answered).then(() => {
      throw new Error(`The process ended when it was asked: ${JSON.stringify(question).slice(0, 100)}`);
    });
    try {
      const answer = once(this.#process, 'message', answered);
      this.#process.send(question);
      return ((await Promise.race([answer, ended])) as [Answer])[0];
    } finally {
      ended.catch(() => undefined);
      answered.abort();
    }
  }

  /** Resolves when the process has closed its connections and ended. */
  async close(): Promise<void> {
    if (this.#process.exitCode !== null) return;
    const ended = once(this.#process, 'exit');
    this.#process.disconnect();
    await ended;
  }
}

/** Runs in the child process: answers the parent until it disconnects. */
export function answerParent(answer: (question: never) => Promise<unknown>, close: () => Promise<void> | void): void {
  process.on('message', (question) => void answer(question as never).then((given) => process.send?.(given ?? null)));
  process.once('disconnect', () => void Promise.resolve(close()).then(() => process.exit()));
}
