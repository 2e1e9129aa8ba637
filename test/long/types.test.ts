import {execFile} from 'node:child_process';
import {copyFile, readdir, writeFile} from 'node:fs/promises';
import {join, resolve} from 'node:path';
import {promisify} from 'node:util';
import test from 'ava';
import {unpackedIn} from '../contract/package/tarball.ts';
import {temporaryFolder} from '../support/folder.ts';
import {thisFile} from '../support/this-file.ts';
import {isNight} from '../support/night.ts';

const programs = resolve('test/long/types');

const run = promisify(execFile);

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

type Options = Readonly<Record<string, string | boolean>>;

/** A compiler by its version; `name` is the package in which we have it. */
async function compilerOf(version: string, name?: string): Promise<string> {
  if (name !== undefined) return resolve('node_modules', name, 'bin/tsc');
  const folder = await temporaryFolder(owner);
  await run('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', `typescript@~${version}`]);
  return join(folder, 'node_modules/typescript/bin/tsc');
}

let configurations = 0;

/**
 * What a compiler says of programs of the project. Without `skipLibCheck` it also checks the declarations of the package
 * and its dependencies.
 */
async function complaints(compiler: string, files: readonly string[], options: Options): Promise<string> {
  const compilerOptions = {
    target: 'es2022',
    lib: ['es2023', 'esnext.disposable'],
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    skipLibCheck: false,
    ...options,
  };
  const configuration = join(project, `tsconfig.${(configurations += 1)}.json`);
  await writeFile(configuration, JSON.stringify({compilerOptions, files}));
  const arguments_ = [compiler, '--pretty', 'false', '--project', configuration];
  return run(process.execPath, arguments_, {cwd: project}).then(
    ({stdout}) => stdout,
    (error: unknown) => (error as {stdout: string}).stdout || String(error),
  );
}

const node16 = {module: 'node16'};
const nodenext = {module: 'nodenext'};
const bundler = {module: 'esnext', moduleResolution: 'bundler'};
const setups: Readonly<Record<string, Options>> = {
  'module nodenext': nodenext,
  'module node16': node16,
  'a bundler': {...bundler, module: 'preserve'},
};

/** The settings of sites by their names. `types` and `typesVersions` are for those that do not read `exports`. */
const sites: Readonly<Record<string, Options>> = {
  'module commonjs and moduleResolution node': {module: 'commonjs', moduleResolution: 'node10'},
  'module node16': node16,
  'module nodenext': nodenext,
  'a bundler': bundler,
  'module node16 and resolvePackageJsonExports false': {...node16, resolvePackageJsonExports: false},
  'a bundler and resolvePackageJsonExports false': {...bundler, resolvePackageJsonExports: false},
};

interface Compiler {
  readonly version: string;
  readonly name?: string;
  readonly options?: Options;
  /** The sites that it still compiles. */
  readonly compiles?: (site: string) => boolean;
}

/** The compilers of sites, the oldest first. */
const compilers: readonly Compiler[] = [
  {version: '5.4'},
  {version: '5.9'},
  {version: '6.0', name: 'typescript', options: {ignoreDeprecations: '6.0'}},
  {version: '7.0', name: 'typescript-7', compiles: (site) => !site.endsWith('moduleResolution node')},
];

// By day the oldest and the newest compiler, with the settings that most sites have.
const isUsual = ({version}: Compiler): boolean => isNight || version === '5.4' || version === '7.0';
const usual = <Value>(values: Readonly<Record<string, Value>>): Array<[string, Value]> =>
  Object.entries(values).slice(0, isNight ? undefined : 1);

for (const {version, name, options, compiles} of compilers.filter(isUsual)) {
  test(`a site compiles by TypeScript ${version}, and each mistake in it is an error`, async (t) => {
    t.timeout(300_000);
    const compiler = await compilerOf(version, name);
    const compiled = Object.entries(sites).filter(([what]) => compiles?.(what) ?? true);
    for (const [what, settings] of usual(Object.fromEntries(compiled))) {
      t.is(await complaints(compiler, ['host.ts'], {...settings, ...options, esModuleInterop: true}), '', what);
    }
  });
}

for (const [what, options] of usual(setups)) {
  test(`strict programs that import it and require it with ${what} compile, and each mistake in them is an error`, async (t) => {
    t.timeout(300_000);
    const compiler = await compilerOf('7.0', 'typescript-7');
    t.is(await complaints(compiler, ['consumer.mts', 'consumer.cts'], options), '');
  });
}
