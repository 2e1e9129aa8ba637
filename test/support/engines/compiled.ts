import {mkdir, mkdtemp, rm} from 'node:fs/promises';
import {join, resolve} from 'node:path';
import test from 'ava';
import {build} from 'esbuild';

const cache = 'node_modules/.cache';

/**
 * Bundles a script with the files of the repository that it imports, and returns the path of the bundle. It is removed
 * after the tests of the file. Its process starts in less than half of the time that it would take with tsx, and hashes
 * with quick-scrypt.ts, so its test must import that too.
 */
export function compiled(script: string): () => Promise<string> {
  let folder: Promise<string> | undefined;
  test.after.always(async () => {
    if (folder) await rm(await folder, {recursive: true, force: true});
  });
  return async () => resolve(await (folder ??= compile(script)), 'script.mjs');
}

async function compile(script: string): Promise<string> {
  // Inside the repository, so that the dependencies are found.
  await mkdir(cache, {recursive: true});
  const folder = await mkdtemp(join(cache, 'compiled-'));
  await build({
    entryPoints: {script},
    outdir: folder,
    outExtension: {'.js': '.mjs'},
    bundle: true,
    inject: ['test/support/quick-scrypt.ts'],
    // It is imported for its side effects.
    ignoreAnnotations: true,
    // What is imported later is loaded later.
    splitting: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    logLevel: 'warning',
  });
  return folder;
}
