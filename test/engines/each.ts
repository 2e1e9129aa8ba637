import test, {type ExecutionContext} from 'ava';
import {type Engine, engines, whyMissing} from './engines.ts';

type Body = (t: ExecutionContext, engine: Engine) => Promise<void>;

interface Declare {
  (sentence: string, body: Body): void;
  /** For what does not hold yet: the test fails when it does. */
  failing: (sentence: string, body: Body) => void;
}

/**
 * Looks which engines are here, and gives what declares the same tests for each of them; one that is missing is skipped,
 * and says why. Await it before anything of the file is declared, because all of that has to happen together.
 */
export async function eachOf(which: readonly Engine[]): Promise<(declare: (check: Declare) => void) => void> {
  const reasons = await Promise.all(which.map(whyMissing));
  return (declare) => {
    for (const [index, engine] of which.entries()) {
      const reason = reasons[index];
      if (reason !== undefined) console.warn(`Skipped: ${reason}`);
      const {serial} = test;
      const run = reason === undefined ? serial : serial.skip;
      const runFailing = reason === undefined ? serial.failing : serial.failing.skip;
      const check: Declare = (sentence, body) => {
        run(`${engine.name}: ${sentence}`, (t) => body(t, engine));
      };
      check.failing = (sentence, body) => {
        runFailing(`${engine.name}: ${sentence}`, (t) => body(t, engine));
      };
      declare(check);
    }
  };
}

/** The engines that several processes can share. */
export const sharedEngines: readonly Engine[] = engines.filter(({isShared}) => isShared);
