import {readFile} from 'node:fs/promises';
import test from 'ava';
import {newestRelease} from '../../../scripts/changelog.ts';
import {version} from '../../../src/host/version.ts';
import {lowestOf} from './ranges.ts';
import {readManifest} from './tarball.ts';

const manifest = await readManifest();

test('the newest release in the changelog has the version of the package and a date', async (t) => {
  const changelog = await readFile('CHANGELOG.md', 'utf8');
  const release = newestRelease(changelog.replace(/^## \[Unreleased\]$[^]*?(?=^## )/m, ''));
  t.is(release?.version, manifest.version);
  t.false(Number.isNaN(Date.parse(release?.date ?? '')));
  t.not(release?.notes, '');
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
  t.deepEqual(lowest, ['20.19.0', '2.16.0', '5.6.0']);
  const readme = await readFile('README.md', 'utf8');
  t.regex(readme, /Koa 2\.16/);
  t.regex(readme, /Keyv 5\.6/);
  for (const text of [readme, await readFile('CHANGELOG.md', 'utf8')]) t.regex(text, /Node\.js 20\.19\+ and 22\.12\+/);
});
