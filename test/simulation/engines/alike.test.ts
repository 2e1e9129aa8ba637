// First, because it replaces timers that the program takes when it is loaded.
import '../run.ts';
import {randomInt} from 'node:crypto';
import test, {type ExecutionContext} from 'ava';
import fc from 'fast-check';
import {MemoryDriver} from '../../../src/store/engines/memory.ts';
import {eachOf} from '../../support/engines/each.ts';
import {type Engine as TestedEngine, engines} from '../../support/engines/engines.ts';
import {RedisServer} from '../../support/store/redis-server.ts';
import {sequences} from '../plan.ts';
import {questionNames} from '../questions.ts';
import {tell, type Told} from '../sequences.ts';
import {Wire} from '../wire.ts';
import type {Engine} from './engine.ts';
import {openServer, withTables} from './sessions.ts';
import {openSqlite, over} from './sqlite.ts';

// As in worlds.test.ts. A sequence has as many requests as ten plans, and most servers take seconds for it.
const runs = Math.ceil(Number(process.env['SIMULATION_RUNS'] ?? 100) / 100);
const seed = Number(process.env['SIMULATION_SEED'] ?? randomInt(2 ** 30));
const plans = fc.sample(sequences, {seed, numRuns: runs});

function openMemory(): Engine {
  let driver = new MemoryDriver(new Map());
  return {
    name: 'memory',
    empty: async () => void (driver = new MemoryDriver(new Map())),
    driver: (network, process) => over(new Wire(network, process, network.server, true), driver),
  };
}

async function opened(t: ExecutionContext, {name, fresh}: TestedEngine): Promise<Engine> {
  if (name === 'memory') return openMemory();
  if (name === 'sqlite') return openSqlite();
  const server = openServer(
    name === 'redis' ? (await RedisServer.start(t)).url : await withTables((await fresh(t)).store),
  );
  t.teardown(() => server.close());
  return server;
}

const told: Told[] = [];
for (const plan of plans) told.push(await tell(plan));

const declare = await eachOf(engines.filter(({name}) => name !== 'redis+cluster'));

/** With so many plans, each question is answered in one of them. */
const enough = 20;

test.serial('every question has an answer in some sequence', (t) => {
  const answered = new Set(told.flatMap((each) => [...each.answered]));
  const missing = questionNames.filter((name) => !answered.has(name));
  if (runs < enough) t.true(missing.length < questionNames.length / 3, missing.join());
  else t.deepEqual(missing, []);
});

declare((check) => {
  check(
    'requests one after the other get the same answers, and leave the same, as in the simulation',
    async (t, each) => {
      t.timeout(300_000 + runs * 60_000);
      t.log(`SIMULATION_SEED=${seed}`);
      const engine = await opened(t, each);
      for (const [index, plan] of plans.entries()) {
        const {lines = [], faults = []} = told[index] ?? {};
        const found = await tell(plan, engine);
        const first = lines.findIndex((line, place) => line !== found.lines[place]);
        if (first >= 0) t.fail(`In plan ${index} the first difference is\n${lines[first]}\n${found.lines[first]}`);
        t.deepEqual([...faults, ...found.faults], []);
        t.is(found.lines.length, lines.length);
      }
    },
  );
});
