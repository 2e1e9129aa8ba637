/**
 * Runs test files as soon as possible: `npm run test:one FILE … -- --match='*words*'`. It is plain JavaScript, and bundles
 * the files, because the loading of TypeScript takes longer than most tests.
 */
import {spawnSync} from 'node:child_process';
import {rmSync} from 'node:fs';
import process from 'node:process';
import {build} from 'esbuild';
import {bundling, ownPlaces} from './bundling.js';

const output = 'reports/one';
const files = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
const options = process.argv.slice(2).filter((argument) => argument.startsWith('-'));
if (files.length === 0) throw new Error('Which test files? npm run test:one FILE …');

rmSync(output, {recursive: true, force: true});
await build({...bundling, entryPoints: files, outbase: 'test', outdir: output, plugins: [ownPlaces]});
const ava = ['node_modules/ava/entrypoints/cli.mjs', '--config', 'ava.one.config.js', ...options];
process.exitCode = spawnSync(process.execPath, ava, {stdio: 'inherit'}).status ?? 1;
