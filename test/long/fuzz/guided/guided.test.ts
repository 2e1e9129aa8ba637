import {randomInt} from 'node:crypto';
import {readFileSync, writeFileSync} from 'node:fs';
import test from 'ava';
import {Coverage} from './coverage.ts';
import {mutate, type Random} from './mutate.ts';
import {maxLength, type Target, targets} from './targets.ts';

// How long each target is tried, in seconds. With GUIDED_KEEP=true the inputs that reached new code are kept.
const seconds = Number(process.env['GUIDED_SECONDS'] ?? 20);
const isKept = process.env['GUIDED_KEEP'] === 'true';

const path = 'test/long/fuzz/guided/corpus.json';
/** The inputs in base64 that have reached new code, by target. */
const corpus = JSON.parse(readFileSync(path, 'utf8')) as Record<string, readonly string[]>;

/** How many inputs are tried before the coverage is read, which takes longer than an input. */
const batch = 8;

const random: Random = (bound) => randomInt(bound);

/** Inputs that may have reached new code, and how many were tried. */
interface Explored {
  readonly kept: readonly Uint8Array[];
  readonly tried: number;
}

async function explore(target: Target, coverage: Coverage): Promise<Explored> {
  const end = performance.now() + seconds * 1000;
  const kept: Uint8Array[] = [];
  let tried = 0;
  const keep = async (input: Uint8Array): Promise<void> => {
    await attempt(target, input);
    if ((await coverage.take()) > 0) kept.push(input);
  };
  for (const seed of target.seeds) await keep(Buffer.from(seed).subarray(0, maxLength));
  for (const input of corpus[target.name] ?? []) await keep(Buffer.from(input, 'base64'));
  for (; performance.now() < end; tried += batch) {
    const pick = (): Uint8Array => kept[random(kept.length)] ?? Buffer.alloc(0);
    const inputs = Array.from({length: batch}, () => mutate(pick(), pick(), random));
    for (const input of inputs) await attempt(target, input);
    // Which of them it was is seen only when the corpus is reduced.
    if ((await coverage.take()) > 0) kept.push(...inputs);
  }
  return {kept, tried};
}

async function attempt({name, read}: Target, input: Uint8Array): Promise<void> {
  try {
    await read(input);
  } catch (error) {
    const text = Buffer.from(input).toString('base64');
    throw new Error(`${name} fails for the input ${text} (base64)`, {cause: error});
  }
}

/** The shortest inputs, without those that reach nothing which shorter ones do not reach. */
async function reduce(target: Target, inputs: readonly Uint8Array[]): Promise<readonly string[]> {
  const coverage = new Coverage();
  await coverage.start();
  const needed: string[] = [];
  for (const input of inputs.toSorted((one, other) => one.length - other.length)) {
    await attempt(target, input);
    if ((await coverage.take()) > 0) needed.push(Buffer.from(input).toString('base64'));
  }
  coverage.stop();
  return needed;
}

for (const target of await targets()) {
  test.serial(`no input that reaches new code makes ${target.name} fail`, async (t) => {
    t.timeout(seconds * 2000 + 120_000);
    const coverage = new Coverage();
    await coverage.start();
    const {kept, tried} = await explore(target, coverage);
    coverage.stop();
    t.log(`${tried} inputs, of which ${kept.length} may have reached new code`);
    t.true(kept.length > 1);
    if (!isKept) return;
    const all = {...(JSON.parse(readFileSync(path, 'utf8')) as object), [target.name]: await reduce(target, kept)};
    writeFileSync(path, `${JSON.stringify(all, undefined, 1)}\n`);
  });
}
