import {execFile} from 'node:child_process';
import {readFile} from 'node:fs/promises';
import {dirname, join, posix} from 'node:path';
import {promisify} from 'node:util';
import test from 'ava';
import {build} from 'esbuild';
import {generatedFiles} from '../../../scripts/generate.ts';
import {thisFile} from '../../support/this-file.ts';
import {packed, readManifest} from './tarball.ts';

const run = promisify(execFile);
const owner = thisFile();
/** The folder of the programs, and of the declarations for CommonJS. */
const commonJs = 'dist/cjs/';
/** What people read. */
const documentation = /^docs\/(?:adr\/)?[\w.-]+\.(?:md|txt|json|xsd)$|^examples\//;
let tarball = '';
let files: string[] = [];

test.before(async () => {
  tarball = await packed(owner);
  const {stdout} = await run('tar', ['-tzf', tarball]);
  files = stdout.split('\n').flatMap((line) => (line === '' ? [] : [line.replace(/^package\//, '')]));
});

test('the tarball has the programs with their source maps, the public declarations for both kinds of modules, the descriptions of the API, the documentation, the examples, and nothing else', async (t) => {
  const others = ['CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md', 'package.json'];
  const descriptions = ['dist/openapi-get.json', 'dist/openapi.json', 'dist/short-url.xsd'];
  const known = /^dist\/[\w/.-]+\.(?:js|js\.map|d\.ts)$/;
  const declarations = files.filter((file) => file.endsWith('.d.ts'));
  const forCommonJs = declarations.filter((file) => file.startsWith(commonJs));
  t.deepEqual(
    forCommonJs.map((file) => file.replace(commonJs, 'dist/')).toSorted(),
    declarations.filter((file) => !file.startsWith(commonJs)).toSorted(),
  );
  t.deepEqual(
    files.filter((file) => file.endsWith('.map')).toSorted(),
    files.flatMap((file) => (file.startsWith(commonJs) && file.endsWith('.js') ? [`${file}.map`] : [])).toSorted(),
  );
  t.deepEqual(
    files.filter((file) => !known.test(file) && !documentation.test(file)).toSorted(),
    [...others, ...descriptions, `${commonJs}package.json`, 'dist/licenses.txt'].toSorted(),
  );
});

test('every page that a message of the program names is in the tarball', async (t) => {
  const programs = await Promise.all(
    files.filter((file) => file.endsWith('.js')).map((file) => readFile(file, 'utf8')),
  );
  const pages = programs.flatMap((text) => text.match(/docs\/[\w-]+\.md/g) ?? []);
  t.true(pages.length > 0);
  for (const page of pages) t.true(files.includes(page), page);
});

test('every link of a packed page leads to a packed file, apart from pictures and the tests of promises', async (t) => {
  const packedFiles = new Set(files);
  for (const file of files.filter((each) => each.endsWith('.md'))) {
    const text = (await readFile(file, 'utf8')).replaceAll(/```.*?```/gs, '');
    for (const [, target = ''] of text.matchAll(/\]\(([^)\s#]+)[^)]*\)/g)) {
      const path = posix.normalize(posix.join(posix.dirname(file), target));
      const isLeftOut = /^[a-z]+:/.test(target) || /^docs\/screenshots\/|^test\//.test(path);
      const isPacked = packedFiles.has(path) || files.some((each) => each.startsWith(`${path}/`));
      t.true(isLeftOut || isPacked, `${file} links to ${target}`);
    }
  }
});

test('every generated file is the one that `npm run generate` makes', async (t) => {
  for (const [path, text] of generatedFiles()) {
    t.is(await readFile(path, 'utf8'), text, `${path} is old: run npm run generate`);
  }
});

test('the programs are a few files, in lines that a person can read, and their maps name the sources', async (t) => {
  const programs = files.filter((file) => file.startsWith(commonJs) && file.endsWith('.js'));
  t.true(programs.length <= 25, programs.join(', '));
  const sources: string[] = [];
  for (const file of programs) {
    const text = await readFile(file, 'utf8');
    const lines = text.split('\n').filter((line) => !/^var (?:styleSheet|script) =/.test(line));
    const mean = lines.join('').length / lines.length;
    t.true(mean < 50, `${file} has ${mean} characters in a line`);
    const map = JSON.parse(await readFile(`${file}.map`, 'utf8')) as {sources: string[]};
    t.false('sourcesContent' in map, file);
    sources.push(...map.sources.map((source) => join(dirname(file), source)));
  }
  for (const source of ['src/link/long-url.ts', 'src/visits/visit-log.ts', 'src/dashboard/middleware.ts']) {
    t.is(sources.filter((each) => each === source).length, 1, source);
  }
});

test('the trace of an error names functions and files, with and without the source maps', async (t) => {
  const program = `
    require('./dist/cjs/index.js').shortUrl({baseUrl: 'https://example.com', store: 'memory:'})
      .links.create('ann', {url: 'no'}).catch((error) => console.log(error.stack))`;
  const traces = await Promise.all(
    [[], ['--enable-source-maps']].map(async (flags) => run(process.execPath, [...flags, '-e', program])),
  );
  const [plain = '', mapped = ''] = traces.map(({stdout}) => stdout);
  t.regex(plain, /at unknownAccount \(.*dist\/cjs\/shared\/store\.js:\d+:\d+\)/);
  t.regex(mapped, /at unknownAccount \(.*src\/accounts\/\w+\.ts:\d+:\d+\)/);
});

test('what is part of the programs is not installed again, and its licenses are in the tarball', async (t) => {
  const licenses = await readFile('dist/licenses.txt', 'utf8');
  const {dependencies} = await readManifest();
  for (const name of ['escape-goat', 'nanoid', 'qr']) {
    t.false(name in dependencies, name);
    t.true(licenses.includes(`${name}\n\n`), name);
  }
  t.is(licenses.match(/Permission is hereby granted/g)?.length, 3);
});

test('the client needs no dependency, and takes at most 3 kB, also uncompressed', async (t) => {
  const {outputFiles, metafile} = await build({
    entryPoints: ['dist/client.browser.js'],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    metafile: true,
  });
  t.true((outputFiles[0]?.contents.length ?? Infinity) <= 3000);
  t.true(Object.keys(metafile.inputs).every((file) => file === 'dist/client.browser.js'));
});

test('the package has at most nine direct dependencies', async (t) => {
  const {dependencies} = await readManifest();
  t.true(Object.keys(dependencies).length <= 9, Object.keys(dependencies).join(', '));
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
