import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {copyFile} from 'node:fs/promises';
import {join} from 'node:path';
import {promisify} from 'node:util';
import type {Owner} from '../../support/owner.ts';
import {install, versionIn} from './installation.ts';

const run = promisify(execFile);

/**
 * Gives a host's Keyv 6 to the package, which has Keyv 5 for itself. Rejects unless the docs are right about it: an
 * instance and an adapter work, with one warning, and an instance whose links would expire is refused.
 *
 * @param node the path of a Node.js that Keyv 6 needs
 * @returns the version of Keyv
 */
export async function checkKeyv6(owner: Owner, tarball: string, node: string): Promise<string> {
  const project = await install(owner, {packages: {'koa-short-url': `file:${tarball}`, koa: '3', keyv: '6'}});
  await copyFile('test/contract/package/keyv-host.ts', join(project, 'host.mts'));
  const {stdout} = await run(node, ['host.mts'], {cwd: project});
  const links = {
    ...{engine: 'keyv', guarantee: 'process', status: 302, title: ':title', totalVisits: 1},
    ...{isOnce: true, exported: 1, ok: true},
  };
  assert.deepEqual(JSON.parse(stdout), {
    instance: links,
    warnings: ['keyv_store'],
    cached: 1,
    outage: ['store_unavailable', 'store_unavailable'],
    adapter: links,
    ttl: 'TypeError',
  });
  return versionIn(project, 'keyv');
}
