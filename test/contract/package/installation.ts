import {execFile} from 'node:child_process';
import {mkdir, readdir, readFile, rm, symlink, writeFile} from 'node:fs/promises';
import {basename, dirname, join, relative, resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import {promisify} from 'node:util';
import ts from 'typescript';
import {temporaryFolder} from '../../support/folder.ts';
import type {Owner} from '../../support/owner.ts';
import {readManifest} from './tarball.ts';

const run = promisify(execFile);

/** How a host loads the package. */
export type Form = 'import' | 'require';

/** The options of the build, without type checks. */
const compilerOptions: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  verbatimModuleSyntax: true,
  rewriteRelativeImportExtensions: true,
};

/**
 * An empty project into which the tarball was installed by npm, with the named versions of other packages beside it.
 *
 * @param overrides the versions that the package itself gets of its dependencies; by default those of the project
 * @returns the folder of the project
 */
export async function install(
  owner: Owner,
  tarball: string,
  packages: Readonly<Record<string, string>>,
  overrides = packages,
): Promise<string> {
  const folder = await temporaryFolder(owner);
  const project = {private: true, dependencies: {...packages, 'koa-short-url': `file:${tarball}`}, overrides};
  await writeFile(join(folder, 'package.json'), JSON.stringify(project));
  await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund'], {cwd: folder});
  return folder;
}

/** The version of a package in a project. */
export async function versionIn(project: string, name: string): Promise<string> {
  return (await readManifest(join(project, 'node_modules', name))).version;
}

/**
 * The tests of this repository in a folder of their own, where `src` is not there: what they import from it is the
 * package that `project` has installed. Of the packages that both have they get the project's; the project itself sees
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
  await copyTests(folder);
  const files = await readdir(join(installed, 'dist'), {recursive: true});
  // Node.js cannot import the scripts for browsers in `assets`.
  const programs = files.filter(
    (name) => name.endsWith('.js') && !['assets', 'command'].includes(basename(dirname(name))),
  );
  for (const file of programs) {
    const program = join(installed, 'dist', file);
    // The entry is imported by its name, as users do; internal modules by their paths.
    const specifier = file === 'index.js' ? 'koa-short-url' : program;
    await write(join(folder, 'src', file), await standIn(specifier, program, form));
  }
  return folder;
}

async function standIn(specifier: string, program: string, form: Form): Promise<string> {
  const isPath = specifier === program;
  if (form === 'import') return `export * from '${isPath ? pathToFileURL(program).href : specifier}';`;
  const names = Object.keys((await import(pathToFileURL(program).href)) as object);
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

async function copyTests(folder: string): Promise<void> {
  const files = await readdir('test', {recursive: true});
  for (const file of files.filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))) {
    const source = join('test', file);
    const {outputText} = ts.transpileModule(await readFile(source, 'utf8'), {compilerOptions, fileName: source});
    await write(join(folder, relative('.', source).replace(/ts$/, 'js')), outputText);
  }
}

async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), {recursive: true});
  await writeFile(file, text);
}
