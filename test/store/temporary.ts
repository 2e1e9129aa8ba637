import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test from 'ava';

/** A directory that is gone when the tests of the file are over. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'koa-short-url-'));
  test.after.always(() => {
    rmSync(directory, {recursive: true, force: true});
  });
  return directory;
}
