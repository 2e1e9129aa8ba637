import {execFileSync, spawn} from 'node:child_process';
import {readFileSync, writeFileSync} from 'node:fs';
import process from 'node:process';
import {text as read} from 'node:stream/consumers';
import test from 'ava';
import {build} from 'esbuild';
import {bundling, ownPlaces} from '../../scripts/bundling.js';
import {type Found, foundFile} from '../planted/found.ts';
import {bugs, type Finder} from '../planted/bugs.ts';

/** In how many seconds of CPU time random worlds must find a bug. */
const limit = '60';

const ava = 'node_modules/ava/entrypoints/cli.mjs';

const bundles = 'reports/planted';
const bundleOf = (file: string): string => file.replace(/^test/, bundles).replace(/ts$/, 'js');

// To load a file from its sources takes longer than to find most bugs.
test.before(async () => {
  const files = Array.from(new Set(Object.values(bugs).map(([, by]) => by)));
  const entryPoints = files.filter((by) => by.startsWith('test/'));
  await build({...bundling, entryPoints, outbase: 'test', outdir: bundles, plugins: [ownPlaces]});
});

/** The arguments of Node.js that run a finder. */
function programOf(by: Finder): readonly string[] {
  if (by.startsWith('test/')) return [ava, '--config', 'ava.planted.config.js', '--fail-fast', bundleOf(by)];
  const [, plans] = by.split('plans of ');
  if (plans !== undefined) return ['--import', 'tsx', 'test/simulation/simulate.ts', '--all', plans];
  const [, engine] = by.split(' on ');
  return ['--import', 'tsx', 'test/simulation/simulate.ts', ...(engine === undefined ? [] : ['--engine', engine])];
}

/** Runs Node.js, and returns what it printed, its exit code, and the CPU time of it and of its processes in seconds. */
async function timed(program: readonly string[], env: NodeJS.ProcessEnv): Promise<[string, number | null, number]> {
  const script = `TIMEFORMAT='%U %S'; time "$0" "$@" 2>&1`;
  const finder = spawn('bash', ['-c', script, process.execPath, ...program], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [output, times, code] = await Promise.all([
    read(finder.stdout),
    read(finder.stderr),
    new Promise<number | null>((done) => finder.on('exit', done)),
  ]);
  const seconds = times.trim().split(' ').map(Number);
  return [output, code, Math.round(seconds.reduce((sum, part) => sum + part, 0))];
}

/** The promise that a world or a plan has broken. */
const toldBy = (output: string): string | undefined =>
  output.split('\n').find((line) => !/^.*: \d+ schedules, |:$/.test(line));

/** With `PLANTED_KEEP=true`, notes what found a bug, for docs/proof.md. */
function keep(name: string, found: Omit<Found, 'commit'>): void {
  if (process.env['PLANTED_KEEP'] !== 'true') return;
  const git = (...args: string[]): string => execFileSync('git', args, {encoding: 'utf8'}).trim();
  // Nobody could run it again from the commit.
  if (git('status', '--porcelain', 'src') !== '') throw new Error('Commit the changes of src first.');
  const all = JSON.parse(readFileSync(foundFile, 'utf8')) as Record<string, Found>;
  const commit = git('rev-parse', '--short=8', 'HEAD');
  writeFileSync(foundFile, `${JSON.stringify({...all, [name]: {...found, commit}}, undefined, 2)}\n`);
}

for (const [name, [bug, by]] of Object.entries(bugs)) {
  test.serial(`${by} finds the planted bug ${name}: ${bug}`, async (t) => {
    t.timeout(10 * 60_000);
    const env = {...process.env, PLANTED: name, SIMULATION_SECONDS: limit, SIMULATION_SHRINK: 'false'};
    const [output, code, seconds] = await timed(programOf(by), env);
    t.log(`${seconds} s`);
    // A process that was killed, or did not begin, has found nothing.
    t.regex(output, by.startsWith('test/') ? /\d tests? failed/ : /(?:runs|schedules) in \d+ s/, output);
    t.is(code, 1, output);
    const told = by.startsWith('test/') ? /✘ \[fail\]: (.*)/.exec(output)?.[1] : toldBy(output);
    keep(name, {by, told: told ?? '', seconds});
  });
}
