import {inspect} from 'node:util';
import type {ExecutionContext} from 'ava';
import fc from 'fast-check';
import {largestBody} from './calls.ts';
import {Connection} from './connection.ts';
import {conversations} from './conversations.ts';
import {Judge} from './judge.ts';
import {type Conversation, read, write} from './request.ts';
import type {FuzzSite} from './site.ts';

/** `FUZZ_SEED` repeats the requests of a run. */
const seed = Number(process.env['FUZZ_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const batch = 40;

export interface Assault {
  /** The number of answers to reach. */
  readonly requests: number;
  /** Whether the run has seen what it has to see. If not, it goes on, for up to ten times as many answers. */
  readonly isComplete?: () => boolean;
  /** Runs between batches, when no request is under way. */
  readonly between?: (answered: number) => void | Promise<void>;
}

/** Sends requests over several connections at once until there are enough answers, and judges each of them. */
export async function assail(
  t: ExecutionContext,
  site: FuzzSite,
  judge: Judge,
  {requests, isComplete = () => true, between}: Assault,
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
    // Node.js also destroys a connection with malformed bytes while it answers the request before them.
    const unanswered = asked[responses.length];
    if (connection.isBroken && (garbage === undefined || unanswered !== undefined)) {
      if (unanswered === undefined || (garbage === undefined && asked.length === 1)) {
        throw new Error(`An answer breaks off: ${JSON.stringify(message)}`);
      }
      await converse({requests: [unanswered]});
      return;
    }
    // Node.js may end a connection with malformed bytes before it has answered the requests before them.
    const isShort = garbage === undefined && responses.length < asked.length;
    // The rest of a body that is too large is not read, so the end of the connection may overtake the answer.
    const isTooLarge = asked.some(({body}) => body !== undefined && Buffer.byteLength(body.text) > largestBody);
    const isClosed = responses.at(-1)?.headers.connection === 'close';
    if (isShort && !isClosed && !isTooLarge)
      throw new Error(`${responses.length} answers to ${JSON.stringify(message)}`);
    if (garbage === undefined && !isClosed && !connection.isOver) idle.push(connection);
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
  for (let turn = 0; answered < requests || (answered < 10 * requests && !isComplete()); turn++) {
    const numRuns = Math.max(1, Math.min(50, Math.ceil((requests - answered) / batch)));
    const outcome = await fc.check(property, {numRuns, seed: seed + turn});
    if (!outcome.failed) continue;
    const {counterexample, errorInstance} = outcome;
    throw new Error(
      `${inspect(errorInstance)}\nFUZZ_SEED=${seed + turn} finds it again, and it comes to ${JSON.stringify(counterexample)}`,
    );
  }
}
