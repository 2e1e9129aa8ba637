import {spawn} from 'node:child_process';
import process from 'node:process';
import {text as read} from 'node:stream/consumers';
import test from 'ava';
import {bugs, type Finder} from '../planted/bugs.ts';

/** In how many seconds of CPU time random worlds must find a bug. */
const limit = '60';

/** The arguments of Node.js that run a finder. */
function programOf(by: Finder): readonly string[] {
  if (by.startsWith('test/')) return ['node_modules/ava/entrypoints/cli.mjs', by];
  const [, engine] = by.split(' on ');
  return ['--import', 'tsx', 'test/simulation/simulate.ts', ...(engine === undefined ? [] : ['--engine', engine])];
}

for (const [name, [bug, by]] of Object.entries(bugs)) {
  test.serial(`${by} finds the planted bug ${name}: ${bug}`, async (t) => {
    t.timeout(10 * 60_000);
    const start = performance.now();
    const finder = spawn(process.execPath, programOf(by), {
      env: {...process.env, PLANTED: name, SIMULATION_SECONDS: limit},
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [output, code] = await Promise.all([
      read(finder.stdout),
      new Promise<number | null>((done) => finder.on('exit', done)),
    ]);
    t.log(`${((performance.now() - start) / 1000).toFixed(0)} s`);
    // A process that was killed, or did not begin, has found nothing.
    t.regex(output, by.startsWith('test/') ? /\d tests? failed/ : /runs in \d+ seconds/, output);
    t.is(code, 1, output);
  });
}
