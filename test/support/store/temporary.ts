import {mkdirSync, mkdtempSync} from 'node:fs';
import {rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test from 'ava';

/** A directory that is gone when the tests of the file are over. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'koa-short-url-'));
  // It is gone already where the tests run once more in the process.
  test.before(() => {
    mkdirSync(directory, {recursive: true});
  });
  test.after.always(async () => {
    // Hooks run side by side: a server that writes here may be on its way out only now.
    await rm(directory, {recursive: true, force: true, maxRetries: 50, retryDelay: 100});
  });
  return directory;
}
