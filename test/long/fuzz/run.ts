import {setImmediate as nextTurn} from 'node:timers/promises';
import {inspect} from 'node:util';
import type {ExecutionContext} from 'ava';
import fc from 'fast-check';
import {Connection} from './connection.ts';
import {conversations} from './conversations.ts';
import {Judge} from './judge.ts';
import {type Conversation, read, write} from './request.ts';
import type {FuzzSite} from './site.ts';

/** Given as `FUZZ_SEED`, the requests of a run are made again. */
const seed = Number(process.env['FUZZ_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const batch = 40;

const heard: Error[] = [];
process.on('warning', (warning: Error & {code?: string}) => {
  // Koa reads targets with the old parser of Node.js, which warns of some. Foreign hosts are told once by design.
  if (warning.code !== 'DEP0170' && warning.code !== 'unknown_host') heard.push(warning);
});

/** What the process was warned of. */
export async function warnings(): Promise<Error[]> {
  // They are told of in the next turn.
  await nextTurn();
  return heard;
}

export interface Assault {
  /** How many answers there have to be. */
  readonly requests: number;
  /** Called between batches, when nothing is under way. */
  readonly between?: (answered: number) => void | Promise<void>;
}

/** Sends requests over several connections at once until there are so many answers, and judges each of them. */
export async function assail(
  t: ExecutionContext,
  site: FuzzSite,
  judge: Judge,
  {requests, between}: Assault,
): Promise<void> {
  const idle: Connection[] = [];
  t.teardown(() => {
    for (const connection of idle) connection.close();
  });
  let answered = 0;

  async function converse({requests: asked, garbage}: Conversation): Promise<void> {
    const connection = idle.pop() ?? (await Connection.open(site.port));
    const message = asked.map(write).join('') + (garbage ?? '');
    const methods = asked.map(({method}) => method);
    const responses = await connection.exchange(message, methods, garbage !== undefined);
    for (const [index, response] of responses.entries()) {
      const request = asked[index];
      await judge.judge(response, request && read(request));
    }
    answered += responses.length;
    // Behind garbage Node.js may end the connection before it has answered what came first.
    const isShort = garbage === undefined && responses.length < asked.length;
    const isClosed = responses.at(-1)?.headers.some(([name, value]) => /^connection$/i.test(name) && value === 'close');
    if (isShort && isClosed !== true) throw new Error(`${responses.length} answers to ${JSON.stringify(message)}`);
    if (garbage === undefined && isClosed !== true && !connection.isOver) idle.push(connection);
    else connection.close();
  }

  const arbitrary = fc.array(conversations(site.keys), {minLength: 1, maxLength: batch, size: 'max'});
  const property = fc.asyncProperty(arbitrary, async (many) => {
    await between?.(answered);
    const outcomes = await Promise.allSettled(many.map(converse));
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed) throw failed.reason;
    if (site.faults.length > 0) throw site.faults.shift();
  });
  for (let turn = 0; answered < requests; turn++) {
    const numRuns = Math.min(50, Math.ceil((requests - answered) / batch));
    const outcome = await fc.check(property, {numRuns, seed: seed + turn});
    if (!outcome.failed) continue;
    const {counterexample, errorInstance} = outcome;
    throw new Error(
      `${inspect(errorInstance)}\nFUZZ_SEED=${seed + turn} finds it again, and it comes to ${JSON.stringify(counterexample)}`,
    );
  }
}
