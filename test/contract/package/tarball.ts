import {execFile} from 'node:child_process';
import {mkdtemp, readdir, readFile, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {promisify} from 'node:util';

const run = promisify(execFile);

/** The user of a tarball: a test, or the matrix. */
export interface Owner {
  teardown(undo: () => unknown): void;
}

/** The fields of package.json that the tests check. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly engines: {readonly node: string};
  readonly exports: Readonly<Record<string, unknown>>;
  readonly bin: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, {readonly optional: boolean}>>;
}

export async function readManifest(folder = '.'): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
}

/**
 * Packs what stands in `dist` now, as `npm publish` would; gone with its owner. It does not build: that would take the
 * files away from under tests that run beside this one.
 *
 * @returns the path of the tarball
 */
export async function packed(owner: Owner): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'koa-short-url-tarball-'));
  owner.teardown(() => rm(folder, {recursive: true, force: true}));
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder]);
  const [tarball = ''] = await readdir(folder);
  return join(folder, tarball);
}
