/**
 * Bundles the quick tests into one file a folder, for `npm test`. A process takes longer to load the program and its
 * dependencies than to run most files, so the files of a folder share a process.
 */
import {readdirSync, readFileSync, rmSync} from 'node:fs';
import {dirname, join, resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import {build, type Plugin} from 'esbuild';

const output = 'reports/tests';

/** The folders whose tests share a process. Tests of other folders below `test` need an engine, a browser or a night. */
const folders = ['unit', 'contract', 'simulation'];

const files = folders
  .flatMap((folder) =>
    readdirSync(join('test', folder), {recursive: true, encoding: 'utf8'}).map((file) => join(folder, file)),
  )
  .filter((file) => file.endsWith('.test.ts'));

/** The name of the bundle of a test file: its first two folders. */
const bundleOf = (file: string): string => dirname(file).split('/').slice(0, 2).join('-');

const bundles = new Map<string, string[]>();
for (const file of files) bundles.set(bundleOf(file), [...(bundles.get(bundleOf(file)) ?? []), file]);

const shared = resolve('test/support/one-process.ts');

const textOf = (file: string): string => readFileSync(file, 'utf8');

/** A module that loads the files of a bundle one after the other, and then declares their tests. */
function load(bundle: string): string {
  const own = bundles.get(bundle) ?? [];
  return [
    // Before the program keeps a reference to the function that this replaces.
    ...(own.some((file) => textOf(join('test', file)).includes('quick-scrypt'))
      ? [`import './support/quick-scrypt.ts';`]
      : []),
    `import {declareTests, testsOf} from '${shared}';`,
    ...own.map((file) => `testsOf('${file}');\nawait import('./${file}');`),
    'declareTests();',
  ].join('\n');
}

const together: Plugin = {
  name: 'together',
  setup(bundler) {
    bundler.onResolve({filter: /^bundle:/}, ({path}) => ({path: path.slice('bundle:'.length), namespace: 'bundle'}));
    bundler.onLoad({filter: /./, namespace: 'bundle'}, ({path}) => ({
      contents: load(path),
      resolveDir: resolve('test'),
    }));
    bundler.onResolve({filter: /^ava$/}, ({importer}) => (importer === shared ? undefined : {path: shared}));
    // Tests find files of the repository from their own place.
    bundler.onLoad({filter: /\.ts$/}, ({path}) => ({
      loader: 'ts',
      contents: `const importMetaUrl = '${pathToFileURL(path).href}';${textOf(path)}`,
    }));
  },
};

rmSync(output, {recursive: true, force: true});
await build({
  entryPoints: [...bundles.keys()].map((name) => ({in: `bundle:${name}`, out: `${name}.test`})),
  outdir: output,
  bundle: true,
  packages: 'external',
  platform: 'node',
  target: 'node20',
  format: 'esm',
  define: {'import.meta.url': 'importMetaUrl'},
  sourcemap: true,
  sourcesContent: false,
  // The tests are imported for their side effects.
  ignoreAnnotations: true,
  logLevel: 'warning',
  plugins: [together],
});
