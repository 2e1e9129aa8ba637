/** Makes `dist` as it is published: `npm run build`. */
import {spawnSync} from 'node:child_process';
import {copyFileSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {basename, join, relative} from 'node:path';
import {transformSync} from 'esbuild';
import {type Plugin, rollup} from 'rollup';
import {dts} from 'rollup-plugin-dts';
import {generatedModules} from './generate.ts';

const output = 'dist';
/** What the compiler makes, with a file for each module. */
const compiled = 'reports/build';

interface Manifest {
  readonly exports: Readonly<Record<string, {readonly types?: string; readonly default?: string}>>;
  readonly bin: Readonly<Record<string, string>>;
}

const {exports, bin} = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
const entries = Object.values(exports);
const declarations = entries.flatMap(({types}) => types ?? []);
const programs = [...entries.flatMap((entry) => entry.default ?? []), ...Object.values(bin)];

/**
 * The options of two entries have types that no entry exports, and the function that TypeScript adds for an import by a
 * variable looks for another one in `this`.
 */
const expectedWarnings = new Set<string | undefined>(['PLUGIN_WARNING', 'THIS_IS_UNDEFINED']);

/**
 * Makes one file of all modules for each entry of package.json, and those for what entries share. With a file for each
 * module the tarball was a tenth larger, and the names of functions in a stack trace say where an error comes from.
 */
async function bundle(files: readonly string[], extension: string, ...plugins: readonly Plugin[]): Promise<void> {
  const made = await rollup({
    input: Object.fromEntries(
      files.map((file) => {
        const name = relative(output, file);
        return [name.slice(0, -extension.length), `./${compiled}/${name}`];
      }),
    ),
    external: /^[^./]/,
    plugins: [...plugins],
    onwarn(warning) {
      if (!expectedWarnings.has(warning.code)) throw new Error(warning.message);
    },
  });
  const nameOf = ({name}: {readonly name: string}): string => `shared/${basename(name, '.d')}${extension}`;
  await made.write({dir: output, entryFileNames: `[name]${extension}`, chunkFileNames: nameOf});
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

for (const [path, text] of generatedModules()) writeFileSync(path, text);
for (const folder of [output, compiled]) rmSync(folder, {recursive: true, force: true});
const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const {status} = spawnSync(process.execPath, [compiler, '--project', 'tsconfig.build.json'], {stdio: 'inherit'});
if (status === 0) {
  await bundle(declarations, '.d.ts', dts());
  await bundle(programs, '.js', {name: 'compact', renderChunk: compact});
  for (const name of ['openapi.json', 'openapi-get.json']) {
    const description: unknown = JSON.parse(readFileSync(join('docs', name), 'utf8'));
    writeFileSync(join(output, name), JSON.stringify(description));
  }
  copyFileSync('docs/short-url.xsd', join(output, 'short-url.xsd'));
} else {
  process.exitCode = status ?? 1;
}
