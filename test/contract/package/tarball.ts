import {execFile} from 'node:child_process';
import {mkdir, readdir, readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {temporaryFolder} from '../../support/folder.ts';
import type {Owner} from '../../support/owner.ts';

const run = promisify(execFile);

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
  const folder = await temporaryFolder(owner);
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder]);
  const [tarball = ''] = await readdir(folder);
  return join(folder, tarball);
}

/** Puts what would be published where a project has its packages. Returns the folder. */
export async function unpackedIn(project: string, owner: Owner): Promise<string> {
  const folder = join(project, 'node_modules', 'koa-short-url');
  await mkdir(folder, {recursive: true});
  await run('tar', ['-xzf', await packed(owner), '-C', folder, '--strip-components=1']);
  return folder;
}
