/**
 * The HTTP suite on the installed tarball, on each Node.js and Koa, imported and required: `npm run matrix`. Only what is
 * looked at in a browser is left out, which is the same on all of them. At last it gives a host's Keyv 6 to the package, on
 * Node.js 22.
 *
 * Less of it with `--node 22`, `--koa 3` (or `lowest`), `--form require` and `--only root` (a file of
 * test/contract/http), each as often as you like; `--node current` is the one that runs this. `--keyv` is Keyv 6 alone. It
 * packs what stands in `dist`.
 */
import {execFile} from 'node:child_process';
import {resolve} from 'node:path';
import {parseArgs, promisify} from 'node:util';
import {type Owner, withOwner} from '../../support/owner.ts';
import {type Form, install, testsOn, versionIn} from './installation.ts';
import {checkKeyv6} from './keyv-6.ts';
import {nodeOf} from './node-versions.ts';
import {lowestOf} from './ranges.ts';
import {type Manifest, packed, readManifest} from './tarball.ts';

const run = promisify(execFile);
const ava = resolve('node_modules', 'ava', 'entrypoints', 'cli.mjs');
const newest = ['20', '22', '24', '26'];
const lowest = 'lowest';

/** The packages of a host: Koa, and the clients of the stores that the suite uses. Newer Node.js come with SQLite. */
function packagesFor(
  koa: string,
  hasSqlite: boolean,
  {dependencies, peerDependencies}: Manifest,
): Record<string, string> {
  const {'@keyv/redis': redis = '', libsql = ''} = peerDependencies;
  if (koa !== lowest) return {koa, '@keyv/redis': redis, ...(hasSqlite ? {} : {libsql})};
  const all = {...dependencies, koa: peerDependencies['koa'] ?? '', '@keyv/redis': redis, libsql};
  return Object.fromEntries(Object.entries(all).map(([name, range]) => [name, lowestOf(range)]));
}

interface Run {
  readonly node: string;
  readonly koa: string;
  readonly form: Form;
}

const many = {type: 'string', multiple: true} as const;
const {values} = parseArgs({options: {node: many, koa: many, form: many, only: many, keyv: {type: 'boolean'}}});
const {node: nodes, koa: koas = ['2', '3', lowest], form: forms = ['import', 'require'], only = ['!(pages)']} = values;
const files = only.map((name) => `test/contract/http/${name}.test.js`);

function runsAsked(manifest: Manifest): Run[] {
  return koas.flatMap((koa) => {
    const usual = koa === lowest ? [lowestOf(manifest.engines.node)] : newest;
    return (nodes ?? usual).flatMap((node) => forms.map((form) => ({node, koa, form: form as Form})));
  });
}

/** Runs the test files of a folder from `testsOn`. Returns how many tests passed, or rejects if one failed. */
async function suite(node: string, folder: string): Promise<string> {
  try {
    const {stdout} = await run(node, [ava, ...files], {cwd: folder, maxBuffer: 2 ** 28});
    return [/\d+ tests? passed/, /\d+ tests? skipped/].flatMap((count) => count.exec(stdout) ?? []).join(', ');
  } catch (error) {
    const {stdout = ''} = error as {stdout?: string};
    const lines = stdout.split('\n').filter((line) => !line.includes('✔'));
    throw new Error(lines.join('\n').slice(-20_000) || String(error), {cause: error});
  }
}

async function matrix(owner: Owner): Promise<number> {
  const manifest = await readManifest();
  const tarball = await packed(owner);
  const projects = new Map<string, Promise<string>>();
  const folders = new Map<string, Promise<string>>();
  const remembered = <Value>(known: Map<string, Value>, key: string, make: () => Value): Value => {
    const value = known.get(key) ?? make();
    known.set(key, value);
    return value;
  };
  let [passed, failed] = [0, 0];
  for (const {node, koa, form} of values.keyv ? [] : runsAsked(manifest)) {
    const started = performance.now();
    let title = `Node.js ${node}, Koa ${koa}, ${form}`;
    try {
      const program = await nodeOf(node);
      const {stdout: version} = await run(program, ['--version']);
      const hasSqlite = !version.startsWith('v20.');
      const host = `${koa} ${String(hasSqlite)}`;
      const overrides = packagesFor(koa, hasSqlite, manifest);
      const packages = {...overrides, 'koa-short-url': `file:${tarball}`};
      const project = await remembered(projects, host, () => install(owner, {packages, overrides}));
      const [koaVersion, keyv] = await Promise.all([versionIn(project, 'koa'), versionIn(project, 'keyv')]);
      title = `Node.js ${version.trim().slice(1)}, Koa ${koaVersion}, Keyv ${keyv}, ${form}`;
      const folder = await remembered(folders, `${host} ${form}`, () => testsOn(owner, project, form));
      const result = await suite(program, folder);
      passed += 1;
      console.log(`${title}: ${result} in ${Math.round((performance.now() - started) / 1000)} s`);
    } catch (error) {
      failed += 1;
      console.error(`${title}: ${String(error)}`);
    }
  }
  if (values.keyv ?? Object.keys(values).length === 0) {
    try {
      const version = await checkKeyv6(owner, tarball, await nodeOf('22'));
      passed += 1;
      console.log(`Node.js 22, Keyv ${version} of the host: links work`);
    } catch (error) {
      failed += 1;
      console.error(`Node.js 22, Keyv 6 of the host: ${String(error)}`);
    }
  }
  console.log(`matrix: ${passed} passed, ${failed} failed`);
  return failed;
}

if ((await withOwner(matrix)) > 0) process.exitCode = 1;
