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

/** Tries inputs, and keeps those that reach new code. */
async function explore(target: Target, coverage: Coverage, isOver: () => boolean): Promise<readonly Uint8Array[]> {
  const kept: Uint8Array[] = [];
  const keep = async (input: Uint8Array): Promise<void> => {
    await attempt(target, input);
    if ((await coverage.take()) > 0) kept.push(input);
  };
  for (const seed of target.seeds) await keep(Buffer.from(seed).subarray(0, maxLength));
  for (const input of corpus[target.name] ?? []) await keep(Buffer.from(input, 'base64'));
  while (!isOver()) {
    const pick = (): Uint8Array => kept[random(kept.length)] ?? Buffer.alloc(0);
    const inputs = Array.from({length: batch}, () => mutate(pick(), pick(), random));
    for (const input of inputs) await attempt(target, input);
    // Which of them it was is seen only when the corpus is reduced.
    if ((await coverage.take()) > 0) kept.push(...inputs);
  }
  return kept;
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
    const end = performance.now() + seconds * 1000;
    let inputs = 0;
    const found = await explore(target, coverage, () => (inputs += batch) < 0 || performance.now() > end);
    coverage.stop();
    t.log(`${inputs} inputs, of which ${found.length} may have reached new code`);
    t.true(found.length > 1);
    if (!isKept) return;
    const kept = {...(JSON.parse(readFileSync(path, 'utf8')) as object), [target.name]: await reduce(target, found)};
    writeFileSync(path, `${JSON.stringify(kept, undefined, 1)}\n`);
  });
}
