import test, {type ExecutionContext} from 'ava';
import {type Engine, engines, whyMissing} from './engines.ts';

type Declare = (sentence: string, body: (t: ExecutionContext, engine: Engine) => Promise<void>) => void;

/** Declares the same tests for each of the engines; one that is missing here is skipped, and says why. */
export async function onEach(declare: (check: Declare) => void, which = engines): Promise<void> {
  const reasons = await Promise.all(which.map(whyMissing));
  // Without a pause from here on: tests have to be declared together.
  for (const [index, engine] of which.entries()) {
    const reason = reasons[index];
    if (reason !== undefined) console.warn(`Skipped: ${reason}`);
    const run = reason === undefined ? test.serial : test.serial.skip;
    declare((sentence, body) => {
      run(`${engine.name}: ${sentence}`, (t) => body(t, engine));
    });
  }
}

/** The engines that several processes can share. */
export const sharedEngines: readonly Engine[] = engines.filter(({isShared}) => isShared);
