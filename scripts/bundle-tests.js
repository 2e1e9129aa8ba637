/**
 * Bundles the tests into one file a folder. A process takes longer to load the program and its dependencies than to run
 * most files, so the files of a folder share a process.
 */
import {readdirSync, readFileSync, rmSync} from 'node:fs';
import {dirname, join, resolve} from 'node:path';
import {build} from 'esbuild';
import {bundling, ownPlaces} from './bundling.js';

const output = 'reports/tests';

/** Thousands of random calls, a large site, a year of orders, one bug after another, and a spreadsheet. */
const night = [
  ...[
    'engines/year.test.ts',
    'long/fuzz/',
    'long/long-work.test.ts',
    'long/planted.test.ts',
    'long/elsewhere.test.ts',
    'long/scale.test.ts',
  ],
  'long/tools/libreoffice.test.ts',
];

/** The folder of bundles of a file, by the run of ava for which it is: quick, change or night. */
function runOf(file) {
  if (!/^(?:engines|long|simulation\/(?:engines|schedules))\//.test(file)) return 'quick';
  return night.some((path) => file.startsWith(path)) ? 'night' : 'change';
}

/** Files that change their process for good, or block it. */
const alone = ['long/long-work.test.ts', 'engines/store/absences.test.ts', 'engines/store/sqlite-libsql.test.ts'];

/** Files that need the real scrypt, or compare passwords with hashes that it has made. */
const slow = ['engines/golden.test.ts', 'unit/link/password-hash.test.ts', 'unit/testing/kit.test.ts'];

const shared = resolve('test/support/one-process.ts');

const textOf = (file) => readFileSync(file, 'utf8');

const isQuick = (file) => textOf(join('test', file)).includes('quick-scrypt');

/** Tests of engines wait most of the time, so their files are shared out to several processes. */
const shares = 4;

/** Folders whose tests take longer than to load the program. The other ones share a process, as far as they run together. */
const large =
  /^(?:contract\/(?:crossed|dashboard|docs|http|package)|engines\/|long\/|simulation\/(?:engines|schedules)|unit\/(?:dashboard|links|store|tools))/;

/** The name of the bundle of a test file: its run and its first two folders, or only the first one. */
function bundleOf(file, index) {
  if (slow.includes(file)) return `${runOf(file)}/${file.split('/')[0]}-scrypt`;
  if (alone.includes(file)) return `${runOf(file)}/${file.replaceAll('/', '-').replace('.test.ts', '')}`;
  const folder = dirname(file)
    .split('/')
    .slice(0, large.test(file) ? 2 : 1)
    .join('-');
  // The processes of the other examples use the real scrypt.
  if (file.startsWith('long/examples/') && isQuick(file)) return `${runOf(file)}/${folder}-quick`;
  return `${runOf(file)}/${folder}${folder === 'engines' ? `-${(index % shares) + 1}` : ''}`;
}

// More worlds than in the quick tests.
const bundles = new Map([['change/worlds', ['simulation/worlds.test.ts']]]);
const files = readdirSync('test', {recursive: true}).filter((file) => file.endsWith('.test.ts'));
for (const [index, file] of files.sort().entries()) {
  const bundle = bundleOf(file, index);
  bundles.set(bundle, [...(bundles.get(bundle) ?? []), file]);
}

/** A module that loads the files of a bundle one after the other, and then declares their tests. */
function load(bundle) {
  const own = bundles.get(bundle) ?? [];
  return [
    // Before the program keeps a reference to the function that this replaces.
    ...(own.some(isQuick) ? [`import './support/quick-scrypt.ts';`] : []),
    `import {declareTests, testsOf} from '${shared}';`,
    ...own.map((file) => `testsOf('${file}');\nawait import('./${file}');`),
    'declareTests();',
  ].join('\n');
}

const together = {
  name: 'together',
  setup(bundler) {
    bundler.onResolve({filter: /^bundle:/}, ({path}) => ({path: path.slice('bundle:'.length), namespace: 'bundle'}));
    bundler.onLoad({filter: /./, namespace: 'bundle'}, ({path}) => ({
      contents: load(path),
      resolveDir: resolve('test'),
    }));
    bundler.onResolve({filter: /^ava$/}, ({importer}) => (importer === shared ? undefined : {path: shared}));
  },
};

rmSync(output, {recursive: true, force: true});
await build({
  ...bundling,
  entryPoints: [...bundles.keys()].map((name) => ({in: `bundle:${name}`, out: `${name}.test`})),
  outdir: output,
  plugins: [together, ownPlaces],
});
