import {execFile} from 'node:child_process';
import {copyFile, readdir, writeFile} from 'node:fs/promises';
import {createRequire} from 'node:module';
import {join, resolve} from 'node:path';
import {setImmediate} from 'node:timers/promises';
import {promisify} from 'node:util';
import test from 'ava';
import ts from 'typescript';
import {unpackedIn} from '../contract/package/tarball.ts';
import {temporaryFolder} from '../support/folder.ts';
import {thisFile} from '../support/this-file.ts';
import {isNight} from '../support/night.ts';

const {ModuleKind, ModuleResolutionKind} = ts;
const programs = resolve('test/long/types');

/** A host's project with the tarball, inside the repository so that dependencies and their types are found. */
let project = '';
const owner = thisFile();

test.before(async () => {
  project = resolve(await temporaryFolder(owner, 'test/package-types-'));
  await unpackedIn(project, owner);
  // Its own package.json, because inside our package the name would mean the sources.
  await writeFile(join(project, 'package.json'), '{"private": true}');
  for (const file of await readdir(programs)) await copyFile(join(programs, file), join(project, file));
});

/**
 * The compiler's errors in programs of the project, each as `file:line TScode message`. Without `skipLibCheck` the
 * compiler also checks the declarations of the package and its dependencies.
 */
async function complaints(files: readonly string[], options: ts.CompilerOptions, compiler = ts): Promise<string[]> {
  // A compilation blocks for seconds, so other tests report their end here.
  await setImmediate();
  const strict = {
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'],
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
  };
  const paths = files.map((file) => join(project, file));
  const program = compiler.createProgram(paths, {...strict, ...options});
  return compiler.getPreEmitDiagnostics(program).map(({file: where, start = 0, code, messageText}) => {
    const place = where ? `${where.fileName.slice(project.length + 1)}:${lineOf(where, start)}` : '';
    return `${place} TS${code} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
}

function lineOf(file: ts.SourceFile, start: number): number {
  return file.getLineAndCharacterOfPosition(start).line + 1;
}

const nodenext = {module: ModuleKind.NodeNext};
const setups: Array<[string, string[], ts.CompilerOptions]> = [
  ['import it and require it with module nodenext', ['consumer.mts', 'consumer.cts'], nodenext],
  ['import it and require it with module node16', ['consumer.mts', 'consumer.cts'], {module: ModuleKind.Node16}],
  [
    'import it and require it for a bundler',
    ['consumer.mts', 'consumer.cts'],
    {module: ModuleKind.Preserve, moduleResolution: ModuleResolutionKind.Bundler},
  ],
];

// The first is the one that most hosts have.
for (const [what, files, options] of isNight ? setups : setups.slice(0, 1)) {
  test(`strict programs that ${what} compile, and each mistake in them is an error`, async (t) => {
    t.timeout(300_000);
    t.deepEqual(await complaints(files, {...options, skipLibCheck: false}), []);
  });
}

const {CommonJS, ESNext, Node16} = ModuleKind;
const {Bundler} = ModuleResolutionKind;
/** The `node` of older compilers, which TypeScript 6 calls deprecated. */
const node10: ts.ModuleResolutionKind = 2;
/** The settings of sites by their names. `types` and `typesVersions` are for those that do not read `exports`. */
const sites: Readonly<Record<string, ts.CompilerOptions>> = {
  'module commonjs and moduleResolution node': {module: CommonJS, moduleResolution: node10},
  'module node16': {module: Node16},
  'module nodenext': nodenext,
  'a bundler': {module: ESNext, moduleResolution: Bundler},
  'module node16 and resolvePackageJsonExports false': {module: Node16, resolvePackageJsonExports: false},
  'a bundler and resolvePackageJsonExports false': {
    module: ESNext,
    moduleResolution: Bundler,
    resolvePackageJsonExports: false,
  },
};

/** The compilers of sites, the oldest first. The last is ours. */
const compilers = ['5.4', '5.9', ts.versionMajorMinor];

async function compilerOf(version: string): Promise<typeof ts> {
  if (version === ts.versionMajorMinor) return ts;
  const folder = await temporaryFolder(owner);
  await promisify(execFile)('npm', [
    'install',
    '--prefix',
    folder,
    '--no-audit',
    '--no-fund',
    `typescript@~${version}`,
  ]);
  return createRequire(join(folder, 'program.js'))('typescript') as typeof ts;
}

for (const version of compilers) {
  test(`a site compiles by TypeScript ${version}, and each mistake in it is an error`, async (t) => {
    t.timeout(300_000);
    const compiler = await compilerOf(version);
    // Each site that reads `exports` is compiled at night.
    for (const [what, options] of Object.entries(sites).slice(0, isNight ? undefined : 1)) {
      const old = compiler === ts ? {ignoreDeprecations: '6.0'} : {};
      const site = {...options, ...old, esModuleInterop: true, skipLibCheck: false};
      t.deepEqual(await complaints(['host.ts'], site, compiler), [], what);
    }
  });
}
