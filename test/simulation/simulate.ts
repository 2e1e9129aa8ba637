import {run} from './run.ts';
import {randomInt} from 'node:crypto';
import {engines} from './engines/engines.ts';
import {exploreAll, failureOf, smallPlans} from './schedules/small-plans.ts';
import {report, search} from './search.ts';

// Without SIMULATION_SEED it goes on until it is stopped; with SIMULATION_SECONDS until then, or to the first failure.
// With SIMULATION_SHRINK=false it makes no plan smaller, which takes longer than to find it.
const {
  SIMULATION_SEED: seed,
  SIMULATION_PATH: path,
  SIMULATION_SECONDS: seconds,
  SIMULATION_SHRINK: shrink,
} = process.env;
const shrinks = shrink !== 'false';
// With --all it runs the small plans, or those with a part of a name: schedules that switch so often between processes that
// could go on.
const {SIMULATION_SWITCHES: switches = '2'} = process.env;

/** With --engine sqlite or --engine postgres the plans run on a real engine. */
const [, named] = process.argv.join(' ').split(' --engine ');
const open = named === undefined ? undefined : engines[named];
if (named !== undefined && open === undefined) throw new Error(`--engine takes ${Object.keys(engines).join(' or ')}`);
const engine = await open?.();

/** How many plans have one seed. */
const runs = 100;

async function searchOn(): Promise<void> {
  for (let count = runs; ; count += runs) {
    const failure = await search({seed: randomInt(2 ** 31), runs, shrinks, engine});
    if (failure !== undefined) {
      console.log(report(failure));
      process.exitCode = 1;
    }
    const used = process.cpuUsage().user / 1_000_000;
    const isEnd = seconds !== undefined && (failure !== undefined || used > Number(seconds));
    if (isEnd || count % 10_000 === 0) console.log(`${count} runs in ${used.toFixed(0)} seconds of CPU time`);
    if (isEnd) return;
  }
}

async function repeat(): Promise<void> {
  const failure = await search({seed: Number(seed), runs, path, engine});
  if (failure === undefined) {
    console.log('Every promise was kept.');
    return;
  }
  const {trace} = await run(failure.plan, {engine});
  console.log(trace());
  console.log(report(failure));
  process.exitCode = 1;
}

/** Runs the schedules of the small plans, up to the first one that breaks a promise. */
async function runAll(): Promise<void> {
  let all = 0;
  const wanted = process.argv.slice(2).filter((argument) => argument !== '--all');
  for (const small of smallPlans) {
    if (wanted.length > 0 && !wanted.some((part) => small.name.includes(part))) continue;
    const start = performance.now();
    const explored = await exploreAll(small, {maxSwitches: Number(switches)});
    all += explored.schedules;
    console.log(`${small.name}: ${explored.schedules} schedules, ${((performance.now() - start) / 1000).toFixed(1)} s`);
    if (explored.problems.length === 0) continue;
    console.log(await failureOf(small, explored));
    process.exitCode = 1;
    break;
  }
  console.log(`${all} schedules in ${process.uptime().toFixed(0)} s`);
}

if (process.argv.includes('--all')) await runAll();
else await (seed === undefined ? searchOn() : repeat());
// An engine may keep Node.js running.
if (engine) process.exit();
