import {readFile} from 'node:fs/promises';
import ts from 'typescript';
import {blocksOf} from '../../support/pages.ts';

/** A host's site with the code of a page, its login at `/login?user=ann`, and a page at `/about`. */
export interface Site {
  readonly packages: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, string>>;
  /** The arguments of Node.js that build the site, once; by default none. */
  readonly build?: readonly string[];
  /** The arguments of Node.js that start the site; by default the file `start.mjs`. */
  readonly start?: readonly string[];
  /** What it answers where it has no page. */
  readonly missing: number;
  /** The exit code after SIGTERM; by default 0. */
  readonly exit?: number;
}

/** The code of a page, block by block. */
export interface Page {
  /** The block with a text. TypeScript loses its types. */
  readonly block: (text: string) => string;
}

export async function pageOf(path: string): Promise<Page> {
  const blocks = blocksOf(await readFile(path, 'utf8'));
  return {
    block(text) {
      const found = blocks.find(({code}) => code.includes(text));
      if (found === undefined) throw new Error(`${path} has no code with ${text}`);
      return found.language === 'ts' ? withoutTypes(found.code) : found.code;
    },
  };
}

function withoutTypes(code: string): string {
  const compilerOptions = {target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext};
  return ts.transpileModule(code, {compilerOptions}).outputText;
}
