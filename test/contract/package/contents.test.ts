import {execFile} from 'node:child_process';
import {readdir, readFile} from 'node:fs/promises';
import {promisify} from 'node:util';
import test from 'ava';
import {build} from 'esbuild';
import {generatedFiles} from '../../../scripts/generate.ts';
import {thisFile} from '../../support/this-file.ts';
import {packed, readManifest} from './tarball.ts';

const run = promisify(execFile);
const owner = thisFile();
/** The folder of what CommonJS needs. */
const commonJs = 'dist/cjs/';
let tarball = '';
let files: string[] = [];

test.before(async () => {
  tarball = await packed(owner);
  const {stdout} = await run('tar', ['-tzf', tarball]);
  files = stdout.split('\n').flatMap((line) => (line === '' ? [] : [line.replace(/^package\//, '')]));
});

test('the tarball has the programs, the public declarations for both kinds of modules, the descriptions of the API, the pages that messages name, and nothing else', async (t) => {
  const programs = await Promise.all(
    files.filter((file) => file.endsWith('.js')).map((file) => readFile(file, 'utf8')),
  );
  const pages = new Set(programs.flatMap((text) => text.match(/docs\/[\w-]+\.md/g) ?? []));
  const others = ['CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md', 'package.json'];
  const descriptions = ['dist/openapi-get.json', 'dist/openapi.json', 'dist/short-url.xsd'];
  const known = /^dist\/[\w/-]+\.(?:js|d\.ts)$/;
  const declarations = files.filter((file) => file.endsWith('.d.ts'));
  const forCommonJs = declarations.filter((file) => file.startsWith(commonJs));
  t.deepEqual(
    forCommonJs.map((file) => file.replace(commonJs, 'dist/')).toSorted(),
    declarations.filter((file) => !file.startsWith(commonJs)).toSorted(),
  );
  t.deepEqual(
    files.filter((file) => !known.test(file)).toSorted(),
    [...others, ...descriptions, ...pages, `${commonJs}package.json`].toSorted(),
  );
});

test('every generated file is the one that `npm run generate` makes', async (t) => {
  for (const [path, text] of generatedFiles()) {
    t.is(await readFile(path, 'utf8'), text, `${path} is old: run npm run generate`);
  }
});

test('the programs are those of the compiler: a file for each module, in lines that a person can read', async (t) => {
  const programs = files.filter(
    (file) => file.endsWith('.js') && !file.includes('/generated/') && !file.startsWith(commonJs),
  );
  const modules = await readdir('src', {recursive: true});
  t.is(programs.length, modules.filter((file) => file.endsWith('.ts') && !file.includes('generated/')).length);
  const texts = await Promise.all(programs.map((file) => readFile(file, 'utf8')));
  const lines = texts.flatMap((text) => text.split('\n'));
  const mean = texts.join('').length / lines.length;
  t.true(mean < 50, `${mean} characters in a line`);
});

test('the client needs no dependency, and takes at most 3 kB, also uncompressed', async (t) => {
  const {outputFiles, metafile} = await build({
    entryPoints: ['dist/client.js'],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    metafile: true,
  });
  t.true((outputFiles[0]?.contents.length ?? Infinity) <= 3000);
  t.true(Object.keys(metafile.inputs).every((file) => /^dist\/client[./]/.test(file)));
});

test('the package has at most twelve direct dependencies', async (t) => {
  const {dependencies} = await readManifest();
  t.true(Object.keys(dependencies).length <= 12, Object.keys(dependencies).join(', '));
});

test('no committed file names a registry, and neither does the lock file', async (t) => {
  const lock = JSON.parse(await readFile('package-lock.json', 'utf8')) as {packages: Record<string, object>};
  for (const [name, entry] of Object.entries(lock.packages)) t.false('resolved' in entry, name);
  const pattern = String.raw`registry\.npm|_authToken|\bnpmrc\b|^registry *=`;
  const found = await run('git', [
    'grep',
    '-lIE',
    pattern,
    '--',
    '.',
    ':!test/contract/package/contents.test.ts',
  ]).catch(
    // Git grep exits with 1 if it finds nothing.
    (error: unknown) => error as {code: number; stdout: string},
  );
  t.is(found.stdout, '');
});
