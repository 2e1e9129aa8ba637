import {execFile} from 'node:child_process';
import {cp} from 'node:fs/promises';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {install} from '../contract/package/installation.ts';
import {packed} from '../contract/package/tarball.ts';
import {bundledOutput, bundledSite} from '../support/bundled-site.ts';
import {temporaryFolder} from '../support/folder.ts';
import {onDemand} from '../support/on-demand.ts';
import {thisFile} from '../support/this-file.ts';

const run = promisify(execFile);
const owner = thisFile();

/** What a site runs to make its bundle. esbuild has its tests with the entries of the package. */
interface Bundler {
  readonly packages: Readonly<Record<string, string>>;
  /** A file of the project, and the arguments of Node.js. */
  readonly program?: string;
  readonly command: readonly string[];
  /** The bundle, in the folder `out`. */
  readonly bundle: string;
}

const bundlers: Readonly<Record<string, Bundler>> = {
  Rollup: {
    packages: {
      rollup: '4',
      '@rollup/plugin-commonjs': '29',
      '@rollup/plugin-json': '6',
      '@rollup/plugin-node-resolve': '16',
    },
    program: `
import commonjs from '@rollup/plugin-commonjs';
import json from '@rollup/plugin-json';
import resolve from '@rollup/plugin-node-resolve';
import {rollup} from 'rollup';
const bundle = await rollup({
  input: 'site.mjs',
  plugins: [resolve({preferBuiltins: true, exportConditions: ['node']}), commonjs(), json()],
});
await bundle.write({file: 'out/site.cjs', format: 'cjs', inlineDynamicImports: true});`,
    command: ['bundle.mjs'],
    bundle: 'site.cjs',
  },
  webpack: {
    packages: {webpack: '5'},
    program: `
import webpack from 'webpack';
const output = {path: import.meta.dirname + '/out', filename: 'site.cjs'};
webpack({target: 'node', mode: 'production', entry: './site.mjs', output}, (error, stats) => {
  if (error || stats.hasErrors()) throw error ?? new Error(stats.toString('errors-only'));
});`,
    command: ['bundle.mjs'],
    bundle: 'site.cjs',
  },
  'Vite SSR': {
    packages: {vite: '8.3.8'},
    program: `
import {build} from 'vite';
await build({ssr: {noExternal: true}, build: {ssr: 'site.mjs', outDir: 'out'}});`,
    command: ['bundle.mjs'],
    bundle: 'site.mjs',
  },
  ncc: {
    packages: {'@vercel/ncc': '0.45.0'},
    command: ['node_modules/@vercel/ncc/dist/ncc/cli.js', 'build', 'site.mjs', '-o', 'out'],
    bundle: 'index.mjs',
  },
};

let tarball: Promise<string> | undefined;

for (const [name, {packages, program = '', command, bundle}] of Object.entries(bundlers)) {
  onDemand(`a site that ${name} bundles runs by itself, without the engines that it does not use`, async (t) => {
    t.timeout(600_000);
    const cwd = await install(t, {
      packages: {...packages, koa: '3', 'koa-short-url': `file:${await (tarball ??= packed(owner))}`},
      files: {'site.mjs': bundledSite, 'bundle.mjs': program},
    });
    await run(process.execPath, command, {cwd});
    // Where it finds no packages.
    const server = await temporaryFolder(t);
    await cp(join(cwd, 'out'), server, {recursive: true});
    const {stdout} = await run(process.execPath, [bundle], {cwd: server});
    t.log(stdout);
    t.true(stdout.startsWith(bundledOutput), stdout);
  });
}
