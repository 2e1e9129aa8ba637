/** `npm run build`: makes `dist`, unless it is what the last build made of the same files. */
import {spawnSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import process from 'node:process';

const stamp = 'reports/build.stamp';

/** All that decides what is in `dist`, and `dist` itself. The pages are partly generated. */
const sources = [
  'src',
  'scripts',
  'dist',
  'docs',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
];

function filesOf(path) {
  if (!existsSync(path)) return [];
  if (statSync(path).isFile()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesOf(join(path, name)));
}

function digest() {
  const hash = createHash('sha256').update(process.version);
  for (const file of sources.flatMap(filesOf)) hash.update(`\n${file}\n`).update(readFileSync(file));
  return hash.digest('hex');
}

if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== digest()) {
  const {status} = spawnSync(process.execPath, ['--import', 'tsx', 'scripts/build.ts'], {stdio: 'inherit'});
  process.exitCode = status ?? 1;
  if (status === 0) {
    mkdirSync('reports', {recursive: true});
    writeFileSync(stamp, digest());
  }
}
