import {execFile} from 'node:child_process';
import {mkdir, readdir, readFile, rm, symlink, writeFile} from 'node:fs/promises';
import {createRequire} from 'node:module';
import {basename, dirname, join, resolve} from 'node:path';
import {promisify} from 'node:util';
import {transform, type TransformOptions} from 'esbuild';
import {temporaryFolder} from '../../support/folder.ts';
import type {Owner} from '../../support/owner.ts';
import {readManifest} from './tarball.ts';

const run = promisify(execFile);

/** How a host loads the package. */
export type Form = 'import' | 'require';

/** The compiler would take 17 seconds. */
const toJavaScript: TransformOptions = {
  loader: 'ts',
  format: 'esm',
  target: 'es2022',
  tsconfigRaw: {compilerOptions: {verbatimModuleSyntax: true}},
};

/** The end of an import of a source, as esbuild prints it. */
const extension = /(?<=(?:\bfrom |\bimport |\bimport\()"\.[^"]*)\.ts(?=")/g;

/** A host's project. */
export interface Project {
  /** The versions of its packages, such as `file:` and the path of a tarball. */
  readonly packages: Readonly<Record<string, string>>;
  /** The versions that the packages themselves get of their dependencies; by default those that they ask for. */
  readonly overrides?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
}

/** Makes a project in a new folder, with its packages installed by npm. Returns the folder. */
export async function install(owner: Owner, {packages, overrides = {}, files = {}}: Project): Promise<string> {
  const folder = await temporaryFolder(owner);
  // Some frameworks need its name.
  const manifest = {name: 'site', private: true, dependencies: packages, overrides};
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  for (const [file, text] of Object.entries(files)) await write(join(folder, file), text);
  await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund'], {cwd: folder, maxBuffer: 2 ** 28});
  return folder;
}

/** The version of a package in a project. */
export async function versionIn(project: string, name: string): Promise<string> {
  return (await readManifest(join(project, 'node_modules', name))).version;
}

/**
 * The tests of this repository in a folder of their own. What they import from an entry of the package is what `project`
 * has installed; other modules, with which tests look into a store, are those of `src`. Of the packages that both have they get the project's; the project itself sees
 * none of ours, so that a dependency which the package does not declare is missing there.
 *
 * @returns the folder, in which the tests lie as JavaScript
 */
export async function testsOn(owner: Owner, project: string, form: Form): Promise<string> {
  const folder = await temporaryFolder(owner);
  const installed = join(project, 'node_modules', 'koa-short-url');
  const ava = {files: ['test/contract/http/*.test.js'], workerThreads: false, timeout: '5m'};
  await writeFile(join(folder, 'package.json'), JSON.stringify({type: 'module', ava}));
  await linkPackages(project, join(folder, 'node_modules'));
  await copyPrograms('test', folder);
  await copyPrograms('src', folder);
  for (const [entry, target] of Object.entries((await readManifest(installed)).exports)) {
    if (typeof target === 'string') continue;
    const name = entry === '.' ? 'index' : basename(entry);
    await write(join(folder, 'src', `${name}.js`), await standIn(entry.replace(/^\./, 'koa-short-url'), project, form));
  }
  return folder;
}

/** Exports what the installed package exports. */
async function standIn(specifier: string, project: string, form: Form): Promise<string> {
  if (form === 'import') return `export * from '${specifier}';`;
  const names = Object.keys(createRequire(join(project, 'package.json'))(specifier) as object);
  return [
    "import {createRequire} from 'node:module';",
    `export const {${names.join(', ')}} = createRequire(import.meta.url)(${JSON.stringify(specifier)});`,
  ].join('\n');
}

/** Links our packages, which the tests need, and those of the project in front of them. */
async function linkPackages(project: string, target: string): Promise<void> {
  for (const source of [join(project, 'node_modules'), resolve('node_modules')]) {
    for (const name of await packagesIn(source)) {
      const link = join(target, name);
      await mkdir(dirname(link), {recursive: true});
      await symlink(join(source, name), link).catch((error: unknown) => {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      });
    }
  }
  // Our tests import Koa 2 under another name. Here there is one Koa, and it has both names.
  await rm(join(target, 'koa2'));
  await symlink(join(project, 'node_modules', 'koa'), join(target, 'koa2'));
}

async function packagesIn(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => !name.startsWith('.'));
  const scopes = names.filter((name) => name.startsWith('@'));
  const inScopes = scopes.map(async (scope) => (await readdir(join(folder, scope))).map((name) => join(scope, name)));
  return [...names.filter((name) => !scopes.includes(name)), ...(await Promise.all(inScopes)).flat()];
}

async function copyPrograms(root: string, folder: string): Promise<void> {
  const files = await readdir(root, {recursive: true});
  for (const file of files.filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))) {
    const source = join(root, file);
    const {code} = await transform(await readFile(source, 'utf8'), toJavaScript);
    await write(join(folder, source.replace(/ts$/, 'js')), code.replace(extension, '.js'));
  }
}

async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), {recursive: true});
  await writeFile(file, text);
}
