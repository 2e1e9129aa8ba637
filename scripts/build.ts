/** Makes `dist` as it is published: `npm run build`. */
import {spawnSync} from 'node:child_process';
import {copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {basename, join} from 'node:path';
import {transformSync} from 'esbuild';
import {rollup} from 'rollup';
import {dts} from 'rollup-plugin-dts';
import {generatedModules} from './generate.ts';

const output = 'dist';

/** Replaces the declarations of all modules by one file for each entry of package.json, and those for what they share. */
async function bundleDeclarations(): Promise<void> {
  const {exports} = JSON.parse(readFileSync('package.json', 'utf8')) as {exports: Record<string, {types?: string}>};
  const entries = Object.values(exports).flatMap(({types}) => types ?? []);
  const bundle = await rollup({
    input: Object.fromEntries(entries.map((file) => [basename(file, '.d.ts'), file])),
    external: /^[^./]/,
    plugins: [dts()],
    onwarn(warning) {
      // The options of two entries have types that no entry exports.
      if (warning.code !== 'PLUGIN_WARNING') throw new Error(warning.message);
    },
  });
  for (const file of filesOf(output)) if (file.endsWith('.d.ts')) rmSync(file);
  const chunkFileNames = ({name}: {name: string}): string => `types/${basename(name, '.d')}.d.ts`;
  await bundle.write({dir: output, entryFileNames: '[name].d.ts', chunkFileNames});
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
    minifySyntax: true,
    minifyWhitespace: true,
    // An uncaught error prints the line where it was thrown.
    lineLimit: 250,
  }).code;
}

function filesOf(folder: string): string[] {
  return readdirSync(folder, {recursive: true, encoding: 'utf8'}).map((file) => join(folder, file));
}

function rewrite(from: string, change: (text: string) => string, to = from): void {
  writeFileSync(to, change(readFileSync(from, 'utf8')));
}

for (const [path, text] of generatedModules()) writeFileSync(path, text);
rmSync(output, {recursive: true, force: true});
const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const {status} = spawnSync(process.execPath, [compiler, '--project', 'tsconfig.build.json'], {stdio: 'inherit'});
if (status === 0) {
  for (const file of filesOf(output)) if (file.endsWith('.js')) rewrite(file, compact);
  await bundleDeclarations();
  for (const name of ['openapi.json', 'openapi-get.json']) {
    rewrite(join('docs', name), (text) => JSON.stringify(JSON.parse(text)), join(output, name));
  }
  copyFileSync('docs/short-url.xsd', join(output, 'short-url.xsd'));
} else {
  process.exitCode = status ?? 1;
}
