/** Makes `dist` as it is published: `npm run build`. */
import {spawnSync} from 'node:child_process';
import {readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';
import {transformSync} from 'esbuild';
import ts from 'typescript';
import {generatedModules} from './generate.ts';

const output = 'dist';

/** The declarations that `exports` in package.json names. */
function publicDeclarations(): string[] {
  const {exports} = JSON.parse(readFileSync('package.json', 'utf8')) as {exports: Record<string, unknown>};
  return Object.values(exports).flatMap((entry) => {
    const {types} = entry as {types?: string};
    return types === undefined ? [] : [join(types)];
  });
}

/** The declarations and everything they import, directly or indirectly. */
function reachableFrom(declarations: readonly string[]): Set<string> {
  const reached = new Set<string>();
  const open = [...declarations];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (reached.has(file)) continue;
    reached.add(file);
    const folder = dirname(file);
    const {importedFiles} = ts.preProcessFile(readFileSync(file, 'utf8'));
    const relative = importedFiles.filter(({fileName}) => fileName.startsWith('.'));
    open.push(...relative.map(({fileName}) => join(folder, fileName.replace(/\.ts$/, '.d.ts'))));
  }
  return reached;
}

/** Declarations from the compiler import `.ts` files, which are not in the package. */
function withPublishedNames(declaration: string): string {
  return declaration.replaceAll(/((?:from|import) ?\(?(['"])\.[^'"]+)\.ts\2/g, '$1.js$2');
}

/**
 * Comments would be a quarter of the tarball, and indentation a twentieth. Editors show only the comments of the
 * declarations, which keep them. Names stay as they are, for stack traces.
 */
function compact(program: string): string {
  return transformSync(program, {
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none',
    minifyWhitespace: true,
    // An uncaught error prints the line where it was thrown.
    lineLimit: 250,
  }).code;
}

function rewrite(file: string, change: (text: string) => string): void {
  writeFileSync(file, change(readFileSync(file, 'utf8')));
}

for (const [path, text] of generatedModules()) writeFileSync(path, text);
rmSync(output, {recursive: true, force: true});
const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const {status} = spawnSync(process.execPath, [compiler, '--project', 'tsconfig.build.json'], {stdio: 'inherit'});
if (status === 0) {
  const files = readdirSync(output, {recursive: true, encoding: 'utf8'}).map((file) => join(output, file));
  const needed = reachableFrom(publicDeclarations());
  for (const file of files) {
    if (needed.has(file)) rewrite(file, withPublishedNames);
    else if (file.endsWith('.d.ts')) rmSync(file);
    else if (file.endsWith('.js')) rewrite(file, compact);
  }
} else {
  process.exitCode = status ?? 1;
}
