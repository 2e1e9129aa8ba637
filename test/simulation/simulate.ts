import {run} from './run.ts';
import {randomInt} from 'node:crypto';
import {report, search} from './search.ts';

/** How many plans have one seed. */
const runs = 1000;

const {SIMULATION_SEED: given, SIMULATION_PATH: path} = process.env;

if (given === undefined) {
  for (;;) {
    const seed = randomInt(2 ** 31);
    const failure = await search({seed, runs});
    console.log(failure === undefined ? `SIMULATION_SEED=${seed}: ${runs} runs` : report(failure));
    if (failure !== undefined) process.exitCode = 1;
  }
} else {
  const failure = await search({seed: Number(given), runs, path});
  if (failure === undefined) {
    console.log('Every promise was kept.');
  } else {
    const {trace} = await run(failure.plan);
    console.log(trace());
    console.log(report(failure));
    process.exitCode = 1;
  }
}
