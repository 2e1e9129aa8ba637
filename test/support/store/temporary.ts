import {mkdirSync, mkdtempSync} from 'node:fs';
import {rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test from 'ava';

/** A directory that is removed after the tests of the file. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'koa-short-url-'));
  // If the tests run again in the same process, it has to be created again.
  test.before(() => {
    mkdirSync(directory, {recursive: true});
  });
  test.after.always(async () => {
    // Hooks run concurrently, so a server that writes here may end only now.
    await rm(directory, {recursive: true, force: true, maxRetries: 50, retryDelay: 100});
  });
  return directory;
}
