import {execFile} from 'node:child_process';
import {copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile} from 'node:fs/promises';
import {join, resolve} from 'node:path';
import {setImmediate} from 'node:timers/promises';
import {promisify} from 'node:util';
import test from 'ava';
import ts from 'typescript';
import {packed} from '../contract/package/tarball.ts';

const {ModuleKind, ModuleResolutionKind} = ts;
const run = promisify(execFile);
const programs = resolve('test/long/types');
const installed = 'node_modules/koa-short-url';

/** A host's project with the tarball, inside the repository so that dependencies and their types are found. */
let project = '';
const undos: Array<() => unknown> = [];

test.before(async () => {
  project = resolve(await mkdtemp('test/package-types-'));
  undos.push(() => rm(project, {recursive: true, force: true}));
  const tarball = await packed({teardown: (undo) => void undos.push(undo)});
  await mkdir(join(project, installed), {recursive: true});
  await run('tar', ['-xzf', tarball, '-C', join(project, installed), '--strip-components=1']);
  // Its own package.json, because inside our package the name would mean the sources.
  await writeFile(join(project, 'package.json'), '{"private": true}');
  for (const file of await readdir(programs)) await copyFile(join(programs, file), join(project, file));
});

test.after.always(async () => {
  for (const undo of undos.reverse()) await undo();
});

/**
 * The compiler's errors in programs of the project, each as `file:line TScode message`. Without `skipLibCheck` the
 * compiler also checks the declarations of the package and its dependencies.
 */
async function complaints(
  files: readonly string[],
  options: ts.CompilerOptions,
  host?: ts.CompilerHost,
): Promise<string[]> {
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
  const program = ts.createProgram(paths, {...strict, ...options}, host);
  return ts.getPreEmitDiagnostics(program).map(({file: where, start = 0, code, messageText}) => {
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
  [
    'import it, from CommonJS too, with module node16',
    ['consumer.mts', 'consumer-older.cts'],
    {module: ModuleKind.Node16},
  ],
  [
    'import it and require it for a bundler',
    ['consumer.mts', 'consumer.cts'],
    {module: ModuleKind.Preserve, moduleResolution: ModuleResolutionKind.Bundler},
  ],
];

for (const [what, files, options] of setups) {
  test(`strict programs that ${what} compile, and each mistake in them is an error`, async (t) => {
    t.timeout(300_000);
    t.deepEqual(await complaints(files, {...options, skipLibCheck: false}), []);
  });
}

test('with module node16, whose Node.js cannot require an ES module, the compiler refuses the require', async (t) => {
  const found = await complaints(['consumer.cts'], {module: ModuleKind.Node16, skipLibCheck: true});
  t.regex(found[0] ?? '', /^consumer\.cts:3 TS1471 /);
});

test('every @ts-expect-error of the programs has an error in its line', async (t) => {
  for (const file of ['consumer.mts', 'consumer.cts']) {
    const lines = (await readFile(join(programs, file), 'utf8')).split('\n');
    const expected = lines.flatMap((line, index) => (line.trim().startsWith('// @ts-expect-error') ? [index + 2] : []));
    const name = `unguarded-${file}`;
    await writeFile(join(project, name), lines.join('\n').replaceAll('// @ts-expect-error', '//'));
    const found = await complaints([name], {...nodenext, skipLibCheck: true});
    const numbers = found.map((complaint) => Number(/:(\d+) /.exec(complaint)?.[1]));
    t.deepEqual([...new Set(numbers)], expected, file);
  }
});

test('changed declarations are noticed', async (t) => {
  const changes: Array<[file: string, from: string, to: string]> = [
    ['shortener/options.d.ts', 'readonly baseUrl: string;', 'readonly baseUrl?: string;'],
    ['link/link.d.ts', 'readonly urlId: number;', 'readonly urlId: string;'],
    ['links/events.d.ts', 'visit: [event: VisitEvent];', 'visit: [event: LinkEvent];'],
    ['shortener/short-url.d.ts', 'extends Middleware', ''],
    ['host/errors.d.ts', 'readonly code: ErrorCode;', 'readonly code: string;'],
  ];
  const options = {...nodenext, skipLibCheck: true};
  const host = ts.createCompilerHost(options);
  const parse = host.getSourceFile.bind(host);
  const parsed = new Map<string, ts.SourceFile | undefined>();
  for (const [file, from, to] of changes) {
    const path = join(project, installed, 'dist', file);
    const text = await readFile(path, 'utf8');
    t.true(text.includes(from), `${file} says ${from}`);
    host.getSourceFile = (name, version) => {
      if (name === path) return ts.createSourceFile(name, text.replace(from, to), version);
      if (!parsed.has(name)) parsed.set(name, parse(name, version));
      return parsed.get(name);
    };
    t.not((await complaints(['consumer.mts'], options, host)).length, 0, `${file} without ${from}`);
  }
});
