/**
 * Checks whether a release can be made and shows what it would publish: `npm run release`. It changes only `dist`. With
 * `--publish` it runs all tests and then publishes.
 */
import {spawnSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {parseArgs} from 'node:util';
import {hasGolden} from '../test/support/golden/folder.ts';
import {newestRelease} from './changelog.ts';
import {missingFields} from './publisher.ts';

const {values} = parseArgs({options: {publish: {type: 'boolean', default: false}}});
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {name: string; version: string};
const {name, version} = manifest;

/** The commands that must succeed before the package is published. The matrix takes about an hour. */
const tests = [
  'npm ci',
  'npm run lint',
  'npm run typecheck',
  'npm run test:long',
  'npm run lint:pack',
  'npm run matrix',
];

function output(command: string, ...parameters: string[]): string {
  const {status, stdout, stderr} = spawnSync(command, parameters, {encoding: 'utf8'});
  if (status !== 0) throw new Error(`${command} ${parameters.join(' ')}: ${stderr}`);
  return stdout.trim();
}

function run(command: string): boolean {
  console.log(`\n> ${command}`);
  return spawnSync(command, {shell: true, stdio: 'inherit'}).status === 0;
}

/** The reasons why this state cannot be released, a sentence each; empty if it can be. */
function obstacles(): string[] {
  const release = newestRelease(readFileSync('CHANGELOG.md', 'utf8'));
  const locked = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {version: string};
  const changed = output('git', 'status', '--porcelain');
  const isTagged = output('git', 'tag', '--list', `v${version}`) !== '';
  return [
    changed === '' ? [] : [`The working tree has changes that are not committed:\n${changed}`],
    locked.version === version ? [] : [`package-lock.json has the version ${locked.version}, package.json ${version}.`],
    release?.version === version
      ? []
      : [
          `The newest section of CHANGELOG.md must be "## [${version}] - yyyy-mm-dd", with nothing unreleased above it.`,
        ],
    release?.notes === '' ? [`The section ${version} of CHANGELOG.md is empty.`] : [],
    missingFields(manifest),
    hasGolden(version) ? [] : [`The stores of version ${version} are not kept: run npm run golden, and commit them.`],
    isTagged ? [`The tag v${version} exists already.`] : [],
  ].flat();
}

function release(): boolean {
  const reasons = obstacles();
  for (const reason of reasons) console.error(reason);
  if (reasons.length > 0) return false;
  if (!values.publish) {
    console.log(`${name} ${version} can be released. These commands must succeed before it is published:`);
    for (const test of tests) console.log(`  ${test}`);
    if (!run('npm publish --dry-run --access public')) return false;
    console.log('\nNothing was published. To publish, run: npm run release -- --publish');
    return true;
  }
  if (!tests.every(run) || !run('npm publish --access public')) return false;
  console.log(`\nPublished. Tag it: git tag --annotate v${version} --message '${name} ${version}'`);
  return true;
}

if (!release()) process.exitCode = 1;
