import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {Owner} from './owner.ts';

/**
 * A new folder that is removed when its owner is done.
 *
 * @param start the beginning of its path; by default in the folder for temporary files
 */
export async function temporaryFolder(owner: Owner, start = join(tmpdir(), 'koa-short-url-')): Promise<string> {
  const folder = await mkdtemp(start);
  // What ends with the same owner may write here for a moment.
  owner.teardown(() => rm(folder, {recursive: true, force: true, maxRetries: 50, retryDelay: 100}));
  return folder;
}
