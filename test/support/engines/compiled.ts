import {mkdir, mkdtemp, readdir, readFile, rm, writeFile} from 'node:fs/promises';
import {dirname, join, resolve} from 'node:path';
import test from 'ava';
import ts from 'typescript';

const cache = 'node_modules/.cache';

/** As the build has it, but for types, which are checked elsewhere. */
const compilerOptions: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  verbatimModuleSyntax: true,
  rewriteRelativeImportExtensions: true,
};

/**
 * The path of a script in JavaScript, with `src` beside it, gone when the tests of the file are over. Processes that are
 * started by the dozen start in a third of the time when nothing has to be compiled in them.
 */
export function compiled(script: string): () => Promise<string> {
  let folder: Promise<string> | undefined;
  test.after.always(async () => {
    if (folder) await rm(await folder, {recursive: true, force: true});
  });
  return async () => resolve(await (folder ??= compile(script)), script.replace(/ts$/, 'js'));
}

async function compile(script: string): Promise<string> {
  // Within the repository, so that the dependencies are found.
  await mkdir(cache, {recursive: true});
  const folder = await mkdtemp(join(cache, 'compiled-'));
  await writeFile(join(folder, 'package.json'), '{"type": "module"}');
  const sources = (await readdir('src', {recursive: true})).map((file) => join('src', file));
  for (const file of [script, ...sources].filter((name) => name.endsWith('.ts'))) {
    const {outputText} = ts.transpileModule(await readFile(file, 'utf8'), {compilerOptions, fileName: file});
    const target = join(folder, file.replace(/ts$/, 'js'));
    await mkdir(dirname(target), {recursive: true});
    await writeFile(target, outputText);
  }
  return folder;
}
