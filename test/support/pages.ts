import {execFile} from 'node:child_process';
import {mkdtemp, readdir, readFile, rm, writeFile} from 'node:fs/promises';
import {resolve} from 'node:path';
import {promisify} from 'node:util';
import type {ExecutionContext} from 'ava';

const run = promisify(execFile);

/** A block of code in a page. */
export interface Block {
  readonly language: string;
  readonly code: string;
}

export function blocksOf(page: string): Block[] {
  return Array.from(page.matchAll(/^```(\w+)\n(.*?)^```$/gms), ([, language = '', code = '']) => ({language, code}));
}

/** The JavaScript of a page. */
export interface Programs {
  /** A block that begins with an import begins a program, and the blocks after it continue it. */
  readonly programs: readonly string[];
  /** The blocks before the first program: files of a host's project, or parts of them. */
  readonly fragments: readonly string[];
}

export function programsOf(page: string): Programs {
  const programs: string[] = [];
  const fragments: string[] = [];
  for (const {language, code} of blocksOf(page)) {
    if (language !== 'js') continue;
    if (code.startsWith('import ')) programs.push(code);
    else if (programs.length === 0) fragments.push(code);
    else programs.push((programs.pop() ?? '') + code);
  }
  return {programs, fragments};
}

/** Runs programs inside the package, so that they can import it by name, and returns the output of each. */
export async function outputsOf(t: Pick<ExecutionContext, 'teardown'>, programs: readonly string[]): Promise<string[]> {
  const folder = await mkdtemp('test/page-');
  t.teardown(() => rm(folder, {recursive: true, force: true}));
  // What a program creates in the temporary directory is removed as well.
  const env = {...process.env, TMPDIR: resolve(folder)};
  const outputs = programs.map(async (program, index) => {
    const file = `${folder}/${index}.mjs`;
    await writeFile(file, program);
    return (await run(process.execPath, [file], {env})).stdout;
  });
  return Promise.all(outputs);
}

/** The output that a program promises in its comments, as in `console.log(text); // text`. */
export function promisedOutputs(program: string): string[] {
  return Array.from(program.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm), ([, text = '']) => text);
}

/** The pages in `docs` for users, by name. */
export async function readPages(): Promise<Map<string, string>> {
  const names = (await readdir('docs')).filter((name) => name.endsWith('.md'));
  return new Map(await Promise.all(names.map(async (name) => [name, await readFile(`docs/${name}`, 'utf8')] as const)));
}
