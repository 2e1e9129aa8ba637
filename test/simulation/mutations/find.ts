import {spawn} from 'node:child_process';
import {cp, mkdtemp, readFile, rm, symlink, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {text as read} from 'node:stream/consumers';
import {type Mutation, mutations} from './mutations.ts';

/** In how many seconds of CPU time a mutation must be found by random plans. */
const limit = 60;

/** Whether to run the schedules of the small plans instead. */
const isForAll = process.argv.includes('--all');

/** How long the simulation took to find the mutation, in its own words; undefined if it has not found it. */
async function timeToFind(folder: string, {file, text, instead, engine}: Mutation): Promise<string | undefined> {
  const path = join(folder, 'src', file);
  const original = await readFile(path, 'utf8');
  if (original.split(text).length !== 2) throw new Error(`${file} does not have exactly once: ${text}`);
  await writeFile(
    path,
    original.replace(text, () => instead),
  );
  const options = isForAll ? ['--all'] : engine ? ['--engine', engine] : [];
  const search = spawn('node', ['--import', 'tsx', 'test/simulation/simulate.ts', ...options], {
    cwd: folder,
    env: {...process.env, SIMULATION_SECONDS: String(limit)},
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output, code] = await Promise.all([
    read(search.stdout),
    new Promise<number | null>((done) => search.on('exit', done)),
  ]);
  await writeFile(path, original);
  if (code === null || output === '') throw new Error('The simulation was killed, or did not begin');
  return code === 0
    ? undefined
    : output
        .trimEnd()
        .split('\n')
        .slice(isForAll ? -30 : -1)
        .join('\n');
}

const folder = await mkdtemp(join(tmpdir(), 'koa-short-url-mutations-'));
try {
  for (const name of ['src', 'test', 'package.json', 'tsconfig.json'])
    await cp(name, join(folder, name), {recursive: true});
  await symlink(resolve('node_modules'), join(folder, 'node_modules'));
  const wanted = process.argv.slice(2).filter((argument) => argument !== '--all');
  for (const mutation of mutations) {
    if (wanted.length > 0 && !wanted.some((part) => mutation.name.includes(part))) continue;
    const found = await timeToFind(folder, mutation);
    console.log(`${found ?? 'NOT FOUND'}: ${mutation.name}`);
    if (found === undefined) process.exitCode = 1;
  }
} finally {
  await rm(folder, {recursive: true, force: true});
}
