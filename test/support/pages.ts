import {execFile} from 'node:child_process';
import {readdir, readFile, writeFile} from 'node:fs/promises';
import {resolve} from 'node:path';
import {promisify} from 'node:util';
import {temporaryFolder} from './folder.ts';
import type {Owner} from './owner.ts';

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

/** A folder inside the package, so that a program in it can import the package by name. */
export function folderInPackage(owner: Owner): Promise<string> {
  return temporaryFolder(owner, 'test/page-');
}

/** Runs programs. Returns what they do not print of what their comments say, as in `console.log(text); // text`. */
export async function missingOutputs(owner: Owner, programs: readonly string[]): Promise<string[]> {
  const folder = await folderInPackage(owner);
  // What a program creates in the temporary directory is removed as well.
  const env = {...process.env, TMPDIR: resolve(folder)};
  const outputs = programs.map(async (program, index) => {
    const file = `${folder}/${index}.mjs`;
    await writeFile(file, program);
    return (await run(process.execPath, [file], {env})).stdout;
  });
  const lines = (await Promise.all(outputs)).join('').split('\n');
  const promised = programs.join('\n').matchAll(/console\.log\(.*\); \/\/ (.*)$/gm);
  return Array.from(promised, ([, text = '']) => text).filter((text) => !lines.includes(text));
}

/** The pages in `docs` for users, by name. */
export async function readPages(): Promise<Map<string, string>> {
  const names = (await readdir('docs')).filter((name) => name.endsWith('.md'));
  return new Map(await Promise.all(names.map(async (name) => [name, await readFile(`docs/${name}`, 'utf8')] as const)));
}
