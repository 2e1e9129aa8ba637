/**
 * Compares a redirect under Koa with one under `toNodeHandler` and `toWebHandler`, in the same rounds: `npm run
 * bench:mounts`. The requests and responses of the last are made from those of Node.js, as a framework does.
 */
import {range} from '../test/support/engines/crowd.ts';
import {withOwner} from '../test/support/owner.ts';
import {Child} from './child.ts';
import {quartiles} from './figures.ts';
import type {Load, Question} from './generator.ts';
import {MeasuredServer, sliceOf, warmUp} from './measured-server.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 24);
const kinds = ['links', 'links-node', 'links-web', 'koa'] as const;

await withOwner(async (owner) => {
  const generator = new Child<Question, Load>('generator.ts', 1);
  owner.teardown(() => generator.close());
  const subjects = [];
  for (const kind of kinds) {
    const server = await MeasuredServer.start(kind, {store: 'memory:'}, {core: 0});
    owner.teardown(() => server.close());
    const paths = kind === 'koa' ? ['/'] : (await server.create(1, 1)).paths;
    await generator.ask({do: 'define', name: kind, paths});
    const load = {name: kind, connections: 50, milliseconds: 500, warm: 30_000};
    await warmUp(generator, [server], load);
    subjects.push({kind, cpu: [] as number[], measure: () => sliceOf(generator, [server], load)});
  }
  for (const round of range(rounds)) {
    for (const {cpu, measure} of subjects) cpu.push((await measure()).cpu);
    console.log(`${round + 1} of ${rounds} rounds`);
  }
  const [underKoa] = subjects;
  for (const {kind, cpu} of subjects) {
    const {low, value, high} = quartiles(cpu.map((each, round) => each / (underKoa?.cpu[round] ?? Number.NaN)));
    const ratio = [value, low, high].map((each) => each.toFixed(2));
    console.log(
      `${kind}: ${quartiles(cpu).value.toFixed(0)} us of CPU, ${ratio[0]} of Koa (${ratio[1]} to ${ratio[2]})`,
    );
  }
});
process.exit();
