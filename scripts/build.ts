/**
 * Makes `dist` as it is published: `npm run build`. The programs are CommonJS in a few files, which `import` and `require`
 * share (docs/adr/0024-published-form.md). The entries are those of package.json.
 */
import {spawnSync} from 'node:child_process';
import {copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {basename, dirname, join, normalize, relative} from 'node:path';
import {build, type BuildOptions, type Plugin, transform} from 'esbuild';
import {generatedFiles} from './generate.ts';
import {withoutPlanted} from './without-planted.ts';

const output = 'dist';
/** The declarations that the compiler makes. */
const compiled = 'reports/build';
/** The folder in `output` of the programs, and of the declarations for CommonJS. */
const commonJs = 'cjs';

/** The module specifier of an import of a declaration, which the compiler leaves with the extension of the source. */
const specifiers = /(?<=(?:from |import\())(['"])(\.[^'"]+)\.ts\1/g;

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly exports: Readonly<Record<string, unknown>>;
  readonly bin: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
};

/** The modules that package.json exports. */
const entries = Object.entries(manifest.exports).flatMap(([name, target]) =>
  typeof target === 'string' ? [] : [name === '.' ? 'index' : relative('.', name)],
);

/** The modules that package.json has as commands. */
const commands = Object.values(manifest.bin).map((path) => relative(join(output, commonJs), path.replace(/\.js$/, '')));

/** The packages that exist only as ES modules, which CommonJS in Jest cannot load. They become part of the programs. */
const included = ['escape-goat', 'nanoid', 'qr'];

/** Takes out the bugs that tests plant. */
const unplanted: Plugin = {
  name: 'unplanted',
  setup(bundler) {
    bundler.onLoad({filter: /\/src\/.*\.ts$/}, ({path}) => ({
      loader: 'ts',
      contents: withoutPlanted(readFileSync(path, 'utf8')),
    }));
  },
};

/** Readable: names, lines and the order of the sources stay. */
const bundling = {
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  format: 'esm',
  entryPoints: [...entries, ...commands].map((name) => `src/${name}.ts`),
  outbase: 'src',
  outdir: join(output, commonJs),
  external: [...Object.keys(manifest.dependencies), ...Object.keys(manifest.peerDependencies)],
  sourcemap: 'inline',
  plugins: [unplanted],
  logLevel: 'warning',
  write: false,
} as const satisfies BuildOptions;

function publish(path: string, text: string): void {
  const target = join(output, path);
  mkdirSync(dirname(target), {recursive: true});
  writeFileSync(target, text);
}

/** The part of the program that most of a shared file is from, such as `store`. */
function subjectOf(inputs: Readonly<Record<string, {readonly bytesInOutput: number}>>): string {
  const sizes = new Map<string, number>();
  for (const [path, {bytesInOutput}] of Object.entries(inputs)) {
    const part = path.split('/')[1]?.replace(/\.ts$/, '') ?? '';
    sizes.set(part, (sizes.get(part) ?? 0) + bytesInOutput);
  }
  const [[subject] = ['common']] = [...sizes].toSorted(([, one], [, other]) => other - one);
  return subject;
}

interface Program {
  /** In `output/cjs`. */
  readonly path: string;
  /** As an ES module with its source map. */
  readonly text: string;
  readonly exported: readonly string[];
}

/** Imports every entry, so that each shares all of its modules: Node.js reads the exports of an entry slowly if it is large. */
const everything = {
  contents: entries.map((name, index) => `export * as entry${index} from './${name}.ts';`).join('\n'),
  resolveDir: 'src',
  sourcefile: 'everything.ts',
};

/** The entries and commands, and the files that they share. */
async function bundle(): Promise<Program[]> {
  const {outputFiles, metafile} = await build({
    ...bundling,
    stdin: everything,
    splitting: true,
    chunkNames: 'shared/[hash]',
    metafile: true,
  });
  const shared = Object.entries(metafile.outputs)
    .filter(([path]) => dirname(path).endsWith('/shared'))
    .toSorted(([, one], [, other]) => other.bytes - one.bytes);
  const names = new Map<string, string>();
  for (const [path, {inputs}] of shared) {
    const subject = subjectOf(inputs);
    const before = [...names.values()].filter((name) => name.replace(/-\d+\.js$/, '.js') === `${subject}.js`).length;
    names.set(basename(path), before === 0 ? `${subject}.js` : `${subject}-${before + 1}.js`);
  }
  const renamed = (text: string): string =>
    [...names].reduce((sofar, [hash, name]) => sofar.replaceAll(hash, name), text);
  const programs = outputFiles.map(({path, text}) => ({
    path: renamed(relative(bundling.outdir, path)),
    text: renamed(text),
    exported: metafile.outputs[relative('.', path)]?.exports ?? [],
  }));
  return programs.filter(({path}) => path !== 'stdin.js');
}

/** A `require` of a package that is missing rejects. Bundlers take a package that they do not find for optional in a `try`. */
function optionalPackages(program: string): string {
  return program.replaceAll(
    /Promise\.resolve\(\)\.then\(\(\) => (__toESM\(require\("([^".][^"]*)"\)\))\)/g,
    (all, load: string, name: string) =>
      name in manifest.peerDependencies
        ? `(async () => { try { return ${load}; } catch (error) { throw error; } })()`
        : all,
  );
}

/** Fake timers replace the functions of these modules. The programs keep those that were there when they were loaded. */
function lastingTimers(program: string): string {
  return program.replaceAll(/require\("node:timers(?:\/promises)?"\)/g, '({ ...$& })');
}

/**
 * A shared file keeps what it imports from others as constants. With esbuild's own form each use would go through two
 * getters, which V8 does not inline. The files do not import each other in a circle.
 */
function constantImports(program: string): string {
  return program.replaceAll(
    /^import (\{[^}]*\}) from ("\.[^"]*");$/gm,
    (_, names: string, from: string) => `const ${names.replaceAll(' as ', ': ')} = require(${from});`,
  );
}

/** Jest runs CommonJS without ES modules, so `import()` becomes `require`, also for the client of an engine. */
async function publishCommonJs({path, text}: Program): Promise<void> {
  const {code, map} = await transform(constantImports(text), {
    format: 'cjs',
    platform: 'node',
    target: bundling.target,
    supported: {'dynamic-import': false},
    define: {'import.meta.url': '__filename'},
    sourcemap: 'external',
    // A third of the tarball. A trace names the file and the line without them.
    sourcesContent: false,
    sourcefile: path,
  });
  publish(join(commonJs, path), `${lastingTimers(optionalPackages(code))}//# sourceMappingURL=${basename(path)}.map\n`);
  publish(join(commonJs, `${path}.map`), map);
}

/** The declarations of the entries, and all that they import. The others are private. */
function publicDeclarations(): Map<string, string> {
  const found = new Map<string, string>();
  const visit = (path: string): void => {
    if (found.has(path)) return;
    const text = readFileSync(join(compiled, path), 'utf8');
    found.set(path, text);
    for (const [, , target = ''] of text.matchAll(specifiers)) visit(normalize(join(dirname(path), `${target}.d.ts`)));
  };
  for (const name of entries) visit(`${name}.d.ts`);
  return found;
}

async function publishPrograms(): Promise<void> {
  publish(join(commonJs, 'package.json'), '{"type": "commonjs"}\n');
  for (const program of await bundle()) {
    await publishCommonJs(program);
    const name = program.path.replace(/\.js$/, '');
    // `import` gets the objects that `require` gives, so there is one ShortUrlError.
    if (entries.includes(name)) {
      publish(program.path, `export {${program.exported.join(', ')}} from './${commonJs}/${program.path}';\n`);
    }
  }
  // Browsers and their bundlers have no CommonJS, and the client has no state that two copies would share.
  const {outputFiles} = await build({...bundling, entryPoints: ['src/client.ts'], sourcemap: false});
  publish('client.browser.js', outputFiles[0]?.text ?? '');
  publish('licenses.txt', included.flatMap(licensesOf).join('\n\n'));
}

function licensesOf(name: string): string[] {
  const folder = join('node_modules', name);
  const files = readdirSync(folder).filter((file) => /^license/i.test(file));
  return files.map((file) => `${name}\n\n${readFileSync(join(folder, file), 'utf8')}`);
}

for (const [path, text] of generatedFiles()) writeFileSync(path, text);
for (const folder of [output, compiled]) rmSync(folder, {recursive: true, force: true});
// Scripts and tests call the earlier compiler, which takes four times as long.
const compiler = 'node_modules/typescript-7/bin/tsc';
const {status} = spawnSync(process.execPath, [compiler, '--project', 'tsconfig.build.json'], {stdio: 'inherit'});
if (status === 0) {
  await publishPrograms();
  // Compilers refuse the declarations of an ES module where CommonJS is compiled, so both have their own. They have the
  // same names, which npm puts beside each other, so the second ones take no space.
  for (const [path, text] of publicDeclarations()) {
    const declaration = text.replace(specifiers, '$1$2.js$1');
    publish(path, declaration);
    publish(join(commonJs, path), declaration);
  }
  // Only programs read them, and white space is two fifths of them.
  for (const name of ['openapi.json', 'openapi-get.json']) {
    publish(name, JSON.stringify(JSON.parse(readFileSync(join('docs', name), 'utf8'))));
  }
  copyFileSync('docs/short-url.xsd', join(output, 'short-url.xsd'));
} else {
  process.exitCode = status ?? 1;
}
