import {mkdir, readFile} from 'node:fs/promises';
import {join, resolve} from 'node:path';
import {unpackedIn} from '../../contract/package/tarball.ts';
import {temporaryFolder} from '../folder.ts';
import type {Owner} from '../owner.ts';

/** Begins the names by which earlier releases are development dependencies, such as `koa-short-url-2.0.0`. */
const prefix = 'koa-short-url-';

/** The folders of earlier releases, which npm has installed. Until there is one, that of this version as it is packed. */
export async function earlierReleases(owner: Owner): Promise<string[]> {
  const {devDependencies} = JSON.parse(await readFile('package.json', 'utf8')) as {devDependencies: object};
  const names = Object.keys(devDependencies).filter((name) => name.startsWith(prefix));
  if (names.length > 0) return names.map((name) => resolve('node_modules', name));
  // Here it finds its dependencies.
  await mkdir('node_modules/.cache', {recursive: true});
  return [resolve(await unpackedIn(await temporaryFolder(owner, join('node_modules', '.cache', 'packed-')), owner))];
}
