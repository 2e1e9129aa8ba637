import {execFile} from 'node:child_process';
import {existsSync} from 'node:fs';
import {mkdir, writeFile} from 'node:fs/promises';
import {join, resolve} from 'node:path';
import {promisify} from 'node:util';

const run = promisify(execFile);

/**
 * The path of a Node.js, which is fetched from npm unless it is here.
 *
 * @param version such as `22`, or `current` for the one that runs this
 */
export async function nodeOf(version: string): Promise<string> {
  if (version === 'current') return process.execPath;
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const name = `node-${platform}-${process.arch}`;
  const folder = resolve('node_modules', '.cache', 'matrix', version);
  const program = join(folder, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (!existsSync(program)) {
    await mkdir(folder, {recursive: true});
    await writeFile(join(folder, 'package.json'), '{"private": true}');
    await run('npm', ['install', '--no-save', '--no-audit', '--no-fund', `${name}@${version}`], {cwd: folder});
  }
  return program;
}
