/** Makes `dist` as it is published, a file for each module: `npm run build`. */
import {spawnSync} from 'node:child_process';
import {copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join, normalize, relative} from 'node:path';
import {generatedFiles, withoutComments} from './generate.ts';
import {withoutPlanted} from './without-planted.ts';

const output = 'dist';
/** What the compiler makes. */
const compiled = 'reports/build';
/** The folder in `output` of what CommonJS needs. */
const commonJs = 'cjs';

/** The module specifier of an import of a declaration, which the compiler leaves with the extension of the source. */
const specifiers = /(?<=(?:from |import\())(['"])(\.[^'"]+)\.ts\1/g;

function publish(path: string, text: string): void {
  const target = join(output, path);
  mkdirSync(dirname(target), {recursive: true});
  writeFileSync(target, text);
}

/** The names of the modules that package.json exports. */
function entries(): string[] {
  const {exports} = JSON.parse(readFileSync('package.json', 'utf8')) as {exports: Readonly<Record<string, unknown>>};
  return Object.entries(exports).flatMap(([name, target]) =>
    typeof target === 'string' ? [] : [name === '.' ? 'index' : relative('.', name)],
  );
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
  for (const name of entries()) visit(`${name}.d.ts`);
  return found;
}

for (const [path, text] of generatedFiles()) writeFileSync(path, text);
for (const folder of [output, compiled]) rmSync(folder, {recursive: true, force: true});
const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const {status} = spawnSync(process.execPath, [compiler, '--project', 'tsconfig.build.json'], {stdio: 'inherit'});
if (status === 0) {
  // Editors show the comments of the declarations. In the programs they would be a fifth of the package.
  for (const path of readdirSync(compiled, {recursive: true, encoding: 'utf8'})) {
    if (!path.endsWith('.js') || path === 'planted.js') continue;
    publish(path, withoutComments(withoutPlanted(readFileSync(join(compiled, path), 'utf8'))));
  }
  // Older compilers and tools refuse a `require` of an ES module, which Node.js allows, so entries have both forms. The
  // declarations of both have the same names, which npm puts beside each other, so the second ones take no space.
  publish(join(commonJs, 'package.json'), '{"type": "commonjs"}\n');
  for (const name of entries()) publish(join(commonJs, `${name}.js`), `module.exports = require('../${name}.js');\n`);
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
