import test, {type ExecutionContext} from 'ava';
import {isNight} from '../night.ts';
import {type Engine, engines, hostEngines, sentinelEngines, whyMissing} from './engines.ts';

type Declare = (sentence: string, body: (t: ExecutionContext, engine: Engine) => Promise<void>) => void;

/**
 * Checks which engines are available, and returns a function that declares the same tests for each of them. A missing
 * engine is skipped with the reason. Await it before anything else in the file is declared, because ava wants all
 * declarations in one turn.
 */
export async function eachOf(which: readonly Engine[]): Promise<(declare: (check: Declare) => void) => void> {
  const reasons = await Promise.all(which.map(whyMissing));
  return (declare) => {
    for (const [index, engine] of which.entries()) {
      const reason = reasons[index];
      if (reason !== undefined) console.warn(`Skipped: ${reason}`);
      const run = reason === undefined ? test.serial : test.serial.skip;
      declare((sentence, body) => {
        run(`${engine.name}: ${sentence}`, (t) => body(t, engine));
      });
    }
  };
}

/** The engines that several processes can share. */
export const sharedEngines: readonly Engine[] = engines.filter(({place}) => place !== 'memory');

/** The engines that are one server, to which a proxy can lead. A cluster tells its clients other addresses. */
export const serverEngines: readonly Engine[] = engines.filter(({place}) => place === 'server');

/** What a site has open on one server. */
export const hostServerEngines: readonly Engine[] = hostEngines.filter(({place}) => place === 'server');

/** The engines of races, cuts and kills. Sentinels and what a site has open have their turn at night. */
export const racingEngines: readonly Engine[] = [
  ...sharedEngines,
  ...(isNight ? [...sentinelEngines, ...hostEngines] : []),
];

/**
 * The engines for races in which the program decides with the guarantees of the port, which are tested on every engine: one
 * without transactions and one with them. All of them have their turn at night.
 */
export const protocolEngines: readonly Engine[] = racingEngines.filter(
  ({name}) => isNight || ['redis', 'postgres'].includes(name),
);
