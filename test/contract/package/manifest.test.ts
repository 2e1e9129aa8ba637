import {readFile} from 'node:fs/promises';
import test from 'ava';
import {newestRelease} from '../../../scripts/changelog.ts';
import {version} from '../../../src/version.ts';
import {isAtLeast} from '../../../src/store/findings.ts';
import {hasGolden} from '../../support/golden/folder.ts';
import {lowestOf} from './ranges.ts';
import {readManifest} from './tarball.ts';

const manifest = await readManifest();

test('the package has the version of the newest release, or a later one that has unreleased changes', async (t) => {
  const changelog = await readFile('CHANGELOG.md', 'utf8');
  const released = changelog.replace(/^## \[Unreleased\]$[^]*?(?=^## |$(?![^]))/m, '');
  const release = newestRelease(released);
  t.is(release?.version !== manifest.version, released !== changelog);
  t.true(isAtLeast(manifest.version, release?.version ?? '0'));
  // Before the first release there is none.
  if (release === undefined) return;
  t.false(Number.isNaN(Date.parse(release.date)));
  t.not(release.notes, '');
});

test('the stores of each release from 2.0.0 on that is not the newest version are kept', async (t) => {
  const changelog = await readFile('CHANGELOG.md', 'utf8');
  const releases = Array.from(changelog.matchAll(/^## \[(\d.*?)\]/gm), ([, version = '']) => version);
  // Those of a version are kept just before it is released.
  const kept = releases.filter((each) => each !== manifest.version && isAtLeast(each, '2.0.0'));
  t.deepEqual(
    kept.filter((each) => !hasGolden(each)),
    [],
  );
});

test('the program has the version of its package', (t) => {
  t.is(version, manifest.version);
});

test('Koa is a peer dependency, and every driver and the types are optional', (t) => {
  for (const name of Object.keys(manifest.peerDependencies)) {
    t.is(manifest.peerDependenciesMeta[name]?.optional ?? false, name !== 'koa', name);
  }
});

test('the README names the lowest supported versions, of which Node.js can require an ES module', async (t) => {
  const {engines, dependencies, peerDependencies} = manifest;
  // Node.js 21, and 22 before 22.12, cannot `require` an ES module.
  t.is(engines.node, '^20.19.0 || >=22.12.0');
  const lowest = [engines.node, peerDependencies['koa'], dependencies['keyv']].map((range) => lowestOf(range ?? ''));
  t.deepEqual(lowest, ['20.19.0', '2.16.4', '5.6.0']);
  const readme = await readFile('README.md', 'utf8');
  t.regex(readme, /Koa 2\.16\.4\+ or 3\.1\.2\+/);
  t.regex(readme, /Keyv 5\.6/);
  for (const text of [readme, await readFile('CHANGELOG.md', 'utf8')]) t.regex(text, /Node\.js 20\.19\+ and 22\.12\+/);
});
