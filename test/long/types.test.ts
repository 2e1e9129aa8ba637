import {copyFile, readdir, writeFile} from 'node:fs/promises';
import {join, resolve} from 'node:path';
import {setImmediate} from 'node:timers/promises';
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

// The first is the one that most hosts have.
for (const [what, files, options] of isNight ? setups : setups.slice(0, 1)) {
  test(`strict programs that ${what} compile, and each mistake in them is an error`, async (t) => {
    t.timeout(300_000);
    t.deepEqual(await complaints(files, {...options, skipLibCheck: false}), []);
  });
}

test('with module node16, whose Node.js cannot require an ES module, the compiler refuses the require', async (t) => {
  const found = await complaints(['consumer.cts'], {module: ModuleKind.Node16, skipLibCheck: true});
  t.regex(found[0] ?? '', /^consumer\.cts:3 TS1471 /);
});
